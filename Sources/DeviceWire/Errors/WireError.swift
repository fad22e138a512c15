import PropertyLists

/// Bytes from the other side of a connection that do not follow the protocol.
public struct WireError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of damage.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name of the kind.
        public let rawValue: String
        /// A kind of the given name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A length field that is smaller than its own header or larger than the limit.
        public static let badLength = Code(rawValue: "bad-length")
        /// A property list that cannot be parsed, or holds what this protocol never sends.
        public static let badPropertyList = Code(rawValue: "bad-property-list")
    }

    /// What kind of damage it is.
    public var code: Code
    /// One sentence for a person.
    public var message: String

    /// An error of the given kind.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Why a property list within a message cannot be read or written.
    package init(_ error: PropertyListError) { self.init(.badPropertyList, error.message) }

    /// One line for a log.
    public var description: String { message }
}
