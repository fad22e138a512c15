import OverlayABI
import OverlayBridge

/// The device's files. [device thread]
///
/// All functions observe cancellation, deadline and unplugging, and never leave an incomplete file with its final
/// name. They throw the errors of the host (`deviceGone`, `accessRefused`, `notFound` …), `wrongState` outside
/// {initialized, attached} and in pure methods, `notSupported` if the function is missing in the host, and
/// `contractBroken` if its answer is invalid. Paths are absolute in each root, `/` separates names, and `.` and `..`
/// are refused.
///
/// ```swift
/// let files = try host.transport.list(.documents, "/Documents", withInfo: true)
/// let bytes = try host.transport.readAll(.documents, "/Documents/shelf.json", limit: 1 << 20)
/// ```
public struct TransportService {
    let table: ovl_transport_service

    /// Creates the service for a table of the host. The table need not contain all functions.
    package init(_ table: ovl_transport_service) { self.table = table }

    /// The device and the app of this instance. Does not send requests to the device.
    public func device() throws(OverlayError) -> DeviceInfo {
        let receiver = RowReceiver<DeviceInfo>()
        var sink = receiver.deviceSink()
        try receiver.finish { () throws(OverlayError) in
            try ServiceCall.perform(table.device, "transport.device") { $0(table.ctx, &sink, $1) }
        }
        guard let device = receiver.rows.first else { throw ServiceCall.withoutResult("transport.device") }
        return device
    }

    /// The access to each root, with the reason for each that is refused.
    public func roots() throws(OverlayError) -> [RootAccess] {
        let receiver = RowReceiver<RootAccess>()
        var sink = receiver.rootSink()
        try receiver.finish { () throws(OverlayError) in
            try ServiceCall.perform(table.roots, "transport.roots") { $0(table.ctx, &sink, $1) }
        }
        return receiver.rows
    }

    /// The entries of a folder, except `.` and `..`.
    ///
    /// `withInfo`: whether to request type, size and times of each entry, which is one more request for each. An
    /// entry that is removed in the meantime is omitted.
    public func list(
        _ root: Root, _ path: String, withInfo: Bool = false
    ) throws(OverlayError) -> [FileInfo] {
        let arena = Arena()
        var view = arena.text(path)
        let options = withInfo ? OVL_LIST_WITH_INFO : 0
        let receiver = RowReceiver<FileRow>()
        var sink = receiver.fileSink()
        try receiver.finish { () throws(OverlayError) in
            try ServiceCall.perform(table.list, "transport.list") {
                $0(table.ctx, root.rawValue, &view, options, &sink, $1)
            }
        }
        return try withExtendedLifetime(arena) { () throws(OverlayError) in
            var files: [FileInfo] = []
            files.reserveCapacity(receiver.rows.count)
            for row in receiver.rows {
                switch row.result {
                case .success(let info): files.append(info)
                case .failure(let error):
                    guard error.status == .notFound else { throw error.about(path) }
                }
            }
            return files
        }
    }

    /// Free and total space on the device, in bytes.
    public func freeSpace() throws(OverlayError) -> FreeSpace {
        var space = FreeSpace(free: 0, total: 0)
        try ServiceCall.perform(table.free_space, "transport.free_space") {
            $0(table.ctx, &space.free, &space.total, $1)
        }
        return space
    }

    /// Renames a file in a root, and replaces an existing one.
    public func rename(_ root: Root, _ path: String, to newPath: String) throws(OverlayError) {
        let arena = Arena()
        var from = arena.text(path)
        var to = arena.text(newPath)
        try ServiceCall.perform(table.rename, "transport.rename") {
            $0(table.ctx, root.rawValue, &from, &to, $1)
        }
        withExtendedLifetime(arena) {}
    }

    /// Removes a file, an empty folder, or with `recursive` a folder and its content. Throws `notFound` if it does
    /// not exist.
    public func remove(_ root: Root, _ path: String, recursive: Bool = false) throws(OverlayError) {
        let arena = Arena()
        var view = arena.text(path)
        try ServiceCall.perform(table.remove, "transport.remove") {
            $0(table.ctx, root.rawValue, &view, recursive ? OVL_REMOVE_RECURSIVE : 0, $1)
        }
        withExtendedLifetime(arena) {}
    }

    /// Creates a folder and its missing parents. The folder may already exist.
    public func makeFolder(_ root: Root, _ path: String) throws(OverlayError) {
        let arena = Arena()
        var view = arena.text(path)
        try ServiceCall.perform(table.make_folder, "transport.make_folder") {
            $0(table.ctx, root.rawValue, &view, $1)
        }
        withExtendedLifetime(arena) {}
    }

    /// The name (not the path) and size of a lent host file.
    public func localInfo(_ file: HostFile) throws(OverlayError) -> FileInfo {
        let receiver = RowReceiver<FileRow>()
        var sink = receiver.fileSink()
        try receiver.finish { () throws(OverlayError) in
            try ServiceCall.perform(table.local_info, "transport.local_info") {
                $0(table.ctx, file.rawValue, &sink, $1)
            }
        }
        guard let row = receiver.rows.first else { throw ServiceCall.withoutResult("transport.local_info") }
        return try row.result.get()
    }
}
