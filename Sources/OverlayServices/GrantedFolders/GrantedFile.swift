import Glibc
import Platform

/// An entry of a granted folder, as the file system reports it.
struct GrantedFile: Equatable {
    /// The type of an entry.
    enum Kind {
        case regular
        case folder
        case link
        case other
    }

    /// The name without folders.
    var name: String
    /// The type of the entry.
    var kind: Kind
    /// The size in bytes.
    var size: UInt64
    /// The modification time of the content, in nanoseconds since 1970-01-01 00:00 UTC.
    var modified: Int64
    /// The time of the last change of the file's content or attributes, in nanoseconds since 1970.
    private var changed: Int64
    private var inode: UInt64
    private var device: UInt64
    /// The permissions.
    let mode: mode_t

    /// Creates an entry from a file status.
    init(_ name: String, _ status: stat) {
        self.name = name
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .folder
            case S_IFLNK: .link
            default: .other
            }
        size = UInt64(clamping: status.st_size)
        modified = Self.nanoseconds(status.st_mtim)
        changed = Self.nanoseconds(status.st_ctim)
        inode = UInt64(status.st_ino)
        device = UInt64(status.st_dev)
        mode = status.st_mode & 0o7777
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// A text that changes whenever the file changes; nil unless this is a regular file.
    var stamp: String? {
        guard kind == .regular else { return nil }
        let numbers = [size, UInt64(bitPattern: modified), UInt64(bitPattern: changed), inode]
        return numbers.map { String($0, radix: 16) }.joined(separator: "-")
    }

    /// The time in seconds since the last change of the content.
    var age: Int64 { Int64(time(nil)) - modified / 1_000_000_000 }

    /// Whether this is the same content as `other`. Renaming a file changes its stamp, but not its content.
    func hasContent(of other: GrantedFile) -> Bool {
        (kind, size, modified, inode, device)
            == (other.kind, other.size, other.modified, other.inode, other.device)
    }
}
