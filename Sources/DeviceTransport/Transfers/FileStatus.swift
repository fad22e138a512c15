/// The status of one file or folder on a device.
public struct FileStatus: Sendable, Hashable {
    /// The kind of a file or folder.
    public enum Kind: String, Sendable, Hashable {
        /// A regular file.
        case file
        /// A folder.
        case folder
        /// A symbolic link. The status is that of the link itself.
        case link
        /// Any other object, such as a socket.
        case other
    }

    /// The kind of the file.
    public var kind: Kind
    /// The size in bytes. Folders have one too.
    public var size: UInt64
    /// The time when the content last changed, in nanoseconds since 1970; nil if the device did not report it.
    public var modified: Int64?
    /// The time of creation, in nanoseconds since 1970; nil if the device did not report it.
    public var created: Int64?
    /// The target of a symbolic link.
    public var linkTarget: String?

    /// Creates a status.
    public init(
        kind: Kind, size: UInt64, modified: Int64? = nil, created: Int64? = nil, linkTarget: String? = nil
    ) {
        self.kind = kind
        self.size = size
        self.modified = modified
        self.created = created
        self.linkTarget = linkTarget
    }
}

/// One entry of a folder.
public struct FolderEntry: Sendable, Hashable {
    /// The name of the entry, without the folder.
    public var name: String
    /// The status of the entry.
    public var status: FileStatus

    /// Creates an entry.
    public init(name: String, status: FileStatus) {
        self.name = name
        self.status = status
    }
}

/// The storage space of a device.
public struct StorageSpace: Sendable, Hashable {
    /// The total size in bytes.
    public var total: UInt64
    /// The free space in bytes.
    public var free: UInt64
    /// The size of a block in bytes; nil if the device did not report it.
    public var blockSize: UInt64?

    /// Creates a record of the space.
    public init(total: UInt64, free: UInt64, blockSize: UInt64?) {
        self.total = total
        self.free = free
        self.blockSize = blockSize
    }
}

/// The beginning, the end and the status of a file.
public struct FileEnds: Sendable, Hashable {
    /// The status of the file on the device.
    public var status: FileStatus
    /// The first bytes; fewer than requested only at the end of the file.
    public var head: [UInt8]
    /// The last bytes, without those that are part of `head`.
    public var tail: [UInt8]

    /// Creates the ends of a file.
    public init(status: FileStatus, head: [UInt8], tail: [UInt8]) {
        self.status = status
        self.head = head
        self.tail = tail
    }
}
