import Glibc
import Platform

/// Keeps the folder of a simulated device from a second device, or from any device while it is copied, until this value is gone.
///
/// The kernel releases the folder when the process ends, also after a crash.
package final class DeviceFolderLock {
    /// What the folder is wanted for.
    package enum Purpose: Sendable {
        /// A device runs in it, and needs it for itself.
        case running
        /// It is copied, as others may do at the same time.
        case copying
    }

    private let descriptor: Int32

    /// Locks a folder that exists. Throws `folderInUse` when another process uses it in a way that excludes `purpose`, and
    /// `system` when it cannot be opened or locked.
    package init(_ folder: String, for purpose: Purpose) throws(SimulationError) {
        descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure("open", folder, errno) }
        guard flock(descriptor, (purpose == .running ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 else {
            // The descriptor goes with this object, although it is never anybody's.
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
