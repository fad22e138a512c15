import DeviceTransport
import Platform

/// The file of a book on a device, opened for reading by ranges.
package struct DeviceBookFile {
    /// The path from its root.
    package var path: String
    /// The size in bytes.
    package var size: Int64
    /// The content. The caller closes it.
    package var content: OpenContent
}

extension HostSession {
    /// Opens the file of a book: the file at the book's path in a granted root, if its size matches the one that the
    /// app reports. Nil if there is none, for example if the app stores the book as a folder or in a database.
    ///
    /// Asks the device for the state of one or two paths, but does not read the file.
    /// - Throws: errors of the device that affect all requests, such as `deviceGone`.
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
                    // A path that cannot be accessed is not the path of the book.
                    if [.deviceGone, .cancelled, .timedOut].contains(error.code) {
                        throw settled(HostError(error))
                    }
                }
            }
        }
        return nil
    }

    /// The possible paths of a book. Some apps store documents in one folder and identify them by their names in it.
    private static func paths(of book: BookRecord, in root: DeviceRoot.Kind) -> [String] {
        let path = book.path.isAbsolutePath ? book.path : "/" + book.path
        let all = [path, (root == .media ? "/Books" : "/Documents") + path]
        return all.filter { path in
            // Skip invalid paths, which cannot exist.
            do throws(HostError) { return try !OverlayPath.checked(path).isEmpty } catch { return false }
        }
    }
}
