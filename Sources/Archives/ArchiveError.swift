/// Why an archive could not be opened, or an entry of it not read.
public struct ArchiveError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure. Others may come.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The stable name of the kind.
        public let rawValue: String
        /// A kind by its name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The bytes are no archive at all.
        public static let notAnArchive = Code(rawValue: "not-an-archive")
        /// The archive contradicts itself or was cut short.
        public static let malformed = Code(rawValue: "malformed")
        /// A method of compression or a feature that is not read, such as several disks.
        public static let unsupported = Code(rawValue: "unsupported")
        /// The entry is encrypted.
        public static let encrypted = Code(rawValue: "encrypted")
        /// The archive or entry exceeds a limit.
        public static let tooLarge = Code(rawValue: "too-large")
        /// The compressed bytes of an entry are damaged, or do not have the declared length or checksum.
        public static let corruptEntry = Code(rawValue: "corrupt-entry")
        /// There is no such entry.
        public static let notFound = Code(rawValue: "not-found")
        /// The source below could not be read; `underlying` tells why.
        public static let unreadable = Code(rawValue: "unreadable")
        /// The archive was closed.
        public static let closed = Code(rawValue: "closed")
    }

    /// The kind of failure.
    public let code: Code
    /// What happened, as a sentence without a full stop.
    public let message: String
    /// The path of the entry or archive it happened to.
    public let subject: String?
    /// What somebody could do about it.
    public let hint: String?
    /// The error below this one, for example a `ByteSourceError`.
    public let underlying: (any Error)?

    /// An error of its parts.
    public init(
        _ code: Code, _ message: String, subject: String? = nil, hint: String? = nil,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.subject = subject
        self.hint = hint
        self.underlying = underlying
    }

    /// The error of an archive whose source cannot be read.
    package init(_ error: ByteSourceError) {
        self.init(
            error.code == .closed ? .closed : .unreadable, error.message, subject: error.subject,
            hint: error.hint,
            underlying: error)
    }

    /// The message, after the subject if there is one.
    public var description: String { subject.map { "\($0): \(message)" } ?? message }
}
