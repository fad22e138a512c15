import Logging
import OverlayBridge
import HostContract
import HostErrors
import OverlayABI
import Platform

/// Gives the overlay access to the folder that the user wants to sync.
final class HostSourceService: HostService {
    let context: InstanceContext

    init(_ context: InstanceContext) { self.context = context }

    var table: ovl_source_service {
        var table = ovl_source_service.sized()
        table.ctx = pointer
        addReading(to: &table)
        addWriting(to: &table)
        addCopying(to: &table)
        addState(to: &table)
        return table
    }

    // MARK: what all functions share

    /// The access of the running method.
    ///
    /// - Parameter changes: whether the function changes something, which is forbidden in a dry run.
    func granted(_ name: StaticString, changes: Bool = false) throws(HostError) -> GrantedSource {
        try requireMethod(name)
        guard let source = context.frame?.source else {
            throw broken(.outsideSync, "It was called outside sync_source.", name)
        }
        if changes { try requireNoDryRun(name) }
        return source
    }

    /// Reads a path in the folder.
    func lentPath(_ name: StaticString, _ pointer: UnsafePointer<ovl_text>) throws(HostError) -> GrantedPath {
        try GrantedPath(try text(name, pointer, limit: BoundaryLimits.path))
    }

    /// Reads paths in the folder, each with its own error.
    func lentPaths(
        _ name: StaticString, _ pointer: UnsafePointer<ovl_texts>
    ) throws(HostError) -> [Result<GrantedPath, HostError>] {
        let texts = try argument(name) { () throws(ContractBreach) in
            guard UInt(bitPattern: pointer) != 0 else {
                throw ContractBreach(.nullPointer, "A null pointer was passed for ovl_texts.")
            }
            return try pointer.pointee.read("paths", limit: BoundaryLimits.records) ?? []
        }
        return texts.map { text in Result { () throws(HostError) in try GrantedPath(text) } }
    }

    /// Reads a stamp; nil for a null pointer or an absent text.
    func stamp(_ name: StaticString, _ pointer: UnsafePointer<ovl_text>?) throws(HostError) -> String? {
        guard let pointer else { return nil }
        return try argument(name) { () throws(ContractBreach) in
            try pointer.pointee.read("expected", limit: BoundaryLimits.path)
        }
    }

    /// Throws an error if the method should end.
    func checkRunningNow() throws(HostError) { if context.shouldStop { try checkRunning() } }

    // MARK: reading

    private func addReading(to table: inout ovl_source_service) {
        table.list = { context, folder, sink, error in
            HostSourceService.serve(context, "source.list", error) { service throws(HostError) in
                let source = try service.granted("source.list")
                let path = try service.lentPath("source.list", folder)
                let sink = LentFileSink(try service.sink("source.list", sink))
                let (files, unreadable) = try source.folder.list(path, sweeping: !source.isDryRun)
                if unreadable > 0 {
                    service.environment.loggers.overlay.warning(
                        unreadable == 1
                            ? "A name in the source is not UTF-8. It was left out."
                            : "\(unreadable) names in the source are not UTF-8. They were left out.",
                        metadata: ["folder": "\(path.text)"])
                }
                for (index, file) in files.enumerated() { sink.put(index, file) }
                try sink.check()
            }
        }
        table.stat = { context, paths, sink, error in
            HostSourceService.serve(context, "source.stat", error) { service throws(HostError) in
                let source = try service.granted("source.stat")
                let paths = try service.lentPaths("source.stat", paths)
                let sink = LentFileSink(try service.sink("source.stat", sink))
                for (index, path) in paths.enumerated() {
                    try service.checkRunningNow()
                    do throws(HostError) {
                        sink.put(index, try source.folder.stat(try path.get()))
                    } catch {
                        sink.put(index, failed: error)
                    }
                    try sink.check()
                }
            }
        }
        table.digest = { context, paths, sink, error in
            HostSourceService.serve(context, "source.digest", error) { service throws(HostError) in
                let source = try service.granted("source.digest")
                let paths = try service.lentPaths("source.digest", paths)
                let sink = LentFileSink(try service.sink("source.digest", sink))
                for (index, path) in paths.enumerated() {
                    do throws(HostError) {
                        let reading = try source.folder.read(try path.get(), expected: nil)
                        let digest = try reading.digest { () throws(HostError) in
                            try service.checkRunningNow()
                        }
                        sink.put(index, reading.file, LentCopy(digest: digest))
                    } catch {
                        try service.checkRunningNow()
                        sink.put(index, failed: error)
                    }
                    try sink.check()
                }
            }
        }
        table.read = { context, path, expected, offset, length, sink, error in
            HostSourceService.serve(context, "source.read", error) { service throws(HostError) in
                let source = try service.granted("source.read")
                let path = try service.lentPath("source.read", path)
                let sink = try service.sink("source.read", sink)
                let reading = try source.folder.read(
                    path, expected: try service.stamp("source.read", expected))
                try reading.forEachPiece(from: offset, length: length) {
                    piece, offset, total throws(HostError) in
                    try service.checkRunningNow()
                    guard let put = sink.put else { return }
                    let status = Array(piece).lend { put(sink.ctx, $0, offset, total) }
                    guard status == OVL_OK else { throw HostError.receiverStopped }
                }
            }
        }
    }

