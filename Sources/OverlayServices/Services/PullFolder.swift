import Glibc
import HostErrors
import Platform

/// A private folder for fetched files, made when first needed; the names in it are the host's.
package final class PullFolder {
    /// Where the folder is made.
    private let parent: String
    private var folder: String?
    private var count = 0

    package init(parent: String) { self.parent = parent }

    deinit { remove() }

    /// A path for one more file.
    package func newPath() throws(HostError) -> String {
        count += 1
        return try path(of: "\(count)")
    }

    /// The path of a file with a name that the host gives it.
    func path(of name: String) throws(HostError) -> String { try made() + "/" + name }

    private func made() throws(HostError) -> String {
        if let folder { return folder }
        var template = Array((parent + "/.overlayhost-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else {
            throw HostError(
                .outputNotCreated, "Cannot create a folder for fetched files: \(systemMessage(errno)).",
                subject: parent, native: .posix(errno))
        }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        folder = path
        return path
    }

    /// Removes the folder and what is left in it.
    package func remove() {
        guard let folder else { return }
        self.folder = nil
        if let stream = opendir(folder) {
            while let entry = readdir(stream) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                // The folder holds files only, so that `.` and `..` fail with EISDIR and stay.
                unlink(folder + "/" + name)
            }
            closedir(stream)
        }
        rmdir(folder)
    }
}
