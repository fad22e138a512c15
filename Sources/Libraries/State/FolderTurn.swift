import Glibc
import HostErrors
import Platform

/// The right of one program to write in a folder, until the last reference goes.
package final class FolderTurn: Sendable {
    private let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Waits until no other program has the turn, and takes it. The folder must be there.
    ///
    /// - Parameters:
    ///   - waiting: called once if it has to wait.
    ///   - unwritable: the error of a file that cannot be written, by its path and errno.
    /// - Throws: that error, or `cancelled`.
    package static func take(
        _ folder: String, waiting: () -> Void, isCancelled: () -> Bool,
        _ unwritable: (String, Int32) -> HostError
    ) throws(HostError) -> FolderTurn {
        let path = folder + "/.lock"
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw unwritable(path, errno) }
        let turn = FolderTurn(descriptor)
        switch waitForLock(of: descriptor, waiting: waiting, isCancelled: isCancelled) {
        case 0: return turn
        case ECANCELED: throw HostError(.cancelled, "The command was cancelled.")
        case let code: throw unwritable(path, code)
        }
    }
}
