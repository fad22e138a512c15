/// Why the store could not keep or find something. Reads never fail because of it; prefetching and pinning tell it.
public struct CacheError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code as a word.
        public let rawValue: String
        /// A code, also one that is not among those below.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A file or folder could not be written or read.
        public static let inputOutput = Code(rawValue: "input-output")
        /// Nothing can be removed to make room.
        public static let full = Code(rawValue: "full")
        /// The content is larger than one may be.
        public static let tooLarge = Code(rawValue: "too-large")
        /// Policy or server forbid to keep it.
        public static let notStorable = Code(rawValue: "not-storable")
        /// The entry was replaced or removed by another reader or process.
        public static let superseded = Code(rawValue: "superseded")
        /// Something else is where the store keeps its files.
        public static let notOurs = Code(rawValue: "not-ours")
    }

    /// What kind of failure it is.
    public var code: Code
    /// One clause for a person.
    public var message: String
    /// The file, folder or HREF.
    public var subject: String
    /// What helps, if something does.
    public var hint: String?
    /// The number of the system's error, 0 when there is none.
    public var errno: Int32

    init(_ code: Code, _ message: String, subject: String, hint: String? = nil, errno: Int32 = 0) {
        self.code = code
        self.message = message
        self.subject = subject
        self.hint = hint
        self.errno = errno
    }

    /// `subject: message`.
    public var description: String { "\(subject): \(message)" }
}
