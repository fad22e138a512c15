@_exported import Diagnostics
import Glibc
import Platform

/// The reason why bytes could not be read. `subject` is the path or address.
///
/// ```swift
/// do {
///     let book = try FileByteSource(path: "/books/emma.epub")
///     print(try book.read(at: 0, count: 4))
///     book.close()
/// } catch {
///     guard error.code == .notFound else { throw error }
///     print("The book does not exist.")
/// }
/// ```
public typealias ByteSourceError = Failure<ByteSourceErrorCode>

/// The kind of a `ByteSourceError`. Later versions may add codes.
///
/// ```swift
/// func advice(_ code: ByteSourceErrorCode) -> String {
///     switch code {
///     case .notFound: "Choose another book."
///     case .forbidden: "Ask for permission to read the book."
///     case .unavailable: "Try again later."
///     default: "The book cannot be read."
///     }
/// }
/// ```
public struct ByteSourceErrorCode: FailureCode {
    /// The text of the code: lower case words joined by `_`. Codes are never renamed.
    public let rawValue: String

    /// Creates a code from its text; any text is valid.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The file does not exist, or is not a regular file (a folder, a pipe, a device).
    public static let notFound = Self(rawValue: "not_found")
    /// Permission to read was denied.
    public static let forbidden = Self(rawValue: "forbidden")
    /// The source cannot be reached at the moment.
    public static let unavailable = Self(rawValue: "unavailable")
    /// The source was closed.
    public static let closed = Self(rawValue: "closed")
    /// The caller cancelled the operation.
    public static let cancelled = Self(rawValue: "cancelled")
    /// Any other error.
    public static let other = Self(rawValue: "other")
}

extension Failure where Code == ByteSourceErrorCode {
    /// Converts the errno of a failed system call, by the table in the fetcher proposal's section on errors.
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

    /// The error for reads of a closed source.
    package static func closed(_ subject: String?) -> ByteSourceError {
        ByteSourceError(.closed, "The source was closed.", subject: subject)
    }
}