    // MARK: writing

    private func addWriting(to table: inout ovl_source_service) {
        table.write = { context, path, bytes, expected, sink, error in
            HostSourceService.serve(context, "source.write", error) { service throws(HostError) in
                let source = try service.granted("source.write", changes: true)
                let path = try service.lentPath("source.write", path)
                let expected = try service.stamp("source.write", expected)
                let sink = LentFileSink(try service.sink("source.write", sink))
                let content = try service.content("source.write", bytes)
                let replacement = try source.folder.replacement(path, expected: expected)
                try replacement.write(content)
                try service.checkRunningNow()
                let digest = Digest.of(content, .sha256).map { Hex.text($0) }
                sink.put(0, try replacement.place(), LentCopy(digest: digest))
                try sink.check()
            }
        }
        table.trash = { context, path, expected, error in
            HostSourceService.serve(context, "source.trash", error) { service throws(HostError) in
                let source = try service.granted("source.trash", changes: true)
                let path = try service.lentPath("source.trash", path)
                try source.folder.trash(
                    path, expected: try service.text("source.trash", expected, limit: BoundaryLimits.path))
            }
        }
    }

    /// The bytes to write. Not copied.
    func content(
        _ name: StaticString, _ pointer: UnsafePointer<ovl_bytes>
    ) throws(HostError) -> UnsafeRawBufferPointer {
        let bytes = try argument(name) { () throws(ContractBreach) in
            guard UInt(bitPattern: pointer) != 0 else {
                throw ContractBreach(.nullPointer, "A null pointer was passed for ovl_bytes.")
            }
            return try pointer.pointee.borrowed("bytes", limit: Int.max)
        }
        guard let bytes else { throw HostError(.invalidArgument, "The bytes are missing.") }
        guard UInt64(bytes.count) <= OVL_SOURCE_WRITE_LIMIT else {
            throw HostError(
                .invalidArgument, "At most \(OVL_SOURCE_WRITE_LIMIT) bytes can be written at once.")
        }
        return bytes
    }
}

extension HostSourceService {
    func addState(to table: inout ovl_source_service) {
        table.state_get = { context, key, sink, error in
            HostSourceService.serve(context, "source.state_get", error) { service throws(HostError) in
                let source = try service.granted("source.state_get")
                let key = try service.key("source.state_get", key)
                let sink = try service.sink("source.state_get", sink)
                try service.put(try source.state.read(.data, key), into: sink)
            }
        }
        table.state_put = { context, key, value, error in
            HostSourceService.serve(context, "source.state_put", error) { service throws(HostError) in
                let source = try service.granted("source.state_put", changes: true)
                let key = try service.key("source.state_put", key)
                try source.state.write(.data, key, try service.content("source.state_put", value))
            }
        }
        table.state_remove = { context, key, error in
            HostSourceService.serve(context, "source.state_remove", error) { service throws(HostError) in
                let source = try service.granted("source.state_remove", changes: true)
                try source.state.remove(.data, try service.key("source.state_remove", key))
            }
        }
        table.state_keys = { context, sink, error in
            HostSourceService.serve(context, "source.state_keys", error) { service throws(HostError) in
                let source = try service.granted("source.state_keys")
                try service.put(try source.state.keys(.data), "source.state_keys", into: sink)
            }
        }
    }
}
