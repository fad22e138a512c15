import OverlayABI
import OverlayBridge
import OverlayKit
import Platform

extension MemoryHost {
    static func makeSource(_ context: UnsafeMutableRawPointer) -> ovl_source_service {
        var table = ovl_source_service.sized()
        table.ctx = context
        fillSourceReading(&table)
        fillSourceChanges(&table)
        fillSourceCopies(&table)
        fillSourceState(&table)
        return table
    }

    /// Counts an operation on the source. Returns a status if the operation fails.
    private func beginSource(_ operation: String, _ path: String, changes: Bool = false) -> OverlayStatus? {
        if isCancelled { return .cancelled }
        return source.begin(operation, path, changes: changes) ?? MemorySource.obstacle(path)
    }

    private static func fillSourceReading(_ table: inout ovl_source_service) {
        table.list = { context, folder, sink, error in
            guard let context, let folder = text(folder) else { return OVL_CONTRACT_BROKEN }
            let host = MemoryHost.from(context)
            if let status = host.beginSource("list", folder) { return answer(status, folder, error) }
            guard let files = host.source.list(folder) else { return answer(.notFound, folder, error) }
            for (index, file) in files.enumerated() { deliverFile(index, .success(file), sink) }
            return OVL_OK
        }
        table.stat = { context, paths, sink, _ in
            each(context, paths, sink) { host, path throws(OverlayError) in
                try check(host.beginSource("stat", path), path)
                return try found(host.source.info(path), path)
            }
        }
        table.digest = { context, paths, sink, _ in
            each(context, paths, sink) { host, path throws(OverlayError) in
                try check(host.beginSource("digest", path), path)
                var info = try found(host.source.info(path), path)
                info.digest = digest(try found(host.source.files[path], path))
                return info
            }
        }
        table.read = { context, path, expected, offset, length, sink, error in
            guard let context, let path = text(path) else { return OVL_CONTRACT_BROKEN }
            let host = MemoryHost.from(context)
            if let status = host.beginSource("read", path) { return answer(status, path, error) }
            guard let bytes = host.source.files[path] else { return answer(.notFound, path, error) }
            if let expected = expected.flatMap(text), host.source.info(path)?.stamp != expected {
                return answer(.changed, path, error)
            }
            guard offset <= UInt64(bytes.count) else { return answer(.invalidArgument, path, error) }
            return send(slice(bytes, offset, length), path, sink, error)
        }
    }

    private static func fillSourceChanges(_ table: inout ovl_source_service) {
        table.write = { context, path, content, expected, sink, error in
            guard let context, let path = text(path) else { return OVL_CONTRACT_BROKEN }
            let host = MemoryHost.from(context)
            guard case .success(let bytes?) = Result(catching: { try content.pointee.array("bytes") }) else {
                return OVL_INVALID_ARGUMENT
            }
            let status =
                host.beginSource("write", path, changes: true)
                ?? host.source.obstacle(path, expected: expected.flatMap(text))
            if let status { return answer(status, path, error) }
            host.source.replace(path, bytes)
            var info = host.source.info(path)
            info?.digest = digest(bytes)
            if let info { deliverFile(0, .success(info), sink) }
            return OVL_OK
        }
        table.trash = { context, path, expected, error in
            guard let context, let path = text(path), let expected = text(expected) else {
                return OVL_CONTRACT_BROKEN
            }
            let host = MemoryHost.from(context)
            let status =
                host.beginSource("trash", path, changes: true)
                ?? host.source.obstacle(path, expected: expected)
            if let status { return answer(status, path, error) }
            host.source.discard(path)
            return OVL_OK
        }
    }

    private static func fillSourceCopies(_ table: inout ovl_source_service) {
        table.send = { context, _, items, sink, _ in
            each(context, items, sink) { host, item throws(OverlayError) in
                try check(host.beginSource("send", item.path, changes: true), item.path)
                var info = try found(host.source.info(item.path), item.path)
                let bytes = try found(host.source.files[item.path], item.path)
                if let expected = item.expected, info.stamp != expected {
                    try check(.changed, item.path)
                }
                try check(host.begin("push", item.devicePath, cost: 5), item.devicePath)
                try check(host.write(bytes, to: item.devicePath), item.devicePath)
                try check(host.end("push", item.devicePath, nil), item.devicePath)
                info.digest = digest(bytes)
                info.deviceModified = host.info(item.devicePath)?.modified ?? 0
                return info
            }
        }
        table.fetch = { context, _, items, sink, _ in
            each(context, items, sink) { host, item throws(OverlayError) in
                try check(host.beginSource("fetch", item.path, changes: true), item.path)
                try check(host.source.obstacle(item.path, expected: item.expected), item.path)
                try check(host.begin("pull", item.devicePath, cost: 4), item.devicePath)
                let bytes = try found(host.bytes(of: item.devicePath, 0, .max), item.devicePath)
                host.source.replace(item.path, bytes)
                var info = try found(host.source.info(item.path), item.path)
                info.digest = digest(bytes)
                info.deviceModified = host.info(item.devicePath)?.modified ?? 0
                return info
            }
        }
    }

