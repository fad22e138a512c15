import Foundation
import OverlayABI
import OverlayBridge
import OverlayKit

extension FakeHost {
    static func makeTransport(_ context: UnsafeMutableRawPointer) -> ovl_transport_service {
        var table = ovl_transport_service.sized()
        table.ctx = context
        fillLooks(&table)
        fillContent(&table)
        fillChanges(&table)
        return table
    }

    private static func fillLooks(_ table: inout ovl_transport_service) {
        table.device = { context, sink, error in
            guard let context else { return OVL_CONTRACT_BROKEN }
            let (host, arena) = (FakeHost.from(context), Arena())
            var record = host.device.record(in: arena)
            return sink.pointee.put?(sink.pointee.ctx, &record) ?? OVL_FAILED
        }
        table.roots = { context, sink, error in
            guard let context else { return OVL_CONTRACT_BROKEN }
            let (host, arena) = (FakeHost.from(context), Arena())
            for root in host.roots {
                var record = root.record(in: arena)
                _ = sink.pointee.put?(sink.pointee.ctx, &record)
            }
            return OVL_OK
        }
        table.list = { context, _, folder, _, sink, error in
            guard let context else { return OVL_CONTRACT_BROKEN }
            let (host, arena, folder) = (FakeHost.from(context), Arena(), textOf(folder))
            if let status = host.begin("list", folder, cost: 1) { return answer(status, folder, error) }
            let place = host.url(folder).path
            guard FileManager.default.fileExists(atPath: place),
                let names = attempt({ try FileManager.default.contentsOfDirectory(atPath: place) })
            else { return answer(.notFound, folder, error) }
            for (index, name) in names.enumerated() {
                let shown = host.listsDecomposed ? name.decomposedStringWithCanonicalMapping : name
                var record = FileInfo(name: shown).record(in: arena)
                _ = sink.pointee.put?(sink.pointee.ctx, UInt64(index), OVL_OK, &record, nil)
            }
            return OVL_OK
        }
        table.stat = { context, _, paths, sink, error in
            guard let context, let paths = attempt({ try paths.pointee.strings("paths") }) ?? nil else {
                return OVL_CONTRACT_BROKEN
            }
            let (host, arena) = (FakeHost.from(context), Arena())
            host.batches.append(("stat", paths.count))
            for (index, path) in paths.enumerated() {
                if let status = host.begin("stat", path, cost: 1) {
                    if [.cancelled, .deviceGone].contains(status) { return answer(status, path, error) }
                    _ = sink.pointee.put?(sink.pointee.ctx, UInt64(index), status.rawValue, nil, nil)
                    continue
                }
                switch host.information(path) {
                case .success(let info):
                    var record = info.record(in: arena)
                    _ = sink.pointee.put?(sink.pointee.ctx, UInt64(index), OVL_OK, &record, nil)
                case .failure(let status):
                    _ = sink.pointee.put?(sink.pointee.ctx, UInt64(index), status.rawValue, nil, nil)
                }
            }
            return OVL_OK
        }
        table.free_space = { context, free, total, error in
            guard let context else { return OVL_CONTRACT_BROKEN }
            let host = FakeHost.from(context)
            if let status = host.begin("free_space", "", cost: 1) { return answer(status, "", error) }
            (free.pointee, total.pointee) = (host.freeBytes, host.freeBytes)
            return OVL_OK
        }
        table.local_info = { context, file, sink, error in
            guard let context, let url = FakeHost.from(context).lent[file] else {
                return answer(.notFound, "", error)
            }
            let arena = Arena()
            guard let content = FakeHost.from(context).content(url, 0, .max) else {
                return answer(.hostIO, "", error)
            }
            var record = FileInfo(name: "lent", kind: .regular, size: UInt64(content.count)).record(in: arena)
            return sink.pointee.put?(sink.pointee.ctx, 0, OVL_OK, &record, nil) ?? OVL_FAILED
        }
    }

