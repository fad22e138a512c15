import OverlayABI
import OverlayBridge
import OverlayKit

extension MemoryHost {
    static func makeLog(_ context: UnsafeMutableRawPointer) -> ovl_log_service {
        var table = ovl_log_service.sized()
        table.ctx = context
        table.write = { context, severity, _, message, pairs in
            guard let context else { return }
            let host = MemoryHost.from(context)
            let pairs = Result { () throws(OverlayError) in
                try pairs?.pointee.map(ovl_pair.self, "pairs") { pair throws(OverlayError) in
                    (key: try pair.key.required("key"), value: try pair.value.required("value"))
                }
            }
            var values: [(key: String, value: String)] = []
            if case .success(let pairs?) = pairs { values = pairs }
            host.logged(text(message) ?? "", values, isWarning: severity >= OVL_LOG_WARNING)
        }
        return table
    }

    static func makePrefs(_ context: UnsafeMutableRawPointer) -> ovl_prefs_service {
        var table = ovl_prefs_service.sized()
        table.ctx = context
        table.get_bool = { context, key, fallback, value, _ in
            guard let context, let key = text(key) else { return OVL_INVALID_ARGUMENT }
            value.pointee = MemoryHost.from(context).switches[key].map { $0 ? 1 : 0 } ?? fallback
            return OVL_OK
        }
        table.get_integer = { context, key, fallback, value, _ in
            guard let context, let key = text(key) else { return OVL_INVALID_ARGUMENT }
            value.pointee = MemoryHost.from(context).integers[key] ?? fallback
            return OVL_OK
        }
        table.get_number = { context, key, fallback, value, _ in
            guard let context, let key = text(key) else { return OVL_INVALID_ARGUMENT }
            value.pointee = MemoryHost.from(context).numbers[key] ?? fallback
            return OVL_OK
        }
        table.get_texts = { context, key, sink, _ in
            guard let context, let key = text(key) else { return OVL_INVALID_ARGUMENT }
            let arena = Arena()
            for value in MemoryHost.from(context).texts[key] ?? [] {
                var view = arena.text(value)
                _ = sink.pointee.put?(sink.pointee.ctx, &view)
            }
            return OVL_OK
        }
        return table
    }

    static func makeProgress(_ context: UnsafeMutableRawPointer) -> ovl_progress_service {
        var table = ovl_progress_service.sized()
        table.ctx = context
        table.report = { context, completed, total, phase in
            guard let context else { return }
            MemoryHost.from(context).report(completed, total, phase.flatMap(text) ?? "")
        }
        return table
    }

    static func makeCancel(_ context: UnsafeMutableRawPointer) -> ovl_cancel_service {
        var table = ovl_cancel_service.sized()
        table.ctx = context
        table.is_cancelled = { context in
            guard let context else { return 0 }
            return MemoryHost.from(context).hearsCancel() ? 1 : 0
        }
        table.time_left = { _ in .max }
        table.wait = { context, duration, error in
            guard let context else { return OVL_CONTRACT_BROKEN }
            let status = MemoryHost.from(context).wait(.nanoseconds(Int64(clamping: duration)))
            return answer(status, "", error)
        }
        return table
    }

    static func makeCalls(_ context: UnsafeMutableRawPointer) -> ovl_calls_service {
        var table = ovl_calls_service.sized()
        table.ctx = context
        table.name_call = { context, sink, _ in
            guard let context else { return OVL_CONTRACT_BROKEN }
            let (host, arena) = (MemoryHost.from(context), Arena())
            host.named += 1
            var view = arena.text("call-\(host.named)")
            return withExtendedLifetime(arena) { sink.pointee.put?(sink.pointee.ctx, &view) ?? OVL_FAILED }
        }
        table.has_ended = { context, name in
            guard let context, let name = text(name) else { return 0 }
            return MemoryHost.from(context).ended.contains(name) ? 1 : 0
        }
        return table
    }

    static func makeStorage(_ context: UnsafeMutableRawPointer) -> ovl_storage_service {
        var table = ovl_storage_service.sized()
        table.ctx = context
        table.get = { context, area, key, sink, error in
            guard let context, let key = text(key) else { return OVL_INVALID_ARGUMENT }
            let host = MemoryHost.from(context)
            if let status = host.storageFault("get", key) { return answer(status, key, error) }
            guard let bytes = host.stored["\(area) \(key)"] else { return answer(.notFound, key, error) }
            return send(bytes, key, sink, error)
        }
        table.put = { context, area, key, value, error in
            guard let context, let key = text(key) else { return OVL_INVALID_ARGUMENT }
            let host = MemoryHost.from(context)
            if let status = host.storageFault("put", key) { return answer(status, key, error) }
            guard case .success(let bytes?) = Result(catching: { try value.pointee.array("value") }) else {
                return OVL_INVALID_ARGUMENT
            }
            host.stored["\(area) \(key)"] = bytes
            host.storageWrites.append(key)
            return OVL_OK
        }
        table.remove = { context, area, key, _ in
            guard let context, let key = text(key) else { return OVL_INVALID_ARGUMENT }
            MemoryHost.from(context).stored["\(area) \(key)"] = nil
            return OVL_OK
        }
        table.keys = { context, area, sink, error in
            guard let context else { return OVL_INVALID_ARGUMENT }
            let (host, arena, prefix) = (MemoryHost.from(context), Arena(), "\(area) ")
            if let status = host.storageFault("keys", "") { return answer(status, "", error) }
            for key in host.stored.keys.sorted() where key.hasPrefix(prefix) {
                var view = arena.text(String(key.dropFirst(prefix.count)))
                _ = sink.pointee.put?(sink.pointee.ctx, &view)
            }
            return OVL_OK
        }
        return table
    }

