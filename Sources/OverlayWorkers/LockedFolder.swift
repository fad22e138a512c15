import CSystemShims
import FoundationEssentials
import Glibc
import HostErrors
import Platform
import Synchronization

/// A private folder for the time of this process. It does not outlast the process for long: making the next such folder
/// removes those of killed processes.
///
/// The process holds a lock on its folder, which the kernel releases with it. So a folder that can be locked has no owner,
/// even if its owner's process number has been used again. Where the file system has no locks, the name tells the process, and a folder
/// is cleared away when it is a day old and no process has that number: one of another computer that shares the file system, or of
/// another space of processes, may lose its folder then.
package final class LockedFolder: Sendable {
    /// What the names of such folders begin with.
    package static let prefix = "overlayhost-held-"
    /// How old a folder must be that cannot be locked before it is cleared away, seconds.
    static let longestWithoutLocks = 24 * 3600
    private static let all = Monitor(All())
    private static let swept = Mutex<Set<String>>([])

    /// The folders of this process.
    private struct All {
        /// Those in use, with their locks.
        var held: [String: Int32] = [:]
        /// How many are being made or removed. The process waits for them at its end, or they would stay behind.
        var unfinished = 0
        /// Whether the process ends, so that no other folder is made.
        var isOver = false
    }

    /// Where it is.
    package let path: String

    /// Makes one in a folder; nil when that cannot be.
    package convenience init?(in parent: String) {
        self.init(in: parent) { flock($0, LOCK_EX | LOCK_NB) == 0 ? 0 : errno }
    }

    /// Makes one in the folder for what is temporary. Throws `outputNotCreated` when that cannot be.
    package static func temporary() throws(HostError) -> LockedFolder {
        try made(in: FileManager.default.temporaryDirectory.path)
    }

    /// Makes one in a folder. Throws `outputNotCreated` when that cannot be.
    package static func made(in parent: String) throws(HostError) -> LockedFolder {
        if let folder = LockedFolder(in: parent) { return folder }
        let code = errno
        throw HostError(
            .outputNotCreated, "Cannot create a temporary folder: \(systemMessage(code)).", subject: parent,
            native: .posix(code))
    }

    /// Makes one with a way to lock it, which gives 0 or the number of an error.
    init?(in parent: String, _ flock: (Int32) -> Int32) {
        let isOver = Self.all.change { all in
            if !all.isOver { all.unfinished += 1 }
            return all.isOver
        }
        guard !isOver else {
            errno = ECANCELED
            return nil
        }
        defer { Self.all.change { $0.unfinished -= 1 } }
        if Self.swept.withLock({ $0.insert(parent).inserted }) { Self.sweep(parent, flock) }
        // Another process may take a folder that is not locked yet for one without an owner.
        for _ in 0..<16 {
            guard let path = PrivateFolder.make(beginning: "\(parent)/\(Self.prefix)\(getpid())-") else {
                return nil
            }
            switch Self.lock(path, flock) {
            case .taken: continue
            case .locked(let descriptor), .unlockable(let descriptor):
                Self.all.change { $0.held[path] = descriptor }
                self.path = path
                return
            case .unusable:
                rmdir(path)
                return nil
            }
        }
        return nil
    }

    deinit { remove() }

    /// Removes it with what is in it; nothing if it has been removed.
    package func remove() {
        let lock = Self.all.change { all in
            let lock = all.held.removeValue(forKey: path)
            if lock != nil { all.unfinished += 1 }
            return lock
        }
        guard let lock else { return }
        Self.remove(path, lock)
        Self.all.change { $0.unfinished -= 1 }
    }

    /// Removes all of this process, at its end, and waits for those that other threads are making or removing. None can be made after
    /// that.
    package static func removeAll() {
        all.change { $0.isOver = true }
        let left = all.wait { all -> [String: Int32]? in
            guard all.unfinished == 0 else { return nil }
            defer { all.held = [:] }
            return all.held
        }
        for (path, lock) in left { remove(path, lock) }
    }

    /// Removes the folders of processes that have ended.
    private static func sweep(_ parent: String, _ flock: (Int32) -> Int32) {
        guard let stream = opendir(parent) else { return }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            let path = "\(parent)/\(name)"
            guard name.hasPrefix(prefix) else { continue }
            switch lock(path, flock) {
            case .locked(let descriptor): remove(path, descriptor)
            case .unlockable(let descriptor):
                if isLeft(name, descriptor) { remove(path, descriptor) } else { close(descriptor) }
            case .taken, .unusable: continue
            }
        }
    }

    /// Whether a folder that cannot be locked is old, and of a process that has ended.
    private static func isLeft(_ name: String, _ descriptor: Int32) -> Bool {
        let words = name.dropFirst(prefix.count).split(separator: "-")
        var status = stat()
        guard words.count == 2, let process = Int32(words[0]), process > 0, fstat(descriptor, &status) == 0,
            time(nil) - status.st_mtim.tv_sec > longestWithoutLocks
        else { return false }
        return kill(process, 0) != 0 && errno == ESRCH
    }

    /// Result of trying to lock a folder of this user.
    private enum Hold {
        case locked(Int32)
        /// The file system has no locks.
        case unlockable(Int32)
        /// Another process holds it, or has removed it.
        case taken
        case unusable
    }

    private static func lock(_ path: String, _ flock: (Int32) -> Int32) -> Hold {
        // Its process may have taken its permissions away.
        let descriptor = shim_open_own_folder(AT_FDCWD, path)
        guard descriptor >= 0 else { return errno == ENOENT ? .taken : .unusable }
        let error = flock(descriptor)
        var (locked, there) = (stat(), stat())
        guard error != EWOULDBLOCK, fstat(descriptor, &locked) == 0, lstat(path, &there) == 0,
            locked.st_ino == there.st_ino, locked.st_dev == there.st_dev, locked.st_uid == geteuid()
        else {
            close(descriptor)
            return .taken
        }
        return error == 0 ? .locked(descriptor) : .unlockable(descriptor)
    }

    private static func remove(_ path: String, _ lock: Int32) {
        defer { close(lock) }
        // What could not be removed because it is still written to is cleared away by the next process.
        if FolderRemoval.removeContents(of: lock) { rmdir(path) }
    }
}
