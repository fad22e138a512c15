/// Why an archive could not be opened, or an entry of it not read.
public struct ArchiveError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure. Others may come.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// Lower case words joined by `_`; never renamed.
        public let rawValue: String
        /// A code by its text; any text is a code.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The text of the code.
        public var description: String { rawValue }
        /// The bytes are no archive at all.
        public static let notAnArchive = Code(rawValue: "not_an_archive")
        /// The archive contradicts itself, or was cut short so that its directory is missing.
        public static let malformed = Code(rawValue: "malformed")
        /// A method of compression or a feature that is not read, such as several disks.
        public static let unsupported = Code(rawValue: "unsupported")
        /// The entry is encrypted.
        public static let encrypted = Code(rawValue: "encrypted")
        /// The archive or entry exceeds a limit.
        public static let tooLarge = Code(rawValue: "too_large")
        /// The compressed bytes of an entry are damaged, or do not have the declared length or checksum.
        public static let corruptEntry = Code(rawValue: "corrupt_entry")
        /// There is no such entry.
        public static let notFound = Code(rawValue: "not_found")
        /// The source below could not be read; `underlying` tells why.
        public static let unreadable = Code(rawValue: "unreadable")
        /// The archive was closed.
        public static let closed = Code(rawValue: "closed")
    }

    /// The kind of failure.
    public var code: Code
    /// What happened, as a sentence without a full stop.
    public var message: String
    /// The path of the entry or archive it happened to.
    public var subject: String?
    /// What somebody could do about it.
    public var hint: String?
    /// The error below this one, for example a `ByteSourceError`.
    public var underlying: (any Error)?

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

    /// `subject: message. hint`, on one line.
    public var description: String {
        let text = subject.map { "\($0): \(message)" } ?? message
        return hint.map { "\(text). \($0)" } ?? text
    }
}
