import FoundationEssentials
import Glibc
import Platform

extension LockedFolder {
    /// Creates a folder in the folder for temporary files. Throws `outputNotCreated` if that is not possible.
    package static func temporary() throws(HostError) -> LockedFolder {
        try made(in: FileManager.default.temporaryDirectory.path)
    }

    /// Creates a folder in `parent`. Throws `outputNotCreated` if that is not possible.
    package static func made(in parent: String) throws(HostError) -> LockedFolder {
        if let folder = LockedFolder(in: parent) { return folder }
        let code = errno
        throw HostError(
            .outputNotCreated, "Cannot create a temporary folder: \(systemText(code)).", subject: parent,
            native: .posix(code))
    }
}
