import OverlayABI
import OverlayBridge
import OverlayKit

extension MemoryHost {
    static func makeTransport(_ context: UnsafeMutableRawPointer) -> ovl_transport_service {
        var table = ovl_transport_service.sized()
        table.ctx = context
        fillLooks(&table)
        fillContent(&table)
        fillChanges(&table)
        return table
    }

    private static func fillLooks(_ table: inout ovl_transport_service) {
        table.device = { context, sink, _ in
            guard let context else { return OVL_CONTRACT_BROKEN }
            let arena = Arena()
            var record = MemoryHost.from(context).device.record(in: arena)
            return sink.pointee.put?(sink.pointee.ctx, &record) ?? OVL_FAILED
        }
        table.roots = { context, sink, _ in
            guard let context else { return OVL_CONTRACT_BROKEN }
            let arena = Arena()
            for root in MemoryHost.from(context).roots {
                var record = root.record(in: arena)
                _ = sink.pointee.put?(sink.pointee.ctx, &record)
            }
            return OVL_OK
        }
        table.list = { context, _, folder, options, sink, error in
            guard let context, let folder = text(folder) else { return OVL_CONTRACT_BROKEN }
            let (host, arena) = (MemoryHost.from(context), Arena())
            host.calls += 1
            if let status = host.begin("list", folder, cost: 1) { return answer(status, folder, error) }
            guard let names = host.names(in: folder) else { return answer(.notFound, folder, error) }
            for (index, name) in names.enumerated() {
                let whole = options & OVL_LIST_WITH_INFO == 0 ? nil : host.info(folder + "/" + name)
                var record = (whole ?? FileInfo(name: name)).record(in: arena)
                _ = sink.pointee.put?(sink.pointee.ctx, UInt64(index), OVL_OK, &record, nil)
            }
            return OVL_OK
        }
        table.stat = { context, _, paths, sink, error in
            guard let context, let paths = strings(paths) else { return OVL_CONTRACT_BROKEN }
            let (host, arena) = (MemoryHost.from(context), Arena())
            host.calls += 1
            host.batches.append(("stat", paths.count))
            for (index, path) in paths.enumerated() {
                if let status = host.begin("stat", path, cost: 1) {
                    if host.endsOperation(status) { return answer(status, path, error) }
                    _ = sink.pointee.put?(sink.pointee.ctx, UInt64(index), status.rawValue, nil, nil)
                } else if let info = host.info(path) {
                    var record = info.record(in: arena)
                    _ = sink.pointee.put?(sink.pointee.ctx, UInt64(index), OVL_OK, &record, nil)
                } else {
                    _ = sink.pointee.put?(sink.pointee.ctx, UInt64(index), OVL_NOT_FOUND, nil, nil)
                }
            }
            return OVL_OK
        }
        table.free_space = { context, free, total, error in
            guard let context else { return OVL_CONTRACT_BROKEN }
            let host = MemoryHost.from(context)
            if let status = host.begin("free_space", "", cost: 1) { return answer(status, "", error) }
            (free.pointee, total.pointee) = (host.freeBytes, host.freeBytes)
            return OVL_OK
        }
        table.local_info = { context, file, sink, error in
            guard let context, let lent = MemoryHost.from(context).lent[file] else {
                return answer(.notFound, "", error)
            }
            let arena = Arena()
            var record = FileInfo(name: lent.name, kind: .regular, size: UInt64(lent.bytes.count)).record(
                in: arena)
            return sink.pointee.put?(sink.pointee.ctx, 0, OVL_OK, &record, nil) ?? OVL_FAILED
        }
    }

    private static func fillContent(_ table: inout ovl_transport_service) {
        table.read = { context, _, path, offset, length, sink, error in
            guard let context, let path = text(path) else { return OVL_CONTRACT_BROKEN }
            let host = MemoryHost.from(context)
            host.calls += 1
            if let status = host.begin("read", path, cost: 3) { return answer(status, path, error) }
            return send(host.range(path, offset, length), path, sink, error)
        }
        table.local_read = { context, file, offset, length, sink, error in
            guard let context else { return OVL_CONTRACT_BROKEN }
            return send(
                MemoryHost.from(context).lent[file].map { slice($0.bytes, offset, length) }, "", sink, error)
        }
        table.read_many = { context, _, requests, sink, error in
            guard let context else { return OVL_CONTRACT_BROKEN }
            let host = MemoryHost.from(context)
            host.calls += 1
            let all = Result {
                try requests.pointee.map(ovl_read_request.self, "requests") { request throws(OverlayError) in
                    try ReadRequest(request)
                }
            }
            guard case .success(let list) = all else { return OVL_INVALID_ARGUMENT }
            host.batches.append(("read_many", list.count))
            for (index, request) in list.enumerated() {
                let arena = Arena()
                var status = host.begin("read_many", request.path, cost: request.once ? 3 : 4)
                if let status, host.endsOperation(status) { return answer(status, request.path, error) }
                let length = request.once ? min(request.length, host.longestAnswer) : request.length
                let bytes = status == nil ? host.range(request.path, request.offset, length) : nil
                if status == nil, bytes == nil { status = .notFound }
                if let bytes {
                    var view = arena.bytes(bytes)
                    _ = sink.pointee.put?(sink.pointee.ctx, UInt64(index), OVL_OK, &view, nil)
                } else {
                    _ = sink.pointee.put?(
                        sink.pointee.ctx, UInt64(index), status?.rawValue ?? OVL_FAILED, nil, nil)
                }
            }
            return OVL_OK
        }
        table.pull = { context, _, paths, sink, error in
            guard let context, let paths = strings(paths) else { return OVL_CONTRACT_BROKEN }
            let host = MemoryHost.from(context)
            host.calls += 1
            for (index, path) in paths.enumerated() {
                var status = host.begin("pull", path, cost: 4)
                if let status, host.endsOperation(status) { return answer(status, path, error) }
                let bytes = status == nil ? host.bytes(of: path, 0, .max) : nil
                if status == nil, bytes == nil { status = .notFound }
                let file = bytes.map { host.lend(path, $0) }
                deliver(
                    status.map { ItemResult(index: index, status: $0, outcome: .failed) }
                        ?? .done(index, .fetched, file: file), sink)
            }
            return OVL_OK
        }
    }

