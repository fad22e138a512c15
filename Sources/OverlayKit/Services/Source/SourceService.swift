import OverlayABI
import OverlayBridge

/// The folder that the user wants to sync. The Swift form of `ovl_source_service`, since minor version 6. [device
/// thread], only during `syncSource`.
///
/// Paths are relative to the folder, `/` separates names, and the empty path is the folder itself. Symbolic links are
/// listed, but never followed. A function with an `expected` stamp throws `changed` and changes nothing if the file
/// has a different stamp. All functions observe cancellation and deadline. They throw `wrongState` outside
/// `syncSource`, and in a dry run if they would change something; `invalidArgument` for a path that leads out of the
/// folder; `notFound`, `hostIO`, `noSpace`; and `notSupported` if the host does not have this service.
///
/// ```swift
/// let file = try host.source.stat("notes.txt")
/// let text = try host.source.readAll("notes.txt", expected: file?.stamp, limit: 1 << 20)
/// ```
public struct SourceService {
    let table: ovl_source_service

    /// Creates the service for a table of the host. The table need not contain all functions.
    package init(_ table: ovl_source_service) { self.table = table }

    // MARK: files

    /// The entries of a folder, sorted by the bytes of their names.
    public func list(_ folder: String) throws(OverlayError) -> [SourceFileInfo] {
        let arena = Arena()
        var view = arena.text(folder)
        let receiver = RowReceiver<ContentRow<SourceFileInfo>>()
        var sink = receiver.sourceSink()
        try receiver.finish { () throws(OverlayError) in
            try ServiceCall.perform(table.list, "source.list") { $0(table.ctx, &view, &sink, $1) }
        }
        return try withExtendedLifetime(arena) { () throws(OverlayError) in
            var files: [SourceFileInfo] = []
            files.reserveCapacity(receiver.rows.count)
            for row in receiver.rows { files.append(try row.result.get()) }
            return files
        }
    }

    /// Information about many files: one result for each path, in their order. The result for a missing file is
    /// `notFound`.
    public func stat(_ paths: [String]) throws(OverlayError) -> [Result<SourceFileInfo, OverlayError>] {
        let arena = Arena()
        var views = arena.texts(paths)
        return try rows(about: paths, "source.stat") { (sink) throws(OverlayError) in
            try ServiceCall.perform(table.stat, "source.stat") { $0(table.ctx, &views, sink, $1) }
            withExtendedLifetime(arena) {}
        }
    }

    /// Information about a file; nil if it does not exist.
    public func stat(_ path: String) throws(OverlayError) -> SourceFileInfo? {
        do throws(OverlayError) {
            return try stat([path])[0].get()
        } catch {
            guard error.status == .notFound else { throw error }
            return nil
        }
    }

    /// The digests of many files, with other information about them: one result for each path, in their order.
    public func digest(_ paths: [String]) throws(OverlayError) -> [Result<SourceFileInfo, OverlayError>] {
        let arena = Arena()
        var views = arena.texts(paths)
        return try rows(about: paths, "source.digest") { (sink) throws(OverlayError) in
            try ServiceCall.perform(table.digest, "source.digest") { $0(table.ctx, &views, sink, $1) }
            withExtendedLifetime(arena) {}
        }
    }

    /// Passes a range of a file to `each` in pieces.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - expected: the required stamp of the file; nil for any.
    ///   - offset: the position of the first byte.
    ///   - length: the number of bytes; nil to read to the end.
    ///   - each: receives the pieces. An error ends the read, which then throws it.
    public func read(
        _ path: String, expected: String? = nil, offset: UInt64 = 0, length: UInt64? = nil, each: ChunkHandler
    ) throws(OverlayError) {
        let arena = Arena()
        var view = arena.text(path)
        try ChunkedRead.receive(each) { (sink) throws(OverlayError) in
            try ServiceCall.perform(table.read, "source.read") { read, error in
                Self.withExpected(expected, arena) {
                    read(table.ctx, &view, $0, offset, length ?? .max, sink, error)
                }
            }
        }
        withExtendedLifetime(arena) {}
    }

    /// Reads a complete file.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - expected: the required stamp of the file; nil for any.
    ///   - limit: the largest size in bytes; a larger file throws `invalidArgument`.
    public func readAll(_ path: String, expected: String? = nil, limit: Int) throws(OverlayError) -> [UInt8] {
        var bytes: [UInt8] = []
        try read(path, expected: expected) { (chunk, _, total) throws(OverlayError) in
            guard chunk.count <= limit - bytes.count else {
                throw OverlayError(.invalidArgument, "The file is larger than \(limit) bytes.", subject: path)
            }
            if bytes.isEmpty, let total { bytes.reserveCapacity(min(limit, Int(clamping: total))) }
            bytes.append(contentsOf: chunk)
        }
        return bytes
    }

