/// Why the store could not keep or find something. Reads never fail because of it; prefetching and pinning tell it.
public struct CacheError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// Lower case words joined by `_`; never renamed.
        public let rawValue: String
        /// A code by its text; any text is a code.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The text of the code.
        public var description: String { rawValue }

        /// A file or folder could not be written or read.
        public static let inputOutput = Code(rawValue: "input_output")
        /// Nothing can be removed to make room.
        public static let full = Code(rawValue: "full")
        /// The content is larger than one may be.
        public static let tooLarge = Code(rawValue: "too_large")
        /// Policy or server forbid to keep it.
        public static let notStorable = Code(rawValue: "not_storable")
        /// The entry was replaced or removed by another reader or process.
        public static let superseded = Code(rawValue: "superseded")
        /// Something else is where the store keeps its files.
        public static let notOurs = Code(rawValue: "not_ours")
    }

    /// What kind of failure it is.
    public var code: Code
    /// One clause for a person.
    public var message: String
    /// The file, folder or HREF.
    public var subject: String?
    /// What helps, if something does.
    public var hint: String?
    /// What lay under it.
    public var underlying: (any Error)?
    /// The number of the system's error, 0 when there is none.
    public var errno: Int32

    /// A failure to do with `subject`.
    public init(
        _ code: Code, _ message: String, subject: String? = nil, hint: String? = nil,
        underlying: (any Error)? = nil, errno: Int32 = 0
    ) {
        self.code = code
        self.message = message
        self.subject = subject
        self.hint = hint
        self.underlying = underlying
        self.errno = errno
    }

    /// `subject: message. hint`, on one line.
    public var description: String {
        let text = subject.map { "\($0): \(message)" } ?? message
        return hint.map { "\(text). \($0)" } ?? text
    }
}
