import DeviceTransport
import Platform

extension OpenContent {
    /// A file on a device, read in ranges; what was read is kept.
    ///
    /// - Parameter context: limits for the next operation on the device, asked before each.
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
