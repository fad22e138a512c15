import Glibc
import Platform

/// Why bytes could not be read.
public struct ByteSourceError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure. Others may come.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// Lower case words joined by `_`; never renamed.
        public let rawValue: String
        /// A code by its text; any text is a code.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The text of the code.
        public var description: String { rawValue }
        /// There is no such file, or it is none (a folder, a pipe, a device).
        public static let notFound = Code(rawValue: "not_found")
        /// Reading is not permitted.
        public static let forbidden = Code(rawValue: "forbidden")
        /// The source cannot be reached at present.
        public static let unavailable = Code(rawValue: "unavailable")
        /// The source was closed.
        public static let closed = Code(rawValue: "closed")
        /// Somebody asked to stop.
        public static let cancelled = Code(rawValue: "cancelled")
        /// Anything else.
        public static let other = Code(rawValue: "other")
    }

    /// The kind of failure.
    public var code: Code
    /// What happened, as a sentence without a full stop.
    public var message: String
    /// The path or address it happened to.
    public var subject: String?
    /// What somebody could do about it.
    public var hint: String?
    /// The error below this one.
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

    /// The error for a failed system call, by the table of the fetcher proposal's errors.
    package init(errno number: Int32, subject: String?) {
        let code: Code
        switch number {
        case ENOENT, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG: code = .notFound
        case EACCES, EPERM: code = .forbidden
        case EIO, ESTALE, EMFILE, ENFILE, ENOMEM, ETIMEDOUT, EHOSTDOWN, ENXIO, ENODEV: code = .unavailable
        default: code = .other
        }
        self.init(code, systemText(number), subject: subject)
    }

    /// The error of a source that was closed.
    package static func closed(_ subject: String?) -> ByteSourceError {
        ByteSourceError(.closed, "the source was closed", subject: subject)
    }

    /// `subject: message. hint`, on one line.
    public var description: String {
        let text = subject.map { "\($0): \(message)" } ?? message
        return hint.map { "\(text). \($0)" } ?? text
    }
}
