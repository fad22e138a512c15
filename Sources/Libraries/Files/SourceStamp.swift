import Glibc

/// What tells without reading a file whether it is as it was: size, time of the last change in nanoseconds, inode.
package struct SourceStamp: Hashable, Sendable {
    /// Bytes.
    package let size: UInt64
    /// Nanoseconds since 1970-01-01 00:00 UTC.
    package let modified: Int64
    /// The number of the file on its file system.
    package let inode: UInt64

    package init(_ status: stat) {
        size = UInt64(clamping: status.st_size)
        modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
        inode = UInt64(status.st_ino)
    }

    /// The stamp of a regular file, which must not be a link; nil, with errno, if there is none. Does not open the file.
    package init?(path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        guard status.st_mode & S_IFMT == S_IFREG else {
            errno = EINVAL
            return nil
        }
        self.init(status)
    }

    /// The stamp on one line.
    package var text: String { "\(size) \(modified) \(inode)" }
}
