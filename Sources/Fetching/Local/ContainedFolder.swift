import Archives
import CSystemShims
import FoundationEssentials
import Glibc
import Platform

/// A folder that paths and links cannot leave. Files are opened below it, and links are followed only if they stay
/// inside (fetcher reference section 8).
struct ContainedFolder: ~Copyable {
    private let descriptor: Int32
    private let path: String
    /// Linux's O_PATH: a descriptor for a location that does not open the file for reading.
    private static let placeOnly: Int32 = 0o10000000

    /// Opens a folder without reading it.
    init(path: String) throws(ByteSourceError) {
        guard !path.utf8.contains(0) else {
            throw ByteSourceError(.notFound, "The path contains a NUL.", subject: path)
        }
        let opened = Glibc.open(path, Self.placeOnly | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { throw ByteSourceError(errno: errno, subject: path) }
        descriptor = opened
        self.path = path
    }

    deinit { _ = Glibc.close(descriptor) }

    /// Opens the object at a relative path for reading, without waiting for pipes.
    func open(_ relative: String, flags: Int32 = 0) throws(ByteSourceError) -> Int32 {
        let flags = flags | O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let opened = shim_open_beneath(descriptor, relative, UInt64(flags))
        if opened >= 0 { return opened }
        switch errno {
        // The call also refuses absolute links that stay inside, and old kernels and sandboxes do not support it.
        case EXDEV, ENOSYS, EPERM, EAGAIN, EINVAL: return try openChecked(relative, flags: flags)
        default: throw ByteSourceError(errno: errno, subject: subject(relative))
        }
    }

    /// Opens in two steps: first a descriptor that reads nothing, and then, if its real path is inside, one for
    /// reading.
    private func openChecked(_ relative: String, flags: Int32) throws(ByteSourceError) -> Int32 {
        let probe = openat(descriptor, relative, Self.placeOnly | O_CLOEXEC)
        guard probe >= 0 else { throw ByteSourceError(errno: errno, subject: subject(relative)) }
        defer { _ = Glibc.close(probe) }
        guard let root = Self.realPath(descriptor), let target = Self.realPath(probe),
            Self.contains(root, target)
        else {
            throw ByteSourceError(.notFound, "A link points outside the folder.", subject: subject(relative))
        }
        let opened = Glibc.open("/proc/self/fd/\(probe)", flags)
        guard opened >= 0 else { throw ByteSourceError(errno: errno, subject: subject(relative)) }
        return opened
    }

    private static func realPath(_ descriptor: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = bytes.withUnsafeMutableBytes { buffer in
            guard let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self) else { return 0 }
            return readlink("/proc/self/fd/\(descriptor)", start, buffer.count)
        }
        guard count > 0, count < bytes.count else { return nil }
        return Array(bytes[..<count])
    }

    /// Whether a path is the folder or is below it: `/srv/book` does not contain `/srv/book-secret`.
    private static func contains(_ root: [UInt8], _ target: [UInt8]) -> Bool {
        guard target.starts(with: root) else { return false }
        return root == [UInt8(ascii: "/")] || target.count == root.count
            || target[root.count] == UInt8(ascii: "/")
    }

    private func subject(_ relative: String) -> String { path + "/" + relative }

    // MARK: names

    /// The kind of an entry in a folder.
    enum Kind {
        case file, folder, link, other
    }

    /// The names in a folder below this one, in no particular order. An empty path means this folder. Names that are
    /// not UTF-8 are left out because they have no HREF. A folder that cannot be read is empty.
    func children(of relative: String) -> [(name: String, kind: Kind)] {
        let opened: Int32
        do throws(ByteSourceError) {
            opened = try open(relative.isEmpty ? "." : relative, flags: O_DIRECTORY | O_NOFOLLOW)
        } catch {
            return []
        }
        defer { _ = Glibc.close(opened) }
        var children: [(name: String, kind: Kind)] = []
        let code = FolderListing.each(in: opened) { entry in
            if let name = entry.name { children.append((name, Self.kind(entry.type, name, in: opened))) }
            return true
        }
        return code == 0 ? children : []
    }

    /// The relative path with each segment replaced by a canonically equivalent name in its folder; nil if there is
    /// none.
    func canonicalPath(_ segments: [Substring]) -> String? {
        var found = ""
        for segment in segments {
            // Swift strings are equal if they are canonically equivalent.
            guard let child = children(of: found).first(where: { $0.name == segment }) else { return nil }
            found += (found.isEmpty ? "" : "/") + child.name
        }
        return found
    }

    private static func kind(_ type: UInt8, _ name: String, in folder: Int32) -> Kind {
        switch Int(type) {
        case Int(DT_REG): return .file
        case Int(DT_DIR): return .folder
        case Int(DT_LNK): return .link
        case Int(DT_UNKNOWN): break
        default: return .other
        }
        var status = stat()
        guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return .other }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file
        case S_IFDIR: return .folder
        case S_IFLNK: return .link
        default: return .other
        }
    }
}
