import Diagnostics
import Glibc
import Platform

/// A lock on the folder of a simulated device, held as long as this value exists. It excludes a second device, or any
/// device while the folder is copied.
///
/// The kernel releases the lock when the process ends, even after a crash.
package final class DeviceFolderLock {
    /// The use of the folder.
    package enum Purpose: Sendable {
        /// A device runs in it and needs exclusive access.
        case running
        /// It is copied, which several processes may do at the same time.
        case copying
    }

    private let descriptor: Int32

    /// Locks an existing folder. Throws `folderInUse` if another process uses it in a way that excludes `purpose`,
    /// and `system` if it cannot be opened or locked.
    package init(_ folder: String, for purpose: Purpose) throws(SimulationError) {
        descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure("open", folder, errno) }
        guard flock(descriptor, (purpose == .running ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 else {
            // deinit also runs when this initializer throws, and closes the descriptor.
            let code = errno
            guard code == EWOULDBLOCK else { throw Self.failure("lock", folder, code) }
            throw SimulationError(
                .folderInUse, "A simulated device is already running in this folder.", subject: folder,
                hint: "Use the running device through its socket, stop it, or choose another folder.")
        }
    }

    deinit { close(descriptor) }

    private static func failure(_ verb: String, _ folder: String, _ code: Int32) -> SimulationError {
        SimulationError.system(
            code, "Cannot \(verb) the folder of the simulated device", subject: folder)
    }
}
