import DeviceTransport
import Glibc
import HostContent
import HostContract
import HostErrors
import OverlayABI
import Platform

extension HostTransportService {
    func addReading(to table: inout ovl_transport_service) {
        table.list = { context, root, path, options, sink, error in
            HostTransportService.serve(context, "transport.list", error) { service throws(HostError) in
                try service.list(try service.files("transport.list", root), root, path, options, sink)
            }
        }
        table.stat = { context, root, paths, sink, error in
            HostTransportService.serve(context, "transport.stat", error) { service throws(HostError) in
                let files = try service.files("transport.stat", root)
                let paths = try service.paths("transport.stat", paths)
                let sink = FileSink(try service.sink("transport.stat", sink))
                let results = files.statMany(paths, service.context.operation())
                guard results.count == paths.count else { throw HostError.missingRows("transport.stat") }
                var folders: [String] = []
                for (index, result) in results.enumerated() {
                    if case .success(let status) = result, status.kind == .folder {
                        folders.append(paths[index])
                    }
                    try sink.put(index, OverlayPath.name(of: paths[index]), result)
                }
                if files.overlapsListings { service.context.frame?.readAhead.found(folders, in: root) }
                try service.checkRunning()
            }
        }
        table.read = { context, root, path, offset, length, sink, error in
            HostTransportService.serve(context, "transport.read", error) { service throws(HostError) in
                try service.read(try service.files("transport.read", root), path, offset, length, sink)
            }
        }
        table.read_many = { context, root, requests, sink, error in
            HostTransportService.serve(context, "transport.read_many", error) { service throws(HostError) in
                try service.readMany(
                    try service.files("transport.read_many", root), root, requests, sink)
            }
        }
        table.pull = { context, root, paths, sink, error in
            HostTransportService.serve(context, "transport.pull", error) { service throws(HostError) in
                try service.pull(try service.files("transport.pull", root), root, paths, sink)
            }
        }
    }

    private func list(
        _ files: any FileAccess, _ root: UInt32, _ path: UnsafePointer<ovl_text>, _ options: UInt32,
        _ pointer: UnsafePointer<ovl_file_sink>
    ) throws(HostError) {
        let path = try self.path("transport.list", path)
        let sink = FileSink(try sink("transport.list", pointer))
        if options & OVL_LIST_WITH_INFO != 0 {
            let entries = try transporting { () throws(TransportError) in
                try files.entries(path, context.operation())
            }
            for (index, entry) in entries.enumerated() {
                try sink.put(index, entry.name, .success(entry.status))
            }
            return
        }
        let names: [String]
        do throws(TransportError) {
            if let known = context.frame?.readAhead.take(path, in: root, at: environment.now()) {
                try environment.roots.device.wait(for: .zero, context.operation())
                names = known
            } else {
                let folders = [path] + foldersToFollow(path, in: root)
                names = try keep(
                    files.listMany(folders, keeping: FolderReadAhead.mostBytes, context.operation()),
                    of: folders)
            }
        } catch {
            throw HostError(error)
        }
        for (index, name) in names.enumerated() { try sink.put(index, name) }
    }

    /// The folders for whose names the overlay will probably ask after those of a folder.
    private func foldersToFollow(_ path: String, in root: UInt32) -> [String] {
        context.frame?.readAhead.companions(of: path, in: root, at: environment.now()) ?? []
    }

    /// Keeps the names in all folders except the first one, and returns those in the first one. If another folder
    /// could not be listed, it is requested again when it is needed.
    private func keep(
        _ answers: [TransferResult<[String]>], of folders: [String]
    ) throws(TransportError) -> [String] {
        let now = environment.now()
        for (folder, answer) in zip(folders, answers).dropFirst() {
            if case .success(let names) = answer { context.frame?.readAhead.keep(names, of: folder, at: now) }
        }
        guard let own = answers.first else {
            throw TransportError(.internalFailure, "A listing has no result.", subject: folders.first)
        }
        return try own.get()
    }