    static func makeSniff(_ context: UnsafeMutableRawPointer) -> ovl_sniff_service {
        var table = ovl_sniff_service.sized()
        table.ctx = context
        table.sniff = { context, sources, hints, sink, error in
            guard let context else { return OVL_CONTRACT_BROKEN }
            let (host, arena) = (MemoryHost.from(context), Arena())
            let byContent = hints.map { $0.pointee.flags & OVL_SNIFF_CONTENT_ONLY != 0 } ?? false
            for (index, source) in MemoryHost.sources(sources).enumerated() {
                guard let (bytes, path) = host.content(of: source, upTo: host.sniffedBytes) else { continue }
                if case .device = source { _ = host.begin("sniff", path, cost: 4) }
                let result = host.format(of: bytes, byContent: byContent)
                var record = ovl_format.sized()
                record.media_type = arena.text(result.mediaType)
                record.name = arena.text(result.name)
                record.round = result.round.rawValue
                record.bytes_read = result.bytesRead
                _ = sink.pointee.put?(sink.pointee.ctx, UInt64(index), OVL_OK, &record, nil)
            }
            return OVL_OK
        }
        return table
    }

    static func makeMetadata(_ context: UnsafeMutableRawPointer) -> ovl_metadata_service {
        var table = ovl_metadata_service.sized()
        table.ctx = context
        table.read = { context, sources, options, sink, error in
            guard let context else { return OVL_CONTRACT_BROKEN }
            let host = MemoryHost.from(context)
            host.calls += 1
            for (index, source) in MemoryHost.sources(sources).enumerated() {
                let arena = Arena()
                if case .device(_, let file) = source, let status = host.begin("metadata", file, cost: 4) {
                    if host.endsOperation(status) { return answer(status, file, error) }
                    _ = sink.pointee.put?(sink.pointee.ctx, UInt64(index), status.rawValue, nil, nil)
                    continue
                }
                guard let (bytes, path) = host.content(of: source, upTo: host.metadataBytes),
                    var book = host.book(of: bytes, at: path)
                else {
                    _ = sink.pointee.put?(sink.pointee.ctx, UInt64(index), OVL_DAMAGED, nil, nil)
                    continue
                }
                if options & OVL_METADATA_WITH_COVERS == 0 { book.coverData = nil }
                var record = ovl_metadata.sized()
                record.book = book.record(in: arena)
                record.bytes_read = UInt64(bytes.count)
                _ = sink.pointee.put?(sink.pointee.ctx, UInt64(index), OVL_OK, &record, nil)
            }
            return OVL_OK
        }
        return table
    }

    /// The beginning of a source's content, and its path or name; nil if the source does not exist.
    private func content(of source: ContentSource, upTo most: UInt64) -> (bytes: [UInt8], path: String)? {
        switch source {
        case .device(_, let path): range(path, 0, most).map { ($0, path) }
        case .file(let file): lent[file.rawValue].map { (slice($0.bytes, 0, most), $0.name) }
        case .bytes(let bytes, let name): (slice(bytes, 0, max(most, 4096)), name ?? "")
        case .url: nil
        }
    }

    private static func sources(_ list: UnsafePointer<ovl_list>) -> [ContentSource] {
        let result = Result {
            try list.pointee.map(ovl_source.self, "sources") { record throws(OverlayError) in
                try ContentSource(record)
            }
        }
        guard case .success(let sources) = result else { return [] }
        return sources
    }

    /// The metadata in the lines of a file, with the file's name in place of a missing title.
    static func book(_ head: [UInt8], _ path: String) -> Book {
        let name = path.names.last ?? ""
        var book = Book(title: name.split(separator: ".").dropLast().joined(separator: "."))
        for line in String(decoding: head, as: UTF8.self).split(separator: "\n") {
            guard let colon = line.firstRange(of: ": ") else { continue }
            let value = String(line[colon.upperBound...])
            switch line[..<colon.lowerBound] {
            case "Title": book.title = value
            case "Author": book.authors = (book.authors ?? []) + [value]
            case "Cover":
                book.coverMediaType = "image/jpeg"
                book.coverData = Array(value.utf8)
            case "Cover bytes":
                book.coverMediaType = "image/jpeg"
                book.coverData = [UInt8](repeating: 0xFF, count: Int(value) ?? 0)
            default: break
            }
        }
        return book
    }
}

/// Sends bytes in two pieces.
func send(
    _ bytes: [UInt8]?, _ path: String, _ sink: UnsafePointer<ovl_bytes_sink>,
    _ error: UnsafePointer<ovl_error_sink>?
) -> ovl_status {
    guard let bytes else { return answer(.notFound, path, error) }
    let (arena, half) = (Arena(), bytes.count / 2)
    for (offset, piece) in [(0, bytes[..<half]), (half, bytes[half...])] where !piece.isEmpty {
        var view = arena.bytes(Array(piece))
        let status =
            sink.pointee.put?(sink.pointee.ctx, &view, UInt64(offset), UInt64(bytes.count)) ?? OVL_FAILED
        if status != OVL_OK { return answer(OverlayStatus(rawValue: status), path, error) }
    }
    return OVL_OK
}
