import DeviceTransport
import HostContent
import HostContract
import HostErrors
import OverlayABI

extension HostSourceService {
    /// The largest number of files that are open for copying at the same time.
    private static let batch = 32

    /// A checked file to copy.
    private struct Item {
        var place: Int
        var path: GrantedPath
        var devicePath: String
        var expected: String?
        /// Whether an interrupted copy is kept, so that the next transfer continues it.
        var isContinued: Bool
    }

    func addCopying(to table: inout ovl_source_service) {
        table.send = { context, root, items, sink, error in
            HostSourceService.serve(context, "source.send", error) { service throws(HostError) in
                let source = try service.granted("source.send", changes: true)
                let files = try service.files("source.send", root)
                let sink = LentFileSink(try service.sink("source.send", sink))
                try service.inBatches("source.send", items, sink) { batch throws(HostError) in
                    try service.send(batch, source.folder, files, sink)
                }
            }
        }
        table.fetch = { context, root, items, sink, error in
            HostSourceService.serve(context, "source.fetch", error) { service throws(HostError) in
                let source = try service.granted("source.fetch", changes: true)
                let files = try service.files("source.fetch", root)
                let sink = LentFileSink(try service.sink("source.fetch", sink))
                let partialFiles = PartialFilePlace(
                    folder: source.folder.partialFileFolder, prefix: source.partialPrefix, key: "\(root)")
                try service.inBatches("source.fetch", items, sink) { batch throws(HostError) in
                    try service.fetch(batch, source.folder, files, partialFiles, sink)
                }
            }
        }
    }

    /// Passes the items to `copy` in batches. Invalid items get their rows immediately.
    private func inBatches(
        _ name: StaticString, _ list: UnsafePointer<ovl_list>, _ sink: LentFileSink,
        _ copy: ([Item]) throws(HostError) -> Void
    ) throws(HostError) {
        let records = try argument(name) { () throws(ContractBreach) in
            guard UInt(bitPattern: list) != 0 else {
                throw ContractBreach(.nullPointer, "A null pointer was passed for ovl_list.")
            }
            return try list.pointee.read(ovl_source_item.self, "items") { record throws(ContractBreach) in
                (
                    try record.path.readRequired("path", limit: BoundaryLimits.path),
                    try record.device_path.readRequired("device_path", limit: BoundaryLimits.path),
                    try record.expected.read("expected", limit: BoundaryLimits.path),
                    record.flags & OVL_SOURCE_CONTINUES != 0
                )
            }
        }
        context.frame?.readAhead.clear()
        context.frame?.keptEnds = HeadTailCache()
        for start in stride(from: 0, to: records.count, by: Self.batch) {
            var items: [Item] = []
            for place in start..<min(start + Self.batch, records.count) {
                let (path, devicePath, expected, isContinued) = records[place]
                do throws(HostError) {
                    items.append(
                        Item(
                            place: place, path: try GrantedPath(path),
                            devicePath: try OverlayPath.checked(devicePath), expected: expected,
                            isContinued: isContinued))
                } catch {
                    sink.put(place, failed: error)
                }
            }
            try checkRunningNow()
            try copy(items)
            try sink.check()
        }
        try checkRunning()
    }

    private func send(
        _ items: [Item], _ folder: GrantedFolder, _ files: any FileAccess, _ sink: LentFileSink
    ) throws(HostError) {
        var open: [(item: Item, reading: GrantedReading, digest: String)] = []
        for item in items {
            environment.progress.copying(item.path.text)
            do throws(HostError) {
                let reading = try folder.read(item.path, expected: item.expected)
                let digest = try reading.digest { () throws(HostError) in try checkRunningNow() }
                open.append((item, reading, digest))
            } catch {
                try checkRunningNow()
                sink.put(item.place, failed: error)
            }
        }
        // The path refers to the opened file, even if another program replaces the file.
        let requests = open.map {
            PushRequest(
                .file($0.reading.path), to: $0.item.devicePath,
                options: WriteOptions(
                    modified: $0.reading.file.modified,
                    contentDigest: $0.item.isContinued ? $0.digest : nil))
        }
        let results = files.pushMany(
            requests, context.operation(environment.progress.transfer(.push, of: open.map(\.item.path.text))),
            each: { _, _ in })
        environment.progress.settle()
        guard results.count == open.count else { throw HostError.missingRows("source.send") }
        for ((item, reading, digest), result) in zip(open, results) {
            switch result {
            case .success(let status):
                do throws(HostError) {
                    try reading.checkUnchanged()
                } catch {
                    sink.put(item.place, failed: error)
                    continue
                }
                sink.put(
                    item.place, reading.file, LentCopy(digest: digest, deviceModified: status.modified ?? 0))
            case .failure(let error):
                sink.put(item.place, failed: Self.failure(error, about: reading.path, item.path))
            }
        }
    }

    private func fetch(
        _ items: [Item], _ folder: GrantedFolder, _ files: any FileAccess, _ partialFiles: PartialFilePlace,
        _ sink: LentFileSink
    ) throws(HostError) {
        var open: [(item: Item, replacement: GrantedReplacement)] = []
        for item in items {
            environment.progress.copying(item.path.text)
            do throws(HostError) {
                open.append((item, try folder.replacement(item.path, expected: item.expected)))
            } catch {
                sink.put(item.place, failed: error)
            }
        }
        let requests = open.map {
            PullRequest(
                $0.item.devicePath, to: $0.replacement.stagedPath, replacesExisting: true,
                partialFiles: partialFiles)
        }
        let results = files.pullMany(
            requests, context.operation(environment.progress.transfer(.pull, of: open.map(\.item.path.text))),
            each: { _, _ in })
        environment.progress.settle()
        guard results.count == open.count else { throw HostError.missingRows("source.fetch") }
        for ((item, replacement), result) in zip(open, results) {
            do throws(HostError) {
                guard case .success(let status) = result else {
                    if case .failure(let error) = result {
                        throw Self.failure(error, about: replacement.stagedPath, item.path)
                    }
                    continue
                }
                let digest = try replacement.read().digest { () throws(HostError) in try checkRunningNow() }
                sink.put(
                    item.place, try replacement.place(),
                    LentCopy(digest: digest, deviceModified: status.modified ?? 0))
            } catch {
                sink.put(item.place, failed: error)
            }
        }
    }

    /// The error of a copy, with the path in the source instead of the one with which the host opened the file.
    private static func failure(
        _ error: TransportError, about opened: String, _ path: GrantedPath
    ) -> HostError {
        var failure = HostError(error)
        if failure.subject?.hasPrefix(opened) == true { failure.subject = path.text }
        return failure
    }
}
