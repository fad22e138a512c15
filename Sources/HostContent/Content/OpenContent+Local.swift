import Archives
import FoundationEssentials
import HostErrors
import Platform

extension OpenContent {
    /// A local file.
    ///
    /// - Parameter name: what it is called where it comes from; nil: as the local file is.
    /// - Throws: `inputUnreadable` if the file does not exist or may not be read.
    package convenience init(path: String, name: String? = nil) throws(HostError) {
        do throws(ByteSourceError) {
            let source = try FileByteSource(path: path)
            let own = path.pathNames.last.map(String.init)
            self.init(source, name: name ?? own, isFar: false)
        } catch {
            var failure = HostError(error)
            failure.code = .inputUnreadable
            throw failure
        }
    }

    /// Whether a local file has this path, so that the path does not name a book on a device.
    package static func isFile(_ path: String) -> Bool {
        var isFolder = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder
    }

    /// Bytes in memory, and the name they go by.
    package convenience init(bytes: Data, name: String?) {
        self.init(DataByteSource(bytes), name: name, isFar: false)
    }
}
