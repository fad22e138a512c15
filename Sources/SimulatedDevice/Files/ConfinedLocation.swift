import DeviceWire
import Glibc

/// A location below a `ConfinedRoot`: an open folder and one name in it. The named object need not exist.
///
/// System calls get the two together and never follow a link at the name. Nothing outside the root can be reached,
/// even while other programs change the tree.
struct ConfinedLocation: Sendable {
    /// The folder that contains the name.
    let folder: FolderDescriptor
    /// One path component, or `.` for the root itself.
    let name: String
    /// Whether the location must not be created, removed, renamed or replaced. True for the root, the top of its
    /// subtree, everything above it, and the levels that a caller fixes.
    let isFixed: Bool

    /// The status of the object; throws `objectNotFound` if there is none.
    func status() throws(AFCFailure) -> stat {
        var information = stat()
        try AFCFailure.check { fstatat(folder.number, name, &information, AT_SYMLINK_NOFOLLOW) }
        return information
    }

    /// The status of the object; nil if there is none.
    func statusIfPresent() throws(AFCFailure) -> stat? {
        do {
            return try status()
        } catch {
            if error.status == .objectNotFound { return nil }
            throw error
        }
    }

    /// Opens the file or folder with the flags of open(2). A link at the name is refused.
    func open(_ flags: Int32) throws(AFCFailure) -> Int32 {
        try AFCFailure.check {
            openat(folder.number, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o644)
        }
    }

    /// The target of the symbolic link; nil if there is no object or it is not a link.
    func linkTarget() throws(AFCFailure) -> [UInt8]? {
        var length = 0
        var failure: Int32 = 0
        let target = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            buffer.withMemoryRebound(to: CChar.self) { characters in
                guard let start = characters.baseAddress else { return }
                length = readlinkat(folder.number, name, start, characters.count)
            }
            failure = errno
            count = max(0, length)
        }
        if length >= 0 { return target }
        if failure == EINVAL || failure == ENOENT { return nil }
        throw AFCFailure(errno: failure)
    }
}

extension stat {
    /// Whether it is a folder.
    var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
    /// Whether it is a regular file.
    var isFile: Bool { st_mode & S_IFMT == S_IFREG }
    /// Whether it is a symbolic link.
    var isLink: Bool { st_mode & S_IFMT == S_IFLNK }
    /// Whether both describe the same object, possibly under two names.
    func isSame(as other: stat) -> Bool { st_dev == other.st_dev && st_ino == other.st_ino }
    /// The time of the last change of the content, in nanoseconds since 1970.
    var modified: Int64 { Self.nanoseconds(st_mtim) }
    /// The earliest known time, in nanoseconds since 1970. It replaces the creation time, which stat(2) does not
    /// report on Linux.
    var born: Int64 { min(Self.nanoseconds(st_mtim), Self.nanoseconds(st_ctim)) }
    /// The kind of object.
    var kind: AFCFileInfo.Kind {
        switch st_mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .folder
        case S_IFLNK: .symbolicLink
        case S_IFSOCK: .other("S_IFSOCK")
        case S_IFCHR: .other("S_IFCHR")
        case S_IFBLK: .other("S_IFBLK")
        default: .other("S_IFIFO")
        }
    }
    /// The number of bytes that become free when this name is removed.
    var bytesFreed: UInt64 { isFile && st_nlink == 1 ? UInt64(clamping: st_size) : 0 }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        let (seconds, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return time.tv_sec < 0 ? .min : .max }
        let (sum, tooMuch) = seconds.addingReportingOverflow(Int64(time.tv_nsec))
        return tooMuch ? .max : sum
    }
}