    private func read(
        _ files: any FileAccess, _ path: UnsafePointer<ovl_text>, _ offset: UInt64, _ length: UInt64,
        _ pointer: UnsafePointer<ovl_bytes_sink>
    ) throws(HostError) {
        let path = try self.path("transport.read", path)
        let sink = try sink("transport.read", pointer)
        let end = length == OVL_UNKNOWN ? (UInt64.max, false) : offset.addingReportingOverflow(length)
        guard !end.1, end.0 >= offset else {
            throw HostError(.invalidArgument, "The byte range is invalid.", subject: path)
        }
        let range = offset == 0 && length == OVL_UNKNOWN ? nil : offset..<end.0
        var position: UInt64 = 0
        var stopped = false
        do throws(TransportError) {
            try files.read(path, range: range, context.operation(environment.progress.transfer(.read))) {
                bytes throws(TransportError) in
                guard let put = sink.put, !bytes.isEmpty else { return }
                let chunk = ovl_bytes(
                    data: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), size: UInt64(bytes.count))
                let status = withUnsafePointer(to: chunk) { put(sink.ctx, $0, position, OVL_UNKNOWN) }
                position += UInt64(bytes.count)
                guard status == OVL_OK else {
                    stopped = true
                    throw TransportError(.cancelled, "The receiver asked to stop.")
                }
            }
            environment.progress.settle()
        } catch {
            environment.progress.settle()
            throw stopped ? HostError.receiverStopped : HostError(error)
        }
    }

    private func readMany(
        _ files: any FileAccess, _ root: UInt32, _ list: UnsafePointer<ovl_list>,
        _ pointer: UnsafePointer<ovl_read_sink>
    ) throws(HostError) {
        let sink = try sink("transport.read_many", pointer)
        let wanted = try argument("transport.read_many") { () throws(ContractBreach) in
            guard UInt(bitPattern: list) != 0 else {
                throw ContractBreach(.nullPointer, "A null pointer was passed for ovl_list.")
            }
            return try list.pointee.read(ovl_read_request.self, "requests") { record throws(ContractBreach) in
                (
                    try record.path.readRequired("path", limit: BoundaryLimits.path), record.offset,
                    record.length, record.flags
                )
            }
        }
        var parts: [CoalescedReads.Part] = []
        parts.reserveCapacity(wanted.count)
        for (path, offset, length, flags) in wanted {
            let end = offset.addingReportingOverflow(length)
            guard length <= OVL_READ_LIMIT, !end.overflow else {
                throw HostError(
                    .invalidArgument, "A read_many request can ask for at most \(OVL_READ_LIMIT) bytes.",
                    subject: path)
            }
            parts.append(
                CoalescedReads.Part(
                    request: FileReadRequest(
                        try OverlayPath.checked(path), range: offset..<end.partialValue,
                        limit: Int(OVL_READ_LIMIT), once: flags & OVL_READ_ONCE != 0),
                    precedesMetadata: flags & OVL_READ_BEFORE_METADATA != 0))
        }
        var kept = context.frame?.keptEnds ?? HeadTailCache()
        var stopped = false
        func deliver(_ index: Int, _ result: TransferResult<[UInt8]>) {
            guard !stopped, let put = sink.put else { return }
            let status: ovl_status =
                switch result {
                case .success(let bytes): bytes.lend { put(sink.ctx, UInt64(index), OVL_OK, $0, nil) }
                case .failure(let error):
                    HostError(error).lend { put(sink.ctx, UInt64(index), $0.pointee.status, nil, $0) }
                }
            stopped = status != OVL_OK
        }
        let left = readStaged(parts, root, files) { deliver($0, .success($1)) }
        var reads = CoalescedReads(left.map { parts[$0] }, in: root, kept)
        if !left.isEmpty {
            files.readMany(reads.reads, context.operation(environment.progress.transfer(.read))) {
                place, result in
                reads.take(place, result, &kept) { deliver(left[$0], $1) }
            }
        }
        context.frame?.keptEnds = kept
        environment.progress.settle()
        if stopped { throw HostError.receiverStopped }
        try checkRunning()
    }

    /// Copies the files whose parts are requested, if a command has enabled staging, and returns the parts from these
    /// copies.
    ///
    /// - Returns: the parts that must be read from the device.
    private func readStaged(
        _ parts: [CoalescedReads.Part], _ root: UInt32, _ files: any FileAccess,
        each: (Int, [UInt8]) -> Void
    ) -> [Int] {
        guard let staged = context.staged else { return Array(parts.indices) }
        let groups = CoalescedReads.groups(parts)
        let wanted = groups.compactMap { group in
            CoalescedReads.size(group).flatMap { size in
                group.first.map { StagedCopies.File(path: $0.request.path, size: size) }
            }
        }
        staged.copy(wanted, in: root, files, context.operation(environment.progress.transfer(.pull)))
        var left: [Int] = []
        for group in groups {
            if let size = CoalescedReads.size(group), let path = group.first?.request.path,
                let copy = staged.find(path, in: root), copy.size == size,
                let bytes = Self.parts(of: copy.path, group.compactMap(\.request.range))
            {
                for (index, part) in zip(group.indices, bytes) { each(index, part) }
            } else {
                left += group.indices
            }
        }
        return left
    }

    /// Reads parts of a local file; nil if one of them does not exist.
    private static func parts(of path: String, _ ranges: [Range<UInt64>]) -> [[UInt8]]? {
        guard let file = FileDescriptor(opening: path, O_RDONLY | O_NOFOLLOW) else { return nil }
        var parts: [[UInt8]] = []
        for range in ranges {
            let count = Int(clamping: range.upperBound - range.lowerBound)
            let part = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
                initialized = max(0, pread(file.number, buffer.baseAddress, count, off_t(range.lowerBound)))
            }
            guard part.count == count else { return nil }
            parts.append(part)
        }
        return parts
    }

    /// The error of a fetch, without the path of the file on the host.
    static func failure(_ error: TransportError, storing path: String) -> HostError {
        var failure = HostError(error)
        guard failure.subject == path else { return failure }
        failure.subject = nil
        failure.message = "A local file could not be used. \(error.message)"
        return failure
    }

    private func pull(
        _ files: any FileAccess, _ root: UInt32, _ texts: UnsafePointer<ovl_texts>,
        _ pointer: UnsafePointer<ovl_result_sink>
    ) throws(HostError) {
        let paths = try self.paths("transport.pull", texts)
        let sink = try sink("transport.pull", pointer)
        let folder = context.pullFolder ?? PullFolder(parent: environment.temporaryFolder)
        context.pullFolder = folder
        let rows = RowSink(sink)
        func lend(_ index: Int, _ path: String) {
            guard let identity = LocalIdentity(path: path) else {
                return rows.put(
                    index, failed: HostError(.hostIO, "The fetched file is no longer on this computer.")
                )
            }
            let loan = FileLoans.Loan(
                path: path, name: OverlayPath.name(of: paths[index]), identity: identity, isFetched: true
            )
            rows.put(index, .fetched, path: paths[index], file: context.loans.lend(loan))
        }
        var (requests, places) = ([PullRequest](), [Int]())
        for (index, path) in paths.enumerated() {
            let target = try folder.newPath()
            if context.staged?.take(path, in: root, to: target) == true {
                lend(index, target)
            } else {
                requests.append(
                    PullRequest(path, to: target, expectedSize: context.frame?.listedSizes.find(path)))
                places.append(index)
            }
        }
        if !requests.isEmpty {
            _ = files.pullMany(requests, context.operation(environment.progress.transfer(.pull))) {
                index, result in
                guard requests.indices.contains(index) else { return }
                switch result {
                case .success: lend(places[index], requests[index].localPath)
                case .failure(let error):
                    rows.put(
                        places[index], failed: Self.failure(error, storing: requests[index].localPath))
                }
            }
        }
        environment.progress.settle()
        try rows.check(count: paths.count, "transport.pull")
        try checkRunning()
    }
}