    private static func fillSourceState(_ table: inout ovl_source_service) {
        table.state_get = { context, key, sink, error in
            guard let context, let key = text(key) else { return OVL_INVALID_ARGUMENT }
            let host = MemoryHost.from(context)
            if let status = host.beginSource("state_get", key) { return answer(status, key, error) }
            return send(host.source.state[key], key, sink, error)
        }
        table.state_put = { context, key, value, error in
            guard let context, let key = text(key) else { return OVL_INVALID_ARGUMENT }
            let host = MemoryHost.from(context)
            if let status = host.beginSource("state_put", key, changes: true) {
                return answer(status, key, error)
            }
            guard case .success(let bytes?) = Result(catching: { try value.pointee.array("value") }) else {
                return OVL_INVALID_ARGUMENT
            }
            host.source.state[key] = bytes
            return OVL_OK
        }
        table.state_remove = { context, key, error in
            guard let context, let key = text(key) else { return OVL_INVALID_ARGUMENT }
            let host = MemoryHost.from(context)
            if let status = host.beginSource("state_remove", key, changes: true) {
                return answer(status, key, error)
            }
            host.source.state[key] = nil
            return OVL_OK
        }
        table.state_keys = { context, sink, error in
            guard let context else { return OVL_INVALID_ARGUMENT }
            let (host, arena) = (MemoryHost.from(context), Arena())
            if let status = host.beginSource("state_keys", "") { return answer(status, "", error) }
            for key in host.source.state.keys.sorted() {
                var view = arena.text(key)
                _ = sink.pointee.put?(sink.pointee.ctx, &view)
            }
            return OVL_OK
        }
    }
}

private func digest(_ bytes: [UInt8]) -> String? { Digest.of(bytes, .sha256).map { Hex.text($0) } }

private func check(_ status: OverlayStatus?, _ path: String) throws(OverlayError) {
    if let status { throw OverlayError(status, "The source says \(status).", subject: path) }
}

private func found<Value>(_ value: Value?, _ path: String) throws(OverlayError) -> Value {
    guard let value else { throw OverlayError(.notFound, "The source does not have it.", subject: path) }
    return value
}

/// Puts the row of a file.
private func deliverFile(
    _ index: Int, _ result: Result<SourceFileInfo, OverlayError>, _ sink: UnsafePointer<ovl_source_sink>
) {
    let arena = Arena()
    switch result {
    case .success(let info):
        var record = info.record(in: arena)
        _ = sink.pointee.put?(sink.pointee.ctx, UInt64(index), OVL_OK, &record, nil)
    case .failure(let error):
        var record = error.record(in: arena)
        _ = sink.pointee.put?(sink.pointee.ctx, UInt64(index), error.status.rawValue, nil, &record)
    }
}

/// Puts the row of each path.
private func each(
    _ context: UnsafeMutableRawPointer?, _ paths: UnsafePointer<ovl_texts>,
    _ sink: UnsafePointer<ovl_source_sink>,
    _ body: (MemoryHost, String) throws(OverlayError) -> SourceFileInfo
) -> ovl_status {
    guard let context, case .success(let paths?) = Result(catching: { try paths.pointee.strings("paths") })
    else { return OVL_CONTRACT_BROKEN }
    let host = MemoryHost.from(context)
    for (index, path) in paths.enumerated() {
        deliverFile(index, Result { () throws(OverlayError) in try body(host, path) }, sink)
    }
    return OVL_OK
}

/// Puts the row of each item.
private func each(
    _ context: UnsafeMutableRawPointer?, _ items: UnsafePointer<ovl_list>,
    _ sink: UnsafePointer<ovl_source_sink>,
    _ body: (MemoryHost, SourceItem) throws(OverlayError) -> SourceFileInfo
) -> ovl_status {
    let all = Result {
        try items.pointee.map(ovl_source_item.self, "items") { item throws(OverlayError) in
            try SourceItem(item)
        }
    }
    guard let context, case .success(let list) = all else { return OVL_CONTRACT_BROKEN }
    let host = MemoryHost.from(context)
    for (index, item) in list.enumerated() {
        deliverFile(index, Result { () throws(OverlayError) in try body(host, item) }, sink)
    }
    return OVL_OK
}
