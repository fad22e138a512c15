/// The modes in which FILE_OPEN opens a file.
package enum AFCOpenMode: UInt64, CaseIterable, Sendable {
    /// Read an existing file.
    case read = 1
    /// Read and write; creates a missing file, keeps the content of an existing one.
    case readWrite = 2
    /// Write; creates a missing file, truncates an existing one.
    case write = 3
    /// Read and write; creates a missing file, truncates an existing one.
    case readWriteTruncate = 4
    /// Write at the end; creates a missing file.
    case append = 5
    /// Read anywhere, write at the end; creates a missing file.
    case readAppend = 6

    /// Whether the handle can be used to read.
    package var canRead: Bool { self != .write && self != .append }
    /// Whether the handle can be used to write.
    package var canWrite: Bool { self != .read }
    /// Whether opening creates a missing file.
    package var creates: Bool { self != .read }
    /// Whether opening truncates an existing file.
    package var truncates: Bool { self == .write || self == .readWriteTruncate }
    /// Whether every write goes to the end of the file.
    package var appends: Bool { self == .append || self == .readAppend }
}

/// The position from which the offset of FILE_SEEK is counted.
package enum AFCSeekOrigin: UInt64, CaseIterable, Sendable {
    /// The beginning of the file.
    case start = 0
    /// The current position of the handle.
    case current = 1
    /// The end of the file.
    case end = 2
}

/// The operations of FILE_LOCK. They are the values of flock(2) on the device, with LOCK_NB added to avoid waiting.
package enum AFCLockOperation: UInt64, CaseIterable, Sendable {
    /// Acquire a lock that other readers can share.
    case shared = 5
    /// Acquire an exclusive lock.
    case exclusive = 6
    /// Release a lock.
    case unlock = 12
}

/// The kinds of link that MAKE_LINK creates.
package enum AFCLinkKind: UInt64, CaseIterable, Sendable {
    /// A second name for the same file.
    case hard = 1
    /// A link that contains the path of its target.
    case symbolic = 2
}
