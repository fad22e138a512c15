/// What a device knows about one file or folder.
public struct FileStatus: Sendable, Hashable {
    /// The kind of a file or folder.
    public enum Kind: String, Sendable, Hashable {
        /// A regular file.
        case file
        /// A folder.
        case folder
        /// A symbolic link; the information is about the link itself.
        case link
        /// Anything else, e.g. a socket.
        case other
    }

    /// What it is.
    public var kind: Kind
    /// Size in bytes; folders have one too.
    public var size: UInt64
    /// When the content last changed, in nanoseconds since 1970; nil when the device did not say.
    public var modified: Int64?
    /// When it was made, in nanoseconds since 1970; nil when the device did not say.
    public var created: Int64?
    /// Where a symbolic link leads.
    public var linkTarget: String?

    /// Makes a status.
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
    /// The name, without the folder.
    public var name: String
    /// What it is.
    public var status: FileStatus

    /// Makes an entry.
    public init(name: String, status: FileStatus) {
        self.name = name
        self.status = status
    }
}

/// How full a device is.
public struct StorageSpace: Sendable, Hashable {
    /// Bytes in all.
    public var total: UInt64
    /// Bytes free.
    public var free: UInt64
    /// The size of a block in bytes; nil when the device did not say.
    public var blockSize: UInt64?

    /// Makes a record of the space.
    public init(total: UInt64, free: UInt64, blockSize: UInt64?) {
        self.total = total
        self.free = free
        self.blockSize = blockSize
    }
}

/// The beginning and the end of a file, and what the device says about it.
public struct FileEnds: Sendable, Hashable {
    /// What the device says about the file.
    public var status: FileStatus
    /// The first bytes; fewer than asked for only where the file ends.
    public var head: [UInt8]
    /// The last bytes, without those that are part of `head`.
    public var tail: [UInt8]

    /// The ends of a file.
    public init(status: FileStatus, head: [UInt8], tail: [UInt8]) {
        self.status = status
        self.head = head
        self.tail = tail
    }
}
