import OverlayABI

/// What kind of thing a path is: `OVL_FILE_…`. An open set.
public struct FileKind: RawRepresentable, Hashable, Sendable {
    /// The number in the C contract.
    public var rawValue: UInt32

    /// A kind by its number in the C contract.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Not asked for: the listing was one of names only.
    public static let unknown = FileKind(rawValue: 0)
    /// A file.
    public static let regular = FileKind(rawValue: OVL_FILE_REGULAR)
    /// A folder.
    public static let folder = FileKind(rawValue: OVL_FILE_FOLDER)
    /// A symbolic link.
    public static let link = FileKind(rawValue: OVL_FILE_LINK)
    /// Something else.
    public static let other = FileKind(rawValue: OVL_FILE_OTHER)
}

/// What the device says about a file; the Swift form of `ovl_file_info`.
public struct FileInfo: Hashable, Sendable {
    /// Name without folders.
    public var name: String
    /// What it is.
    public var kind: FileKind
    /// Bytes.
    public var size: UInt64
    /// When the content changed, in nanoseconds since 1970-01-01 00:00 UTC.
    public var modified: Int64
    /// When it was made, in nanoseconds since 1970-01-01 00:00 UTC.
    public var created: Int64

    /// Facts about a file.
    public init(
        name: String, kind: FileKind = .unknown, size: UInt64 = 0, modified: Int64 = 0, created: Int64 = 0
    ) {
        self.name = name
        self.kind = kind
        self.size = size
        self.modified = modified
        self.created = created
    }
}

/// Space on the device, in bytes.
public struct FreeSpace: Hashable, Sendable {
    /// Bytes that can still be written.
    public var free: UInt64
    /// Bytes in all.
    public var total: UInt64

    /// Free and total bytes.
    public init(free: UInt64, total: UInt64) {
        self.free = free
        self.total = total
    }
}
