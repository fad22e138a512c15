/// How FILE_OPEN opens a file.
package enum AFCOpenMode: UInt64, CaseIterable, Sendable {
    /// Read an existing file.
    case read = 1
    /// Read and write; makes a missing file, keeps the content of an existing one.
    case readWrite = 2
    /// Write; makes a missing file, empties an existing one.
    case write = 3
    /// Read and write; makes a missing file, empties an existing one.
    case readWriteTruncate = 4
    /// Write at the end; makes a missing file.
    case append = 5
    /// Read anywhere, write at the end; makes a missing file.
    case readAppend = 6

    /// True when the handle may read.
    package var canRead: Bool { self != .write && self != .append }
    /// True when the handle may write.
    package var canWrite: Bool { self != .read }
    /// True when opening makes a missing file.
    package var creates: Bool { self != .read }
    /// True when opening empties an existing file.
    package var truncates: Bool { self == .write || self == .readWriteTruncate }
    /// True when every write goes to the end of the file.
    package var appends: Bool { self == .append || self == .readAppend }
}

/// What the offset of FILE_SEEK counts from.
package enum AFCSeekOrigin: UInt64, CaseIterable, Sendable {
    /// The beginning of the file.
    case start = 0
    /// The handle's position.
    case current = 1
    /// The end of the file.
    case end = 2
}

/// What FILE_LOCK does: the values of flock(2) on the device, each with "do not wait" added where it can wait.
package enum AFCLockOperation: UInt64, CaseIterable, Sendable {
    /// Share the file with other readers.
    case shared = 5
    /// Have the file alone.
    case exclusive = 6
    /// Give a lock back.
    case unlock = 12
}

/// What MAKE_LINK makes.
package enum AFCLinkKind: UInt64, CaseIterable, Sendable {
    /// A second name of the same file.
    case hard = 1
    /// A file that holds the path of another.
    case symbolic = 2
}
