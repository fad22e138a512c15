/// The members of a JSON object, in the order they were written. No two members have the same name.
public struct JSONObject: Sendable, Equatable {
    /// One member.
    public struct Member: Sendable, Equatable {
        /// Its name, any text.
        public var name: String
        /// Its value.
        public var value: JSONValue
    }

    /// The members in order.
    public private(set) var members: [Member] = []

    /// An empty object.
    public init() {}

    /// The value of a member. Setting keeps the member's place, or appends; setting nil removes.
    ///
    /// Names are compared byte by byte, as JSON does, not by Unicode equivalence as Swift does.
    public subscript(name: String) -> JSONValue? {
        get { position(of: name).map { members[$0].value } }
        set {
            switch (position(of: name), newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    private func position(of name: String) -> Int? {
        members.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
    }

    /// Gives the member at a position another value.
    mutating func replace(at position: Int, _ value: JSONValue) { members[position].value = value }

    /// Appends a member that the caller knows to be new.
    mutating func append(_ name: String, _ value: JSONValue) {
        members.append(Member(name: name, value: value))
    }
}
