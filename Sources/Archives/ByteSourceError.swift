@_exported import Diagnostics
import Glibc
import Platform

/// Why bytes could not be read. `subject` is the path or address.
public typealias ByteSourceError = Failure<ByteSourceErrorCode>

/// The kind of a `ByteSourceError`. Later versions may add codes.
public struct ByteSourceErrorCode: FailureCode {
    /// Lower case words joined by `_`; never renamed.
    public let rawValue: String

    /// A code by its text; any text is a code.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The file does not exist, or is not a regular file (a folder, a pipe, a device).
    public static let notFound = Self(rawValue: "not_found")
    /// Reading is not permitted.
    public static let forbidden = Self(rawValue: "forbidden")
    /// The source cannot be reached at present.
    public static let unavailable = Self(rawValue: "unavailable")
    /// The source was closed.
    public static let closed = Self(rawValue: "closed")
    /// The caller asked to stop.
    public static let cancelled = Self(rawValue: "cancelled")
    /// Anything else.
    public static let other = Self(rawValue: "other")
}

extension Failure where Code == ByteSourceErrorCode {
    /// The error of a failed system call, by the table of the fetcher proposal's errors.
    package init(errno number: Int32, subject: String?) {
        let code: Code =
            switch number {
            case ENOENT, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG: .notFound
            case EACCES, EPERM: .forbidden
            case EIO, ESTALE, EMFILE, ENFILE, ENOMEM, ETIMEDOUT, EHOSTDOWN, ENXIO, ENODEV: .unavailable
            default: .other
            }
        self.init(code, systemText(number) + ".", subject: subject, native: .posix(number))
    }

    /// The error of a source that was closed.
    package static func closed(_ subject: String?) -> ByteSourceError {
        ByteSourceError(.closed, "The source was closed.", subject: subject)
    }
}
