import DeviceTransport
import HostContent
import HostContract
import HostErrors
import OverlayABI

extension HostTransportService {
    func addWriting(to table: inout ovl_transport_service) {
        table.write = { context, root, path, bytes, options, error in
            HostTransportService.serve(context, "transport.write", error) { service throws(HostError) in
                try service.write(try service.changing("transport.write", root), path, bytes, options)
            }
        }
        table.push = { context, root, items, options, sink, error in
            HostTransportService.serve(context, "transport.push", error) { service throws(HostError) in
                try service.push(try service.changing("transport.push", root), items, options, sink)
            }
        }
        table.rename = { context, root, from, to, error in
            HostTransportService.serve(context, "transport.rename", error) { service throws(HostError) in
                let files = try service.changing("transport.rename", root)
                let (from, to) = (
                    try service.path("transport.rename", from), try service.path("transport.rename", to)
                )
                try transporting { () throws(TransportError) in
                    try files.rename(from, to: to, replaces: true, service.context.operation())
                }
            }
        }
        table.remove = { context, root, path, options, error in
            HostTransportService.serve(context, "transport.remove", error) { service throws(HostError) in
                let files = try service.changing("transport.remove", root)
                let path = try service.path("transport.remove", path)
                try transporting { () throws(TransportError) in
                    try files.remove(
                        path, recursive: options & OVL_REMOVE_RECURSIVE != 0, service.context.operation())
                }
            }
        }
        table.make_folder = { context, root, path, error in
            HostTransportService.serve(context, "transport.make_folder", error) { service throws(HostError) in
                let files = try service.changing("transport.make_folder", root)
                let path = try service.path("transport.make_folder", path)
                try transporting { () throws(TransportError) in
                    try files.makeFolder(path, intermediate: true, service.context.operation())
                }
            }
        }
    }

    /// The files of a root for a change by the overlay. Discards data that was read in advance, because it may become
    /// wrong.
    private func changing(_ name: StaticString, _ root: UInt32) throws(HostError) -> any FileAccess {
        // Also checks the thread, so this must come before access to the frame, which belongs to the device thread.
        let files = try files(name, root)
        try requireNoDryRun(name)
        context.frame?.readAhead.clear()
        context.frame?.keptEnds = HeadTailCache()
        context.staged = nil
        return files
    }

    private static func writeOptions(_ options: UInt32) -> WriteOptions {
        WriteOptions(verification: options & OVL_WRITE_VERIFY_DIGEST != 0 ? .contents : .size)
    }

    private func write(
        _ files: any FileAccess, _ path: UnsafePointer<ovl_text>, _ bytes: UnsafePointer<ovl_bytes>,
        _ options: UInt32
    ) throws(HostError) {
        let path = try self.path("transport.write", path)
        let content = try argument("transport.write") { () throws(ContractBreach) in
            guard UInt(bitPattern: bytes) != 0 else {
                throw ContractBreach(.nullPointer, "A null pointer was passed for ovl_bytes.")
            }
            return try bytes.pointee.read("bytes", limit: BoundaryLimits.booklistBytes) ?? []
        }
        try transporting { () throws(TransportError) in
            try files.write(content, to: path, options: Self.writeOptions(options), context.operation())
        }
    }

    private func push(
        _ files: any FileAccess, _ list: UnsafePointer<ovl_list>, _ options: UInt32,
        _ pointer: UnsafePointer<ovl_result_sink>
    ) throws(HostError) {
        let rows = RowSink(try sink("transport.push", pointer))
        let items = try argument("transport.push") { () throws(ContractBreach) in
            guard UInt(bitPattern: list) != 0 else {
                throw ContractBreach(.nullPointer, "A null pointer was passed for ovl_list.")
            }
            return try list.pointee.read(ovl_push_item.self, "items") { record throws(ContractBreach) in
                (record.file, try record.path.readRequired("path", limit: BoundaryLimits.path))
            }
        }
        // Items that fail here are not passed to the transport. `places` contains the index of the item for each
        // request.
        var requests: [PushRequest] = []
        var places: [Int] = []
        for (index, (file, path)) in items.enumerated() {
            do throws(HostError) {
                let path = try OverlayPath.checked(path)
                let loan = try context.loans.loan(file)
                guard LocalIdentity(path: loan.path) == loan.identity else { throw loan.changed }
                requests.append(PushRequest(.file(loan.path), to: path, options: Self.writeOptions(options)))
                places.append(index)
            } catch {
                rows.put(index, failed: error)
            }
        }
        _ = files.pushMany(requests, context.operation(environment.progress.transfer(.push))) {
            request, result in
            guard places.indices.contains(request) else { return }
            switch result {
            case .success(let status):
                rows.put(places[request], .added, path: requests[request].path, status: status)
            case .failure(let error): rows.put(places[request], failed: HostError(error))
            }
        }
        environment.progress.settle()
        try rows.check(count: items.count, "transport.push")
        try checkRunning()
    }
}
