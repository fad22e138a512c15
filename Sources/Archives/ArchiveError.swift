@_exported import Diagnostics

/// The reason why an archive could not be opened or written, or an entry of it not read. `subject` is the path of the
/// entry or archive.
///
/// ```swift
/// do {
///     let archive = try ZipArchive.open(path: "/books/emma.epub")
///     print(archive.entries.count)
///     archive.close()
/// } catch {
///     print(error.subject ?? "", error.message)
///     if error.code == .notAnArchive { print("The book is in another format.") }
/// }
/// ```
public typealias ArchiveError = Failure<ArchiveErrorCode>

/// The kind of an `ArchiveError`. Later versions may add codes.
///
/// ```swift
/// func isDamaged(_ error: ArchiveError) -> Bool {
///     let damage: Set<ArchiveErrorCode> = [.malformed, .corruptEntry]
///     return damage.contains(error.code)
/// }
/// ```
public struct ArchiveErrorCode: FailureCode {
    /// The text of the code: lower case words joined by `_`. Codes are never renamed.
    public let rawValue: String

    /// Creates a code from its text; any text is valid.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The bytes are not an archive.
    public static let notAnArchive = Self(rawValue: "not_an_archive")
    /// The archive is inconsistent, or was cut short so that its directory is missing.
    public static let malformed = Self(rawValue: "malformed")
    /// The archive uses a compression method or a feature that is not supported, such as several disks.
    public static let unsupported = Self(rawValue: "unsupported")
    /// The entry is encrypted.
    public static let encrypted = Self(rawValue: "encrypted")
    /// The archive or entry exceeds a limit.
    public static let tooLarge = Self(rawValue: "too_large")
    /// The compressed bytes of an entry are damaged, or do not have the declared length or checksum.
    public static let corruptEntry = Self(rawValue: "corrupt_entry")
    /// The archive has no such entry.
    public static let notFound = Self(rawValue: "not_found")
    /// The underlying source could not be read; `underlying` has the reason.
    public static let unreadable = Self(rawValue: "unreadable")
    /// The archive was closed.
    public static let closed = Self(rawValue: "closed")
}

extension Failure where Code == ArchiveErrorCode {
    /// Converts the error of a source that cannot be read.
    package init(_ error: ByteSourceError) { self.init(error.code == .closed ? .closed : .unreadable, error) }
}
