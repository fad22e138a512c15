import Glibc
import HostErrors
import Platform

/// A private folder for fetched files, made when first needed; the names in it are the host's.
package final class PullFolder {
    /// Where the folder is made.
    private let parent: String
    private var folder: PrivateFolder?
    private var count = 0

    package init(parent: String) { self.parent = parent }

    /// A path for one more file.
    package func newPath() throws(HostError) -> String {
        count += 1
        return try path(of: "\(count)")
    }

    /// The path of a file with a name that the host gives it.
    func path(of name: String) throws(HostError) -> String { try made() + "/" + name }

    private func made() throws(HostError) -> String {
        if let folder { return folder.path }
        guard let folder = PrivateFolder(beginning: parent + "/.overlayhost-") else {
            throw HostError(
                .outputNotCreated, "Cannot create a folder for fetched files: \(systemText(errno)).",
                subject: parent, native: .posix(errno))
        }
        self.folder = folder
        return folder.path
    }

    /// Removes the folder and what is left in it.
    package func remove() { folder = nil }
}
