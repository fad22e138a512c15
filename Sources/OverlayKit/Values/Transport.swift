import OverlayABI

/// A root on the device: `OVL_ROOT_…`. Paths are absolute in each root, such as `/Documents/x`. An open set.
///
/// ```swift
/// let container = try host.transport.roots().first { $0.root == .container }
/// let root: Root = container?.granted == true ? .container : .documents
/// let files = try host.transport.list(root, "/Documents")
/// ```
public struct Root: RawRepresentable, Hashable, Sendable {
    /// The number in the C contract.
    public var rawValue: UInt32

    /// Creates a root from its number in the C contract.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The reader app's complete container.
    public static let container = Root(rawValue: OVL_ROOT_CONTAINER)
    /// The part of the container that the reader app shares.
    public static let documents = Root(rawValue: OVL_ROOT_DOCUMENTS)
    /// The media folder of the device.
    public static let media = Root(rawValue: OVL_ROOT_MEDIA)
}

/// A root and the access to it. The Swift form of `ovl_root`.
///
/// ```swift
/// for access in try host.transport.roots() where !access.granted {
///     host.log.warning("device", access.reason ?? "A root is refused.", ["hint": access.hint ?? ""])
/// }
/// ```
public struct RootAccess: Hashable, Sendable {
    /// The root.
    public var root: Root
    /// Whether iOS grants access to its files.
    public var granted: Bool
    /// The reason for a refusal.
    public var reason: String?
    /// What the user can do.
    public var hint: String?

    /// Creates the description of a root.
    public init(root: Root, granted: Bool, reason: String? = nil, hint: String? = nil) {
        self.root = root
        self.granted = granted
        self.reason = reason
        self.hint = hint
    }
}

/// The type of a file: `OVL_FILE_…`. An open set.
///
/// ```swift
/// for file in try host.transport.list(.documents, "/Documents", withInfo: true) {
///     switch file.kind {
///     case .regular: host.log.debug("books", "A book: \(file.name)")
///     case .folder: host.log.debug("books", "A shelf: \(file.name)")
///     default: continue
///     }
/// }
/// ```
public struct FileKind: RawRepresentable, Hashable, Sendable {
    /// The number in the C contract.
    public var rawValue: UInt32

    /// Creates a type from its number in the C contract.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Unknown, because the listing contains only names.
    public static let unknown = FileKind(rawValue: 0)
    /// A regular file.
    public static let regular = FileKind(rawValue: OVL_FILE_REGULAR)
    /// A folder.
    public static let folder = FileKind(rawValue: OVL_FILE_FOLDER)
    /// A symbolic link.
    public static let link = FileKind(rawValue: OVL_FILE_LINK)
    /// Another type.
    public static let other = FileKind(rawValue: OVL_FILE_OTHER)
}

/// The device's information about a file. The Swift form of `ovl_file_info`.
///
/// ```swift
/// let files = try host.transport.list(.documents, "/Documents", withInfo: true)
/// let books = files.filter { $0.name.hasSuffix(".epub") }
/// let size = books.map(\.size).reduce(0, +)
/// ```
public struct FileInfo: Hashable, Sendable {
    /// The name without folders.
    public var name: String
    /// The type.
    public var kind: FileKind
    /// The size in bytes.
    public var size: UInt64
    /// The modification time of the content, in nanoseconds since 1970-01-01 00:00 UTC.
    public var modified: Int64
    /// The creation time, in nanoseconds since 1970-01-01 00:00 UTC.
    public var created: Int64

    /// Creates the information about a file.
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

/// The space on the device, in bytes.
///
/// ```swift
/// let space = try host.transport.freeSpace()
/// guard space.free > 100 << 20 else {
///     throw OverlayError(.noSpace, "The device has less than 100 MiB of free space.")
/// }
/// ```
public struct FreeSpace: Hashable, Sendable {
    /// The free space.
    public var free: UInt64
    /// The total space.
    public var total: UInt64

    /// Creates the free and total space.
    public init(free: UInt64, total: UInt64) {
        self.free = free
        self.total = total
    }
}

/// A read of a range in a batch. The Swift form of `ovl_read_request`.
///
/// ```swift
/// let head = ReadRequest("/Documents/Emma.epub", length: 4096)
/// ```
public struct ReadRequest: Hashable, Sendable {
    /// The largest number of bytes for one request.
    public static let limit: UInt64 = UInt64(OVL_READ_LIMIT)

    /// The path on the device.
    public var path: String
    /// The position of the first byte.
    public var offset: UInt64
    /// The largest number of bytes, up to `limit`. Fewer arrive at the end of the file.
    public var length: UInt64
    /// Whether to ask the device only once. This saves a request for a small file whose content shows whether it is
    /// complete, but fewer bytes may arrive even before the end of the file.
    public var once: Bool
    /// Whether the range ends at the end of the file, and the method will request the file's metadata next. The host
    /// then also reads the parts for the metadata while the file is open.
    public var precedesMetadata: Bool

    /// Creates a request for a range of a file; without `length`, up to the limit of one request.
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

/// A file of the host to copy to the device. The Swift form of `ovl_push_item`.
///
/// ```swift
/// func isSent(_ item: UploadItem, _ host: HostServices) throws(OverlayError) -> Bool {
///     let file = PushItem(item.file, to: "/Documents/Emma.epub")
///     let results = try host.transport.push(.documents, [file], verifyDigest: true)
///     return results.allSatisfy { $0.status == .ok }
/// }
/// ```
public struct PushItem: Hashable, Sendable {
    /// The lent file.
    public var file: HostFile
    /// The final path on the device.
    public var path: String

    /// Creates an item from a file and its final path.
    public init(_ file: HostFile, to path: String) {
        self.file = file
        self.path = path
    }
}
