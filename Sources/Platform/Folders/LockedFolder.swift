import CSystemShims
import Glibc
import Synchronization

/// A private folder that exists as long as this process. If the process is killed, the folder is removed when the
/// next one is created.
///
/// The process holds a lock on its folder, which the kernel releases when the process ends. If a folder can be
/// locked, it therefore has no owner, even if the owner's process id has been used again. On a file system without
/// locks, the name contains the process id, and a folder is removed if it is a day old and there is no process with
/// this id. The folder of a process on another computer that shares the file system, or in another process namespace,
/// may then be removed too early.
package final class LockedFolder: Sendable {
    /// The prefix of the folders' names.
    package static let prefix = "overlayhost-held-"
    /// The prefix of hidden folders, for folders of the user.
    package static let hiddenPrefix = "." + prefix
    /// The age in seconds at which a folder is removed that cannot be locked.
    static let longestWithoutLocks = 24 * 3600
    private static let all = Monitor(All())
    /// The beginnings of paths whose folders have been looked for.
    private static let swept = Mutex<Set<String>>([])

    /// The folders of this process.
    private struct All {
        /// The folders in use, with their locks.
        var held: [String: Int32] = [:]
        /// The number of folders that are being created or removed. The process waits for them before it ends,
        /// because they would otherwise remain.
        var unfinished = 0
        /// Whether the process is ending, so that no further folder may be created.
        var isOver = false
    }

    /// The path of the folder.
    package let path: String

    /// Creates a folder in `parent`; nil if that is not possible.
    package convenience init?(in parent: String, isHidden: Bool = false) {
        self.init(in: parent, isHidden: isHidden) { flock($0, LOCK_EX | LOCK_NB) == 0 ? 0 : errno }
    }

    /// Creates a folder with a function that locks it, which returns 0 or an error number.
    init?(in parent: String, isHidden: Bool = false, _ flock: (Int32) -> Int32) {
        let isOver = Self.all.change { all in
            if !all.isOver { all.unfinished += 1 }
            return all.isOver
        }
        guard !isOver else {
            errno = ECANCELED
            return nil
        }
        defer { Self.all.change { $0.unfinished -= 1 } }
        let prefix = isHidden ? Self.hiddenPrefix : Self.prefix
        if Self.swept.withLock({ $0.insert("\(parent)/\(prefix)").inserted }) {
            Self.sweep(parent, prefix, flock)
        }
        // Another process may remove a folder that is not locked yet, because it seems to have no owner.
        for _ in 0..<16 {
            guard let path = PrivateFolder.make(beginning: "\(parent)/\(prefix)\(getpid())-") else {
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

    /// Removes the folder and its contents. Does nothing if it has already been removed.
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

    /// Removes all folders of this process before it ends, and waits for those that other threads are creating or
    /// removing. No folder can be created afterwards.
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
    private static func sweep(_ parent: String, _ prefix: String, _ flock: (Int32) -> Int32) {
        // Other users may put any number of names there. What cannot be read waits for the next process.
        _ = FolderListing.each(parent) { entry in
            guard let name = entry.name, name.hasPrefix(prefix) else { return true }
            let path = "\(parent)/\(name)"
            switch lock(path, flock) {
            case .locked(let descriptor): remove(path, descriptor)
            case .unlockable(let descriptor):
                let isLeft = Self.isLeft(name.dropFirst(prefix.count), descriptor)
                if isLeft { remove(path, descriptor) } else { close(descriptor) }
            case .taken, .unusable: break
            }
            return true
        }
    }

    /// Whether a folder that cannot be locked is old and belongs to a process that has ended.
    ///
    /// - Parameter name: its name after the prefix.
    private static func isLeft(_ name: Substring, _ descriptor: Int32) -> Bool {
        let words = name.split(separator: "-")
        var status = stat()
        guard words.count == 2, let process = Int32(words[0]), process > 0, fstat(descriptor, &status) == 0,
            time(nil) - status.st_mtim.tv_sec > longestWithoutLocks
        else { return false }
        return isGone(process: process)
    }

    /// The result of trying to lock a folder of this user.
    private enum Hold {
        case locked(Int32)
        /// The file system does not support locks.
        case unlockable(Int32)
        /// Another process has locked or removed the folder.
        case taken
        case unusable
    }

    private static func lock(_ path: String, _ flock: (Int32) -> Int32) -> Hold {
        // The process may have removed the permissions of the folder.
        let descriptor = shim_open_own_folder(AT_FDCWD, path)
        guard descriptor >= 0 else { return errno == ENOENT ? .taken : .unusable }
        let error = flock(descriptor)
        var (locked, there) = (stat(), stat())
        guard error != EWOULDBLOCK, fstat(descriptor, &locked) == 0, lstat(path, &there) == 0,
            locked.st_ino == there.st_ino, locked.st_dev == there.st_dev
        else {
            close(descriptor)
            return .taken
        }
        // On some file systems all files belong to another user.
        guard locked.st_uid == geteuid() else {
            close(descriptor)
            return .unusable
        }
        return error == 0 ? .locked(descriptor) : .unlockable(descriptor)
    }

    private static func remove(_ path: String, _ lock: Int32) {
        defer { close(lock) }
        // The next process removes files that cannot be removed because they are still being written.
        if FolderRemoval.removeContents(of: lock) { rmdir(path) }
    }
}
