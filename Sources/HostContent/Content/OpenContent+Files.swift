import Archives
import DeviceTransport
import FoundationEssentials
import HostErrors
import Platform

extension OpenContent {
    /// Opens a local file.
    ///
    /// - Parameter name: the name at the origin of the file; nil for that of the local file.
    /// - Throws: `inputUnreadable` if the file does not exist or must not be read.
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

    /// Whether there is a local file with this path, which is then not the path of a book on a device.
    package static func isFile(_ path: String) -> Bool {
        var isFolder = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder
    }

    /// Opens bytes in memory, with an optional name.
    package convenience init(bytes: Data, name: String?) {
        self.init(DataByteSource(bytes), name: name, isFar: false)
    }
}

extension OpenContent {
    /// Opens a file on a device. It is read in ranges, which are kept.
    ///
    /// - Parameter context: returns the limits for the next operation on the device, and is called before each.
    package convenience init(
        _ files: any FileAccess, path: String,
        _ context: @escaping @Sendable () -> OperationContext = { OperationContext() }
    ) {
        let name = path.pathNames.last.map(String.init)
        self.init(
            DeviceByteSource(files, path, context), name: name, isFar: true,
            readAhead: DeviceByteSource.readAhead(of: path))
    }
}