    /// Writes a complete file and creates its parent folders. The file is written completely or not at all. The
    /// replaced version is kept as a backup.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - bytes: at most 256 MiB; use `fetch` for larger files.
    ///   - expected: the stamp of the file to replace; nil if there must not be one.
    /// - Returns: information about the new file.
    @discardableResult
    public func write(
        _ path: String, _ bytes: [UInt8], expected: String?
    ) throws(OverlayError) -> SourceFileInfo {
        let arena = Arena()
        var view = arena.text(path)
        let results = try rows(about: [path], "source.write") { (sink) throws(OverlayError) in
            try ServiceCall.perform(table.write, "source.write") { write, error in
                Self.withBytes(bytes, arena) { content in
                    Self.withExpected(expected, arena) { write(table.ctx, &view, content, $0, sink, error) }
                }
            }
        }
        return try withExtendedLifetime(arena) { () throws(OverlayError) in try results[0].get() }
    }

    /// Moves a file to the user's trash, or to a trash in the folder if the user's trash is on another disk.
    public func trash(_ path: String, expected: String) throws(OverlayError) {
        let arena = Arena()
        var view = arena.text(path)
        var stamp = arena.text(expected)
        try ServiceCall.perform(table.trash, "source.trash") { $0(table.ctx, &view, &stamp, $1) }
        withExtendedLifetime(arena) {}
    }

    // MARK: copies

    /// Copies files of the folder to the device: one result for each item, in their order. If a file cannot be
    /// copied, its result is a failure, but the call does not throw.
    public func send(
        _ items: [SourceItem], to root: Root
    ) throws(OverlayError) -> [Result<SourceFileInfo, OverlayError>] {
        let arena = Arena()
        var list = arena.list(items) { $0.record(in: arena) }
        return try rows(about: items.map(\.path), "source.send") { (sink) throws(OverlayError) in
            try ServiceCall.perform(table.send, "source.send") {
                $0(table.ctx, root.rawValue, &list, sink, $1)
            }
            withExtendedLifetime(arena) {}
        }
    }

    /// Copies files of the device into the folder, each like `write`: one result for each item, in their order. If a
    /// file cannot be copied, its result is a failure, but the call does not throw.
    public func fetch(
        _ items: [SourceItem], from root: Root
    ) throws(OverlayError) -> [Result<SourceFileInfo, OverlayError>] {
        let arena = Arena()
        var list = arena.list(items) { $0.record(in: arena) }
        return try rows(about: items.map(\.path), "source.fetch") { (sink) throws(OverlayError) in
            try ServiceCall.perform(table.fetch, "source.fetch") {
                $0(table.ctx, root.rawValue, &list, sink, $1)
            }
            withExtendedLifetime(arena) {}
        }
    }

    // MARK: pieces

    private func rows(
        about paths: [String], _ name: StaticString,
        _ call: (UnsafePointer<ovl_source_sink>) throws(OverlayError) -> Void
    ) throws(OverlayError) -> [Result<SourceFileInfo, OverlayError>] {
        let receiver = RowReceiver<ContentRow<SourceFileInfo>>()
        var sink = receiver.sourceSink()
        try receiver.finish { () throws(OverlayError) in try call(&sink) }
        var results = BatchResults<SourceFileInfo>(count: paths.count, name)
        for row in receiver.rows {
            try results.set(row.index) {
                let path = paths[$0]
                return row.result.mapError { $0.about(path) }
            }
        }
        return try results.complete()
    }

    /// Lends a stamp, or null if there is none.
    private static func withExpected(
        _ stamp: String?, _ arena: Arena, _ body: (UnsafePointer<ovl_text>?) -> ovl_status
    ) -> ovl_status {
        guard let stamp else { return body(nil) }
        return withUnsafePointer(to: arena.text(stamp)) { body($0) }
    }

    /// Lends bytes, which are never absent.
    static func withBytes(
        _ bytes: [UInt8], _ arena: Arena, _ body: (UnsafePointer<ovl_bytes>) -> ovl_status
    ) -> ovl_status {
        bytes.withUnsafeBufferPointer { buffer in
            // A null address would mean absent bytes, so use another address for empty bytes.
            let empty = UnsafePointer(arena.allocate(0).assumingMemoryBound(to: UInt8.self))
            return withUnsafePointer(
                to: ovl_bytes(data: buffer.baseAddress ?? empty, size: UInt64(buffer.count)), body)
        }
    }
}

extension RowReceiver where Row == ContentRow<SourceFileInfo> {
    /// Creates a sink for this receiver.
    func sourceSink() -> ovl_source_sink {
        var sink = ovl_source_sink.sized()
        sink.ctx = context
        sink.put = { context, index, status, file, error in
            guard let receiver = RowReceiver<ContentRow<SourceFileInfo>>.from(context) else {
                return OVL_CONTRACT_BROKEN
            }
            return receiver.receive { () throws(OverlayError) in
                try ContentRow(index, status, file, error, "source_sink.put", SourceFileInfo.init)
            }
        }
        return sink
    }
}
