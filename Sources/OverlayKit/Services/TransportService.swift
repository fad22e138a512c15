import OverlayABI
import OverlayBridge

/// The device's files. [device thread]
///
/// All functions honour cancel, deadline and unplug, and never leave a half-written file under its final name. They
/// throw what the host reports (`deviceGone`, `accessRefused`, `notFound` …), `wrongState` outside {initialized,
/// attached} and in pure methods, `notSupported` if the host lacks the function, `contractBroken` if its answer is not
/// possible. Paths are absolute in each root, `/` separates, `.` and `..` are refused.
///
///     let files = try host.transport.list(.documents, "/Documents", withInfo: true)
///     let bytes = try host.transport.readAll(.documents, "/Documents/shelf.json", limit: 1 << 20)
public struct TransportService {
    let table: ovl_transport_service

    /// The service that a table of the host provides. Functions may be missing in it.
    package init(_ table: ovl_transport_service) { self.table = table }

    /// The device and the app this instance serves; asks the device nothing.
    public func device() throws(OverlayError) -> DeviceInfo {
        let receiver = RowReceiver<DeviceInfo>()
        var sink = receiver.deviceSink()
        try receiver.finish { () throws(OverlayError) in
            try ServiceCall.perform(table.device, "transport.device") { $0(table.ctx, &sink, $1) }
        }
        guard let device = receiver.rows.first else { throw ServiceCall.withoutResult("transport.device") }
        return device
    }

    /// Which roots are granted, with the reason for each that is not.
    public func roots() throws(OverlayError) -> [RootAccess] {
        let receiver = RowReceiver<RootAccess>()
        var sink = receiver.rootSink()
        try receiver.finish { () throws(OverlayError) in
            try ServiceCall.perform(table.roots, "transport.roots") { $0(table.ctx, &sink, $1) }
        }
        return receiver.rows
    }

    /// Entries of a folder, without `.` and `..`.
    ///
    /// `withInfo`: ask for kind, size and times of each entry too, which is one more request per entry. An
    /// entry that vanished in between is left out.
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

    /// Bytes free and in all on the device.
    public func freeSpace() throws(OverlayError) -> FreeSpace {
        var space = FreeSpace(free: 0, total: 0)
        try ServiceCall.perform(table.free_space, "transport.free_space") {
            $0(table.ctx, &space.free, &space.total, $1)
        }
        return space
    }

    /// Renames within a root; replaces an existing file.
    public func rename(_ root: Root, _ path: String, to newPath: String) throws(OverlayError) {
        let arena = Arena()
        var from = arena.text(path)
        var to = arena.text(newPath)
        try ServiceCall.perform(table.rename, "transport.rename") {
            $0(table.ctx, root.rawValue, &from, &to, $1)
        }
        withExtendedLifetime(arena) {}
    }

    /// Removes a file or an empty folder, or with `recursive` a folder with all it contains. `notFound` if it is not there.
    public func remove(_ root: Root, _ path: String, recursive: Bool = false) throws(OverlayError) {
        let arena = Arena()
        var view = arena.text(path)
        try ServiceCall.perform(table.remove, "transport.remove") {
            $0(table.ctx, root.rawValue, &view, recursive ? OVL_REMOVE_RECURSIVE : 0, $1)
        }
        withExtendedLifetime(arena) {}
    }

    /// Makes a folder and its missing parents; an existing folder is fine.
    public func makeFolder(_ root: Root, _ path: String) throws(OverlayError) {
        let arena = Arena()
        var view = arena.text(path)
        try ServiceCall.perform(table.make_folder, "transport.make_folder") {
            $0(table.ctx, root.rawValue, &view, $1)
        }
        withExtendedLifetime(arena) {}
    }

    /// Name (not a path) and size of a lent host file.
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
