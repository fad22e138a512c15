import Platform

/// The members of a JSON object, in the order they were written. No two members have the same name.
///
/// ```swift
/// var book = JSONObject()
/// book["title"] = .string("Emma")
/// book["pages"] = .integer(512)
/// for member in book.members { print(member.name, member.value.text()) }
/// print(JSONValue.object(book).text())
/// ```
public struct JSONObject: Sendable, Equatable {
    /// One member.
    public struct Member: Sendable, Equatable {
        /// The name, which may be any text.
        public var name: String
        /// The value.
        public var value: JSONValue

        /// Whether the name has the same bytes. Most names differ in length, which is known without reading them.
        func isNamed(_ other: String) -> Bool {
            name.utf8.count == other.utf8.count && ExactText(name) == ExactText(other)
        }
    }

    /// The members in order.
    public private(set) var members: [Member] = []

    /// Creates an empty object.
    public init() {}

    /// The value of a member. Setting a value keeps the member's position or appends the member; setting nil removes
    /// it.
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
        members.firstIndex { $0.isNamed(name) }
    }

    /// Replaces the value of the member at a position.
    mutating func replace(at position: Int, _ value: JSONValue) { members[position].value = value }

    /// Appends a member. The caller must make sure that the name is new.
    mutating func append(_ name: String, _ value: JSONValue) {
        members.append(Member(name: name, value: value))
    }
}
