import DeviceWire
import Glibc

/// A place below a `ConfinedRoot`: an open folder and one name in it, which need not exist.
///
/// System calls are given the two together and never follow a link at the name, so that nothing outside of the root can be reached,
/// even while other programs change the tree.
struct ConfinedLocation: Sendable {
    /// The folder the name is in.
    let folder: FolderDescriptor
    /// One path component, or `.` for the root itself.
    let name: String
    /// True for the root, the top of its subtree, everything above, and the levels that a caller names: these are never made,
    /// removed, renamed or replaced.
    let isFixed: Bool

    /// What stands there; throws `objectNotFound` when nothing does.
    func status() throws(AFCFailure) -> stat {
        var information = stat()
        try AFCFailure.check { fstatat(folder.number, name, &information, AT_SYMLINK_NOFOLLOW) }
        return information
    }

    /// The same, or nil when nothing stands there.
    func statusIfPresent() throws(AFCFailure) -> stat? {
        do {
            return try status()
        } catch {
            if error.status == .objectNotFound { return nil }
            throw error
        }
    }

    /// Opens the file or folder there; flags are those of open(2), a link at the name is refused.
    func open(_ flags: Int32) throws(AFCFailure) -> Int32 {
        try AFCFailure.check {
            openat(folder.number, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o644)
        }
    }

    /// The path written in the symbolic link there; nil when it is none, or nothing is there.
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
    /// True for a folder.
    var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
    /// True for a plain file.
    var isFile: Bool { st_mode & S_IFMT == S_IFREG }
    /// True for a symbolic link.
    var isLink: Bool { st_mode & S_IFMT == S_IFLNK }
    /// True for two names of one object.
    func isSame(as other: stat) -> Bool { st_dev == other.st_dev && st_ino == other.st_ino }
    /// Last change of the content, in nanoseconds since 1970.
    var modified: Int64 { Self.nanoseconds(st_mtim) }
    /// The earliest time known about it, in nanoseconds since 1970: Linux tells no time of birth here.
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
    /// Bytes that come free when this name goes.
    var bytesFreed: UInt64 { isFile && st_nlink == 1 ? UInt64(clamping: st_size) : 0 }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        let (seconds, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return time.tv_sec < 0 ? .min : .max }
        let (sum, tooMuch) = seconds.addingReportingOverflow(Int64(time.tv_nsec))
        return tooMuch ? .max : sum
    }
}
