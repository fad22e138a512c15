import Diagnostics
import FoundationEssentials
import Glibc
import Platform
import Preferences

/// Copies of overlays that only this user can access. With them, rebuilding an overlay cannot crash a host that runs
/// it, and loading it again uses the new code.
///
/// The name of a copy contains the source file's identity (device, inode, size, times), which changes with the file.
/// An unchanged overlay is therefore copied only once, not at every start.
package struct PrivateCopies {
    /// The number of seconds after which unused copies are removed when a new one is created.
    static let longestStay: Int64 = 7 * 24 * 3600
    /// The number of seconds for which copies of older versions are kept, because another process may be about to
    /// load them.
    static let shortestStay: Int64 = 60
    /// The number of seconds for which copies are kept whose folder is gone, because a worker may be restarted from
    /// them.
    static let stayWithoutFolder: Int64 = 24 * 3600
    /// A file that changed within this number of seconds is always copied again, because another change may have the
    /// same time stamp.
    static let racyAge: Int64 = 2

    /// The value of ST_NOEXEC for statvfs(3), which the Glibc module does not provide.
    private static let noexec: UInt = 8

    private let bases: [String]
    /// The base whose parents are created if they are missing. The parents of the other bases belong to the system.
    private let ownBase: String

    private let racyAge: Int64

    init(paths: HostPaths, racyAge: Int64 = PrivateCopies.racyAge) {
        self.racyAge = racyAge
        ownBase = paths.caches + "/copies"
        bases =
            (paths.runtime.map { [$0 + "/overlayhost"] } ?? []) + [
                // Another user may have created the first one to block it.
                paths.temporary + "/overlayhost-\(geteuid())", ownBase,
            ]
    }

    /// Values that change whenever the content of a file changes.
    package struct Identity: Equatable {
        let device: dev_t
        let inode: ino_t
        let size: Int64
        let modified: timespec
        let changed: timespec

        init(_ status: stat) {
            device = status.st_dev
            inode = status.st_ino
            size = Int64(status.st_size)
            modified = status.st_mtim
            changed = status.st_ctim
        }

        private var numbers: [Int64] {
            [
                Int64(truncatingIfNeeded: device), Int64(truncatingIfNeeded: inode), size,
                Int64(modified.tv_sec),
                Int64(modified.tv_nsec), Int64(changed.tv_sec), Int64(changed.tv_nsec),
            ]
        }

        package static func == (a: Identity, b: Identity) -> Bool { a.numbers == b.numbers }

        package var digest: String {
            Hex.text(FNV1a.of(numbers.flatMap { withUnsafeBytes(of: $0) { Array($0) } }))
        }
    }

    /// The path of a copy of the open file with the real path `path` and the state `status`.
    func copy(of descriptor: Int32, path: String, status: stat) throws(OverlayRefusal) -> String {
        let folder = String(path.pathFolder ?? "")
        let home = try makeHome(for: folder)
        let identity = Identity(status)
        let stem = String(path.pathName.prefix { $0 != "." })
        let prefix = "\(stem)-\(Hex.text(FNV1a.of(path.utf8)))-"
        let isRacy = Int64(time(nil)) - Int64(status.st_ctim.tv_sec) < racyAge
        let suffix = isRacy ? "-" + String(UInt32.random(in: 0...UInt32.max), radix: 16) : ""
        let name = prefix + identity.digest + suffix + ".so"
        let target = home + "/" + name
        if isComplete(target, size: identity.size) {
            Self.touch(target)
            return target
        }
        try write(descriptor, to: target, identity, in: home)
        try removeOutdated(in: home, prefix: prefix, keeping: name)
        removeHomes(beside: home)
        return target
    }

    /// Records the use of a copy, so that it is not removed as unused.
    package static func touch(_ copy: String) {
        let home = String(copy.pathFolder ?? copy[...])
        // A copy that was removed is created again when it is needed.
        for path in [copy, home] { utimensat(AT_FDCWD, path, nil, AT_SYMLINK_NOFOLLOW) }
    }

    /// Creates a copy of `file` again that has been removed.
    func renew(_ copy: String, of file: String) throws(OverlayRefusal) {
        let source = try SourceFile(file)
        let identity = Identity(source.status)
        let home = try makeHome(for: String(source.realPath.pathFolder ?? ""))
        guard copy.hasPrefix(home + "/"), copy.contains(identity.digest) else {
            throw OverlayRefusal(
                .copyFailed, "The library changed after it was checked.",
                hint: "Run the command again to use the changed file.")
        }
        try write(source.descriptor, to: copy, identity, in: home)
    }

    // MARK: folders

    /// Creates `BASE/FOLDER/plugins`, with the link `BASE/FOLDER/runtime` to the overlay's own `../runtime`, so that
    /// a copy still finds the libraries relative to itself, and the link `BASE/FOLDER/origin` to their folder.
    private func makeHome(for folder: String) throws(OverlayRefusal) -> String {
        var reasons: [String] = []
        for base in bases {
            // If the parents cannot be created, creating the folder below reports the error.
            if base == ownBase, let parent = base.pathFolder { _ = makeFolders(String(parent), mode: 0o700) }
            let middle = base + "/" + Hex.text(FNV1a.of(folder.utf8))
            let home = middle + "/plugins"
            if let reason = problem(base) ?? problem(middle) ?? problem(home) {
                reasons.append(reason)
                continue
            }
            let runtime = SourceFile.runtime(beside: folder)
            var status = stat()
            if stat(runtime, &status) == 0, symlink(runtime, middle + "/runtime") != 0, errno != EEXIST {
                reasons.append("\(middle)/runtime cannot be created: \(systemText(errno))")
                continue
            }
            // Without this link, the copies are kept a little longer.
            symlink(folder, middle + "/origin")
            return home
        }
        throw Self.failure(reasons.joined(separator: "; "))
    }

    /// Creates a private folder if it does not exist. Returns the reason if it cannot be used.
    private func problem(_ folder: String) -> String? {
        if mkdir(folder, 0o700) != 0, errno != EEXIST {
            return "\(folder) cannot be created: \(systemText(errno))"
        }
        var status = stat()
        guard lstat(folder, &status) == 0 else {
            return "\(folder) cannot be accessed: \(systemText(errno))"
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { return "\(folder) is not a folder" }
        guard status.st_uid == geteuid() else { return "\(folder) belongs to another user" }
        if status.st_mode & 0o077 != 0, chmod(folder, 0o700) != 0 {
            return "\(folder) is accessible to other users"
        }
        var system = statvfs()
        if statvfs(folder, &system) == 0, system.f_flag & Self.noexec != 0 {
            return "\(folder) is on a file system mounted with noexec"
        }
        return nil
    }

    // MARK: files

    private func isComplete(_ path: String, size: Int64) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid()
            && Int64(status.st_size) == size
    }

    private func write(
        _ source: Int32, to target: String, _ identity: Identity, in home: String
    ) throws(OverlayRefusal) {
        guard let copy = TemporaryFile(beginning: home + "/") else {
            throw Self.notWritten("no file can be created in \(home)", errno)
        }
        var after = stat()
        guard lseek(source, 0, SEEK_SET) == 0,
            copyFile(from: source, to: copy.descriptor, size: identity.size),
            fchmod(copy.descriptor, 0o500) == 0, fstat(source, &after) == 0
        else { throw Self.notWritten("\(target) cannot be written", errno) }
        guard Identity(after) == identity else {
            throw OverlayRefusal(
                .copyFailed, "The file changed while it was being copied.",
                hint: "Try again when the file is complete.")
        }
        // Keep a copy that another process has created in the meantime: that process may be about to load it, and its
        // confinement does not permit any other file.
        var problem = copy.moveIfFree(to: target)
        if problem == EEXIST, isComplete(target, size: identity.size) { return }
        if problem == EEXIST { problem = rename(copy.path, target) == 0 ? 0 : errno }
        guard problem == 0 else { throw Self.notWritten("\(target) cannot be written", problem) }
    }

    /// Removes the copies of older versions of the same file, and copies that have not been used for long. A process
    /// that has loaded a copy can still use it.
    private func removeOutdated(in home: String, prefix: String, keeping name: String) throws(OverlayRefusal)
    {
        guard let names = FolderListing.names(home) else { return }
        let now = Int64(time(nil))
        for other in names where other != name {
            var status = stat()
            guard lstat(home + "/" + other, &status) == 0 else { continue }
            let age = now - Int64(status.st_mtim.tv_sec)
            guard age > (other.hasPrefix(prefix) ? Self.shortestStay : Self.longestStay) else { continue }
            // Another process may have removed it first.
            guard unlink(home + "/" + other) == 0 || errno == ENOENT else {
                throw Self.failure("\(home)/\(other) cannot be removed: \(systemText(errno))")
            }
        }
    }

    /// Removes the copies of folders that are gone, and copies that have not been used for long. A process that has
    /// loaded a copy can still use it.
    private func removeHomes(beside home: String) {
        let base = home.split(separator: "/").dropLast(2).reduce("") { $0 + "/" + $1 }
        let now = Int64(time(nil))
        for name in FolderListing.names(base) ?? [] {
            let middle = base + "/" + name
            var (copies, origin) = (stat(), stat())
            // The time of a folder is that of its newest copy, or of the last use of a copy.
            guard middle + "/plugins" != home, lstat(middle + "/plugins", &copies) == 0 else { continue }
            let isGone = stat(middle + "/origin", &origin) != 0 && errno == ENOENT
            let age = now - Int64(copies.st_mtim.tv_sec)
            guard age > (isGone ? Self.stayWithoutFolder : Self.longestStay) else { continue }
            do {
                try FileManager.default.removeItem(atPath: middle)
            } catch {
                // Another process may have removed the folder first.
                continue
            }
        }
    }

    /// The refusal of a library whose copy cannot be written, for the error number of the system.
    static func notWritten(_ failed: String, _ code: Int32) -> OverlayRefusal {
        var refusal = failure("\(failed): \(systemText(code))")
        if [ENOSPC, EDQUOT].contains(code) {
            refusal.hint = "Free some space there, or set TMPDIR to a folder with more space."
        }
        refusal.native = .posix(code)
        return refusal
    }

    private static func failure(_ reason: String) -> OverlayRefusal {
        OverlayRefusal(
            .copyFailed, "Cannot create a private copy of the library: \(reason).",
            hint: "Set XDG_RUNTIME_DIR or TMPDIR to a folder that you own and that allows running "
                + "programs.")
    }
}
