import OverlayABI

/// A place on the device: `OVL_ROOT_…`. Paths are absolute in each, such as `/Documents/x`. An open set.
public struct Root: RawRepresentable, Hashable, Sendable {
    /// The number in the C contract.
    public var rawValue: UInt32

    /// A place by its number in the C contract.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The reader app's whole container.
    public static let container = Root(rawValue: OVL_ROOT_CONTAINER)
    /// The part of the container that the reader app shares.
    public static let documents = Root(rawValue: OVL_ROOT_DOCUMENTS)
    /// The media folder of the device.
    public static let media = Root(rawValue: OVL_ROOT_MEDIA)
}

/// One place and whether iOS grants it; the Swift form of `ovl_root`.
public struct RootAccess: Hashable, Sendable {
    /// The place.
    public var root: Root
    /// Whether files may be reached there.
    public var granted: Bool
    /// Why it is refused.
    public var reason: String?
    /// What helps.
    public var hint: String?

    /// A place and whether it is granted.
    public init(root: Root, granted: Bool, reason: String? = nil, hint: String? = nil) {
        self.root = root
        self.granted = granted
        self.reason = reason
        self.hint = hint
    }
}

/// What kind of thing a path is: `OVL_FILE_…`. An open set.
public struct FileKind: RawRepresentable, Hashable, Sendable {
    /// The number in the C contract.
    public var rawValue: UInt32

    /// A kind by its number in the C contract.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Not known: the listing had only names.
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

/// One ranged read of a batch; the Swift form of `ovl_read_request`.
///
///     let head = ReadRequest("/Documents/Emma.epub", length: 4096)
public struct ReadRequest: Hashable, Sendable {
    /// Most bytes one request may ask for.
    public static let limit: UInt64 = UInt64(OVL_READ_LIMIT)

    /// Path on the device.
    public var path: String
    /// First byte.
    public var offset: UInt64
    /// Bytes at most, up to `limit`. Fewer arrive at the end of the file.
    public var length: UInt64
    /// Whether the device is asked for bytes only once. That saves a request for a small file with content that shows whether
    /// it is complete: fewer bytes may arrive even before the end of the file.
    public var once: Bool
    /// Whether the range ends at the end of the file, and the method will ask for the file's metadata next. Then the
    /// host also reads what the metadata needs while the file is open.
    public var precedesMetadata: Bool

    /// A range of a file; without `length`, as much as one request may ask for.
    public init(
        _ path: String, offset: UInt64 = 0, length: UInt64 = ReadRequest.limit, once: Bool = false,
        precedesMetadata: Bool = false
    ) {
        self.once = once
        self.precedesMetadata = precedesMetadata
        self.path = path
        self.offset = offset
        self.length = length
    }
}

/// One file of the host to put onto the device; the Swift form of `ovl_push_item`.
public struct PushItem: Hashable, Sendable {
    /// The lent file.
    public var file: HostFile
    /// Final path on the device.
    public var path: String

    /// A file and where it goes.
    public init(_ file: HostFile, to path: String) {
        self.file = file
        self.path = path
    }
}
