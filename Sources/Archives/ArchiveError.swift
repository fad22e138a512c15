@_exported import Diagnostics

/// Why an archive could not be opened or written, or an entry of it not read. `subject` is the path of the entry or archive.
public typealias ArchiveError = Failure<ArchiveErrorCode>

/// The kind of an `ArchiveError`. Later versions may add codes.
public struct ArchiveErrorCode: FailureCode {
    /// Lower case words joined by `_`; never renamed.
    public let rawValue: String

    /// A code by its text; any text is a code.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The bytes are not an archive.
    public static let notAnArchive = Self(rawValue: "not_an_archive")
    /// The archive contradicts itself, or was cut short so that its directory is missing.
    public static let malformed = Self(rawValue: "malformed")
    /// A method of compression or a feature that is not read, such as several disks.
    public static let unsupported = Self(rawValue: "unsupported")
    /// The entry is encrypted.
    public static let encrypted = Self(rawValue: "encrypted")
    /// The archive or entry exceeds a limit.
    public static let tooLarge = Self(rawValue: "too_large")
    /// The compressed bytes of an entry are damaged, or do not have the declared length or checksum.
    public static let corruptEntry = Self(rawValue: "corrupt_entry")
    /// The archive has no such entry.
    public static let notFound = Self(rawValue: "not_found")
    /// The source below could not be read; `underlying` tells why.
    public static let unreadable = Self(rawValue: "unreadable")
    /// The archive was closed.
    public static let closed = Self(rawValue: "closed")
}

extension Failure where Code == ArchiveErrorCode {
    /// The error of an archive whose source cannot be read.
    package init(_ error: ByteSourceError) { self.init(error.code == .closed ? .closed : .unreadable, error) }
}
