import Glibc
import OverlayHost

/// The folder of a simulated device that runs, kept from a second device until this value is gone.
///
/// The kernel gives the folder back when the process ends, whatever way it ends.
final class FolderClaim {
    private let descriptor: Int32

    /// Claims a folder that exists. Throws `outputNotCreated` when a device runs in it already, or it cannot be opened.
    init(_ folder: String) throws(HostError) {
        descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw HostError(
                .outputNotCreated,
                "The folder of the simulated device cannot be opened: \(systemMessage(errno)).",
                subject: folder, native: .posix(errno))
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            close(descriptor)
            guard code == EWOULDBLOCK else {
                throw HostError(
                    .outputNotCreated,
                    "The folder of the simulated device cannot be locked: \(systemMessage(code)).",
                    subject: folder, native: .posix(code))
            }
            throw HostError(
                .outputNotCreated, "A simulated device is running in this folder.", subject: folder,
                hint: "Use the device by its socket, or end it, or name another folder.")
        }
    }

    deinit { close(descriptor) }
}
