import BookFolders
import Claims
import OverlayKit
import UploadPlanning

extension MarvinOverlay: UploadsBooks {
    /// Adds EPUBs: checks each, copies it to the staging folder, sends batches of them to Marvin, and checks the
    /// result.
    ///
    /// Marvin's own files are never deleted: a book to be replaced stays until Marvin replaces it with the new one.
    /// If an upload ends early, the staged files are removed, as far as the device can still be reached; items that
    /// were not sent say so, and the same upload sends them when it is run again. If the user stops the upload in
    /// Marvin, only the items that Marvin did not take have failed.
    public func uploadBooks(
        _ items: [UploadItem], options: UploadOptions, report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        let untouched = "The book was not sent."
        func reportRow(_ row: ItemResult) throws(OverlayError) {
            // Until the next listing, it is not known what the host believes about the book.
            if let path = row.path, row.outcome != .skipped { shown.forget(path) }
            try report(row)
        }
        try ItemRows.complete(items.count, untouched: untouched, report: reportRow) {
            rows throws(OverlayError) in
            guard options.volume == .main else {
                throw OverlayError(.notSupported, "An iPad or iPhone has no memory cards.")
            }
            guard !items.isEmpty else { return }
            if case .documents(let paths) = try access() {
                return try dropDocuments(items, options, device(paths), &rows)
            }
            let device = try device()
            try device.requireOnline()
            // Other programs must not change the library from here on, because the plan depends on it.
            try device.claimed { claim throws(OverlayError) in
                let plan = try plan(items, options, device, claim, &rows)
                try rows.flush(reportRow)
                let size = try CommandBatches.size(host.prefs)
                guard
                    try send(
                        CommandBatches.cut(plan.uploads, size: size), device, claim,
                        overwrite: options.onConflict == .replace, count: items.count, &rows, reportRow)
                else { return rows.addMissing(.cancelledInMarvin) }
                let run = ChangeRun(
                    device: device, claim: claim, batchSize: size, first: rows.done, count: items.count,
                    isFresh: plan.uploads.isEmpty)
                let uuids = plan.changes.map { ($0.index, items[$0.index].book.uuid ?? "") }
                try run.run(plan.changes, uuids: Dictionary(uniqueKeysWithValues: uuids), &rows)
            }
        }
    }

    /// Uploads the batches one after another. The files of each batch are copied while Marvin works on the one
    /// before.
    ///
    /// - Returns: false if Marvin was asked to stop.
    private func send(
        _ batches: [ArraySlice<LibraryUpload>], _ device: MarvinDevice, _ claim: FolderClaim, overwrite: Bool,
        count: Int, _ rows: inout ItemRows, _ report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) -> Bool {
        var ahead = StagingPipeline(device, [])
        var next = ahead
        defer {
            ahead.withdraw()
            next.withdraw()
        }
        for (number, planned) in batches.enumerated() {
            try host.cancellation.check()
            let batch = number == 0 ? Array(planned) : try refreshed(planned, device)
            (ahead, next) = (
                next, StagingPipeline(device, number + 1 < batches.count ? batches[number + 1] : [])
            )
            let upload = UploadBatch(
                device: device, claim: claim, overwrite: overwrite, first: rows.done, count: count,
                ahead: ahead, next: next)
            defer { host.progress.report(rows.done, of: count, phase: "Books added") }
            guard try upload.run(batch, &rows) else {
                try host.cancellation.check()
                return false
            }
            try rows.flush(report)
        }
        return true
    }

    /// The books of a later batch; those that replace others use the present state of these, because Marvin may have
    /// changed them meanwhile.
    private func refreshed(
        _ uploads: ArraySlice<LibraryUpload>, _ device: MarvinDevice
    ) throws(OverlayError) -> [LibraryUpload] {
        var uploads = Array(uploads)
        guard uploads.contains(where: { $0.present != nil }) else { return uploads }
        var library: [[UInt8]: LibraryBook] = [:]
        for book in try device.libraryBooks() { library[book.fileName.bytes] = book }
        for index in uploads.indices { uploads[index].refresh(library) }
        return uploads
    }

    /// Examines every file and the library; items that need nothing more get their rows.
    private func plan(
        _ items: [UploadItem], _ options: UploadOptions, _ device: MarvinDevice, _ claim: FolderClaim,
        _ rows: inout ItemRows
    ) throws(OverlayError) -> (uploads: [LibraryUpload], changes: [BookChange]) {
        let marks = LibraryMarks(device)
        let library = try options.onConflict == .replace ? marks.libraryBooks() : device.libraryBooks()
        var options = options
        options.collections = options.collections.map(CollectionNames(library).asListed)
        let covers = SentCovers(device.host)
        var plan = LibraryUploadPlan(
            options, of: items.map(\.book),
            LibraryEvidence(library, contents: ContentMatcher(device, library: library), marks: marks),
            merges: try host.prefs.bool(LibraryUploadPlan.mergePreference, default: true), log: host.log,
            isNewCover: covers.isNew)
        let checker = UploadChecker(host: host)
        var (uploads, changes): ([LibraryUpload], [BookChange]) = ([], [])
        var skipped: [(index: Int, size: UInt64, book: LibraryBook, rule: MatchRule)] = []
        for (index, item) in items.enumerated() {
            try host.cancellation.check()
            try claim.keep()
            host.progress.report(index, of: items.count, phase: "Comparing with the library")
            let size: UInt64
            switch Result(catching: { () throws(OverlayError) in try checker.size(item) }) {
            case .success(let bytes): size = bytes
            case .failure(let error):
                rows.add(.failed(index, error))
                continue
            }
            switch try plan.step(index, item, size: size) {
            case .send(var upload, let earlier):
                if let earlier {
                    uploads.removeAll { $0.index == earlier }
                    rows.add(earlier, like: index, message: DuplicateMessages.later)
                }
                try checker.complete(&upload, item)
                uploads.append(upload)
            case .change(let change): changes.append(change)
            case .present(let book, let rule): skipped.append((index, size, book, rule))
            case .same(let first, let message): rows.add(index, like: first, message: message)
            case .row(let row): rows.add(row)
            }
        }
        // The sizes that a listing recorded may be outdated, and this is shown to the user.
        let open = skipped.filter { $0.rule != .content }
        let files = try device.files(
            open.map { device.paths.document($0.book.fileName) }, phase: "Comparing with the library")
        var isOther: Set<Int> = []
        for (item, file) in zip(open, files) {
            guard let file else { continue }
            var isKnown = file.size != item.size
            if !isKnown, item.rule == .name || item.rule == .uuidAlone {
                isKnown =
                    try ContentComparison(device)
                    .isSameAsFarAsRead(items[item.index].file, item.size, item.book.fileName) == false
            }
            if isKnown { isOther.insert(item.index) }
        }
        for item in skipped {
            rows.add(plan.skipped(item.index, item.book, item.rule, isOther: isOther.contains(item.index)))
        }
        return (uploads, changes)
    }
}