    private static func fillContent(_ table: inout ovl_transport_service) {
        table.read = { context, _, path, offset, length, sink, error in
            guard let context else { return OVL_CONTRACT_BROKEN }
            let (host, path) = (FakeHost.from(context), textOf(path))
            if let status = host.begin("read", path, cost: 3) { return answer(status, path, error) }
            return send(host.content(host.url(path), offset, length), path, sink, error)
        }
        table.local_read = { context, file, offset, length, sink, error in
            guard let context else { return OVL_CONTRACT_BROKEN }
            let host = FakeHost.from(context)
            return send(host.lent[file].flatMap { host.content($0, offset, length) }, "", sink, error)
        }
        table.read_many = { context, _, requests, sink, error in
            guard let context else { return OVL_CONTRACT_BROKEN }
            let (host, arena) = (FakeHost.from(context), Arena())
            let all = attempt {
                try requests.pointee.map(ovl_read_request.self, "requests") { request throws(OverlayError) in
                    try ReadRequest(request)
                }
            }
            host.batches.append(("read_many", all?.count ?? 0))
            for (index, request) in (all ?? []).enumerated() {
                if let status = host.begin("read_many", request.path, cost: request.once ? 3 : 4) {
                    if [.cancelled, .deviceGone].contains(status) {
                        return answer(status, request.path, error)
                    }
                    _ = sink.pointee.put?(sink.pointee.ctx, UInt64(index), status.rawValue, nil, nil)
                    continue
                }
                let length = request.once ? min(request.length, host.longestAnswer) : request.length
                guard let bytes = host.content(host.url(request.path), request.offset, length) else {
                    _ = sink.pointee.put?(sink.pointee.ctx, UInt64(index), OVL_NOT_FOUND, nil, nil)
                    continue
                }
                var view = arena.bytes(bytes)
                _ = sink.pointee.put?(sink.pointee.ctx, UInt64(index), OVL_OK, &view, nil)
                arena.reset()
            }
            return OVL_OK
        }
        table.pull = { context, _, paths, sink, error in
            guard let context, let paths = attempt({ try paths.pointee.strings("paths") }) ?? nil else {
                return OVL_CONTRACT_BROKEN
            }
            let host = FakeHost.from(context)
            for (index, path) in paths.enumerated() {
                var status = host.begin("pull", path, cost: 4)
                if let status, [.cancelled, .deviceGone].contains(status) {
                    return answer(status, path, error)
                }
                if status == nil, case .failure(let missing) = host.information(path) { status = missing }
                let row =
                    status.map { ItemResult(index: index, status: $0, outcome: .failed) }
                    ?? .done(index, .fetched, file: HostFile(rawValue: host.keep(host.url(path))))
                put(row, sink)
            }
            return OVL_OK
        }
    }

    private static func fillChanges(_ table: inout ovl_transport_service) {
        table.write = { context, _, path, bytes, _, error in
            guard let context, let bytes = attempt({ try bytes.pointee.array("bytes") }) ?? nil else {
                return OVL_CONTRACT_BROKEN
            }
            let (host, path) = (FakeHost.from(context), textOf(path))
            if let status = host.begin("write", path, cost: 5) { return answer(status, path, error) }
            return attempt(path, error) { try Data(bytes).write(to: host.url(path)) }
        }
        table.push = { context, _, items, _, sink, error in
            guard let context else { return OVL_CONTRACT_BROKEN }
            let host = FakeHost.from(context)
            let all = attempt {
                try items.pointee.map(ovl_push_item.self, "items") { item throws(OverlayError) in
                    try PushItem(item)
                }
            }
            for (index, item) in (all ?? []).enumerated() {
                var status = host.begin("push", item.path, cost: 5)
                if let status, [.cancelled, .deviceGone].contains(status) {
                    if let hint = host.interruptedPushHint {
                        put(
                            ItemResult(
                                index: index, status: status, outcome: .failed,
                                message: "The operation was cancelled.", hint: hint), sink)
                    }
                    return answer(status, item.path, error)
                }
                if status == nil, let url = host.lent[item.file.rawValue] {
                    do {
                        try Data(contentsOf: url).write(to: host.url(item.path))
                    } catch {
                        status = .deviceIO
                    }
                }
                put(
                    status.map { ItemResult(index: index, status: $0, outcome: .failed, message: "No luck.") }
                        ?? .done(index, .added, path: item.path), sink)
            }
            return OVL_OK
        }
        table.rename = { context, _, from, to, error in
            guard let context else { return OVL_CONTRACT_BROKEN }
            let (host, from, to) = (FakeHost.from(context), textOf(from), textOf(to))
            if let status = host.begin("rename", to, cost: 1) { return answer(status, from, error) }
            guard Foundation.rename(host.url(from).path, host.url(to).path) != 0 else { return OVL_OK }
            return answer(errno == ENOENT ? .notFound : .deviceIO, from, error)
        }
        table.remove = { context, _, path, options, error in
            guard let context else { return OVL_CONTRACT_BROKEN }
            let (host, path) = (FakeHost.from(context), textOf(path))
            if let status = host.begin("remove", path, cost: 1) { return answer(status, path, error) }
            guard options & OVL_REMOVE_RECURSIVE != 0 else {
                return unlink(host.url(path).path) == 0 ? OVL_OK : answer(.notFound, path, error)
            }
            guard FileManager.default.fileExists(atPath: host.url(path).path) else {
                return answer(.notFound, path, error)
            }
            return attempt(path, error) { try FileManager.default.removeItem(at: host.url(path)) }
        }
        table.make_folder = { context, _, path, error in
            guard let context else { return OVL_CONTRACT_BROKEN }
            let (host, path) = (FakeHost.from(context), textOf(path))
            if let status = host.begin("make_folder", path, cost: 1) { return answer(status, path, error) }
            return attempt(path, error) {
                try FileManager.default.createDirectory(
                    at: host.url(path), withIntermediateDirectories: true)
            }
        }
    }
}

private func attempt(
    _ path: String, _ error: UnsafePointer<ovl_error_sink>?, _ body: () throws -> Void
) -> ovl_status {
    do {
        try body()
        return OVL_OK
    } catch _ {
        return answer(.deviceIO, path, error)
    }
}

private func put(_ row: ItemResult, _ sink: UnsafePointer<ovl_result_sink>) {
    let arena = Arena()
    guard var record = attempt({ try row.record(in: arena) }) else { return }
    _ = sink.pointee.put?(sink.pointee.ctx, &record)
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
