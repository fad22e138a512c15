import Glibc
import Platform

/// An entry of a granted folder, as the file system reports it.
struct GrantedFile: Equatable {
    /// What it is.
    enum Kind {
        case regular
        case folder
        case link
        case other
    }

    /// Name without folders.
    var name: String
    /// What it is.
    var kind: Kind
    /// Bytes.
    var size: UInt64
    /// Nanoseconds since 1970-01-01 00:00 UTC.
    var modified: Int64
    /// Nanoseconds since 1970, of the last change of anything about the file.
    private var changed: Int64
    private var inode: UInt64
    private var device: UInt64
    /// Its permissions.
    let mode: mode_t

    /// What a status says.
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

    /// Changes whenever the file does; nil unless it is a regular file.
    var stamp: String? {
        guard kind == .regular else { return nil }
        let numbers = [size, UInt64(bitPattern: modified), UInt64(bitPattern: changed), inode]
        return numbers.map { String($0, radix: 16) }.joined(separator: "-")
    }

    /// Seconds since the last change of its content.
    var age: Int64 { Int64(time(nil)) - modified / 1_000_000_000 }

    /// Whether this is the same content as `other`. Another name changes the stamp, but not the content.
    func hasContent(of other: GrantedFile) -> Bool {
        (kind, size, modified, inode, device)
            == (other.kind, other.size, other.modified, other.inode, other.device)
    }
}
