import DeviceTransport
import Platform

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
            readAhead: DeviceByteSource.readAhead)
    }
}
