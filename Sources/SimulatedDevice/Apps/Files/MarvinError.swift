/// A failure of the simulated Marvin itself, such as a database that cannot be opened.
public struct MarvinError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name, in words joined by dashes.
        public let rawValue: String

        /// A kind of failure by its name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The file is no EPUB, or a damaged one.
        public static let invalidBook = Code(rawValue: "invalid-book")
        /// SQLite refused something.
        public static let database = Code(rawValue: "database")
        /// The operating system refused something.
        public static let system = Code(rawValue: "system")
    }

    /// The kind of failure.
    public let code: Code
    /// One sentence for a person.
    public let message: String
    /// The file or statement the failure is about.
    public let subject: String
    /// The number SQLite, libzip or the operating system gave, or nil.
    public let nativeCode: Int32?

    /// Makes an error of the parts.
    public init(_ code: Code, _ message: String, subject: String, nativeCode: Int32? = nil) {
        self.code = code
        self.message = message
        self.subject = subject
        self.nativeCode = nativeCode
    }

    /// The subject and the message.
    public var description: String { "\(subject): \(message)" }
}
