import Glibc
import Platform

/// Values that show, without reading a file, whether it changed: size, modification time in nanoseconds, inode.
package struct SourceStamp: Hashable, Sendable {
    /// The size in bytes.
    package let size: UInt64
    /// The modification time in nanoseconds since 1970-01-01 00:00 UTC.
    package let modified: Int64
    /// The inode number.
    package let inode: UInt64

    package init(_ status: stat) {
        size = UInt64(clamping: status.st_size)
        modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
        inode = UInt64(status.st_ino)
    }

    /// Creates the stamp of a regular file without opening it; nil, with errno set, if the path is not a regular
    /// file. Links are not followed.
    package init?(path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        guard status.st_mode & S_IFMT == S_IFREG else {
            errno = EINVAL
            return nil
        }
        self.init(status)
    }

    /// The stamp as one line.
    package var text: String { String(exactly: "\(size)", " ", "\(modified)", " ", "\(inode)") }
}
