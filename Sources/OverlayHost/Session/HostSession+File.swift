import DeviceTransport
import Platform

/// The file of a book on a device, open to be read by ranges.
package struct DeviceBookFile {
    /// Its path from the root it was found in.
    package var path: String
    /// Its bytes.
    package var size: Int64
    /// What is in it; the caller closes it.
    package var content: OpenContent
}

extension HostSession {
    /// The file in which the reader app keeps a book: the one at the book's path in a place that the device grants, if it has
    /// the size that the app tells. Nil if there is none, as of a book that the app keeps in a folder or a database.
    ///
    /// Asks the device for the state of one or two paths, and reads nothing yet.
    /// - Throws: what the device says when it cannot be asked, such as `deviceGone`.
    package func file(of book: BookRecord) throws(HostError) -> DeviceBookFile? {
        let cancellation = request.cancellation
        let limits: @Sendable () -> OperationContext = { OperationContext(cancellation: cancellation) }
        let granted = link.roots.access.granted
        for root in [DeviceRoot.Kind.container, .documents, .media] where granted.contains(root) {
            let files = try link.roots.files(root, limits())
            let paths = Self.paths(of: book, in: root)
            for (path, answer) in zip(paths, files.statMany(paths, limits())) {
                switch answer {
                case .success(let status):
                    guard status.kind == .file, book.size == nil || status.size == book.size,
                        let size = Int64(exactly: status.size)
                    else { continue }
                    return DeviceBookFile(
                        path: path, size: size, content: OpenContent(files, path: path, limits))
                case .failure(let error):
                    // A path that may not be looked at is not the book's.
                    if [.deviceGone, .cancelled, .timedOut].contains(error.code) {
                        throw settled(HostError(error))
                    }
                }
            }
        }
        return nil
    }

    /// Where a book's path may lead. Apps keep documents in one folder, and call them by their
    /// names in it.
    private static func paths(of book: BookRecord, in root: DeviceRoot.Kind) -> [String] {
        let path = book.path.isAbsolutePath ? book.path : "/" + book.path
        let all = [path, (root == .media ? "/Books" : "/Documents") + path]
        return all.filter { path in
            // No file has a path that no root can have.
            do throws(HostError) { return try !OverlayPath.checked(path).isEmpty } catch { return false }
        }
    }
}
