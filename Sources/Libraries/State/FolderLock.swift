import Glibc
import HostErrors
import Platform

/// An exclusive lock on a folder, released with its last reference.
package final class FolderLock: Sendable {
    private let descriptor: FileDescriptor

    /// Opens the lock file; nil, with errno set, on failure.
    private init?(_ path: String) {
        guard let descriptor = FileDescriptor(opening: path, O_RDWR | O_CREAT | O_NOFOLLOW) else {
            return nil
        }
        self.descriptor = descriptor
    }

    /// Releases the lock explicitly. Closing is not enough: a program that is being started by another thread has a copy
    /// of the descriptor until it runs.
    deinit { _ = flock(descriptor.number, LOCK_UN) }

    /// Tries to take the lock. Returns false if that is not possible now.
    private func tryToTake() -> Bool { flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 }

    /// Takes the lock if no other program has it. The folder must exist.
    package static func takeIfFree(_ folder: String) -> FolderLock? {
        guard let lock = FolderLock(folder + "/.lock"), lock.tryToTake() else { return nil }
        return lock
    }

    /// Waits until no other program has the lock, and takes it. The folder must exist.
    ///
    /// - Parameters:
    ///   - waiting: called once if the call has to wait.
    ///   - unwritable: creates the error for a file that cannot be written, from its path and errno.
    /// - Throws: the error from `unwritable`, or `cancelled`.
    package static func take(
        _ folder: String, waiting: () -> Void, isCancelled: () -> Bool,
        _ unwritable: (String, Int32) -> HostError
    ) throws(HostError) -> FolderLock {
        let path = folder + "/.lock"
        guard let lock = FolderLock(path) else { throw unwritable(path, errno) }
        switch waitForLock(of: lock.descriptor.number, waiting: waiting, isCancelled: isCancelled) {
        case 0: return lock
        case ECANCELED: throw HostError(.cancelled, "The command was cancelled.")
        case let code: throw unwritable(path, code)
        }
    }
}