    private static func fillChanges(_ table: inout ovl_transport_service) {
        table.push = { context, _, items, _, sink, error in
            guard let context else { return OVL_CONTRACT_BROKEN }
            let host = MemoryHost.from(context)
            host.calls += 1
            let all = Result {
                try items.pointee.map(ovl_push_item.self, "items") { item throws(OverlayError) in
                    try PushItem(item)
                }
            }
            guard case .success(let list) = all else { return OVL_INVALID_ARGUMENT }
            for (index, item) in list.enumerated() {
                var status = host.begin("push", item.path, cost: 5)
                if let status, host.endsOperation(status) {
                    if let hint = host.interruptedPushHint {
                        deliver(
                            ItemResult(
                                index: index, status: status, outcome: .failed,
                                message: "The operation was cancelled.", hint: hint), sink)
                    }
                    return answer(status, item.path, error)
                }
                if status == nil, let lent = host.lent[item.file.rawValue] {
                    status = host.write(lent.bytes, to: item.path)
                }
                var row = ItemResult.done(index, .added, path: item.path)
                let info = status == nil ? host.info(item.path) : nil
                row.modified = info?.modified ?? 0
                row.created = info?.created ?? 0
                deliver(
                    status.map { ItemResult(index: index, status: $0, outcome: .failed, message: "No luck.") }
                        ?? row, sink)
            }
            return OVL_OK
        }
        table.write = { context, _, path, content, _, error in
            guard let context, let path = text(path) else { return OVL_CONTRACT_BROKEN }
            let host = MemoryHost.from(context)
            host.calls += 1
            if let status = host.begin("write", path, cost: 5) { return answer(status, path, error) }
            guard case .success(let bytes?) = Result(catching: { try content.pointee.array("content") })
            else {
                return OVL_INVALID_ARGUMENT
            }
            if let status = host.write(bytes, to: path) { return answer(status, path, error) }
            return answer(host.end("write", path, nil), path, error)
        }
        table.rename = { context, _, from, to, error in
            guard let context, let from = text(from), let to = text(to) else { return OVL_CONTRACT_BROKEN }
            let host = MemoryHost.from(context)
            host.calls += 1
            if let status = host.beginRename(from, to: to) { return answer(status, from, error) }
            return answer(host.end("rename", from, host.move(from: from, to: to)), from, error)
        }
        table.remove = { context, _, path, options, error in
            guard let context, let path = text(path) else { return OVL_CONTRACT_BROKEN }
            let host = MemoryHost.from(context)
            host.calls += 1
            if let status = host.begin("remove", path, cost: 1) { return answer(status, path, error) }
            let failure = host.remove(path, withAll: options & OVL_REMOVE_RECURSIVE != 0)
            if let failure { return answer(failure, path, error) }
            return answer(host.end("remove", path, nil), path, error)
        }
        table.make_folder = { context, _, path, error in
            guard let context, let path = text(path) else { return OVL_CONTRACT_BROKEN }
            let host = MemoryHost.from(context)
            host.calls += 1
            if let status = host.begin("make_folder", path, cost: 1) { return answer(status, path, error) }
            if let status = host.makeFolder(path) { return answer(status, path, error) }
            return answer(host.end("make_folder", path, nil), path, error)
        }
    }
}

private func strings(_ list: UnsafePointer<ovl_texts>) -> [String]? {
    guard case .success(let texts) = Result(catching: { try list.pointee.strings("texts") }) else {
        return nil
    }
    return texts
}

private func deliver(_ row: ItemResult, _ sink: UnsafePointer<ovl_result_sink>) {
    let arena = Arena()
    guard case .success(var record) = Result(catching: { try row.record(in: arena) }) else { return }
    _ = sink.pointee.put?(sink.pointee.ctx, &record)
}
