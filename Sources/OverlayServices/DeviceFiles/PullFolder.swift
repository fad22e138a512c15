import Glibc
import HostErrors
import Platform

/// A private folder for fetched files, created when first needed. The host chooses the names in it.
///
/// If the process is killed, the next one that makes such a folder in the same parent removes it.
package final class PullFolder {
    /// The parent of the folder.
    private let parent: String
    /// The path of the folder, and the object that removes it.
    private var folder: (path: String, owner: AnyObject)?
    private var count = 0

    package init(parent: String) { self.parent = parent }

    /// Returns a path for another file.
    package func newPath() throws(HostError) -> String {
        count += 1
        return try path(of: "\(count)")
    }

    /// The path of a file with a name that the host chooses.
    package func path(of name: String) throws(HostError) -> String { try made() + "/" + name }

    private func made() throws(HostError) -> String {
        if let folder { return folder.path }
        if let held = LockedFolder(in: parent, isHidden: true) {
            self.folder = (held.path, held)
            return held.path
        }
        // On some file systems, a folder cannot be distinguished from those of other users.
        guard let folder = PrivateFolder(beginning: parent + "/.overlayhost-") else {
            throw HostError(
                .outputNotCreated,
                "Cannot create a folder for fetched files in '\(parent)': \(systemText(errno)).",
                subject: parent, native: .posix(errno))
        }
        self.folder = (folder.path, folder)
        return folder.path
    }

    /// Removes the folder and the files in it.
    package func remove() { folder = nil }
}
