import OverlayKit

extension MarvinOverlay: UploadsBooks {
    /// Adds EPUBs: each is checked, staged beside the commands, handed to Marvin in batches, and looked for afterwards.
    ///
    /// Nothing of Marvin's own is ever deleted: a book that is to be replaced stays until Marvin puts the new one in its
    /// place. What ends an upload early withdraws what was staged, as far as the device can still be reached; items that
    /// were not sent say so, and the same upload run again sends them. A person who stops it in Marvin is no failure of the
    /// whole: only the items that Marvin did not take have failed then.
    public func uploadBooks(
        _ items: [UploadItem], options: UploadOptions, report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        let untouched = "The book was not sent."
        try ResultRows.complete(items.count, untouched: untouched, report: report) {
            rows throws(OverlayError) in
            guard options.volume == .main else {
                throw OverlayError(.notSupported, "An iPad or iPhone has no memory cards.")
            }
            guard !items.isEmpty else { return }
            let device = try device()
            try device.requireOnline()
            // The plan rests on what the library has, so nobody else may add to it from here on.
            try device.claimed { claim throws(OverlayError) in
                let planned = try plan(items, options, device, &rows)
                try rows.flush(report)
                guard !planned.isEmpty else { return }
                for batch in UploadBatches.cut(planned, size: try UploadBatches.size(host.prefs)) {
                    try host.cancellation.check()
                    let upload = UploadBatch(
                        device: device, claim: claim, overwrite: options.onConflict == .replace,
                        first: rows.done, count: items.count)
                    defer { host.progress.report(rows.done, of: items.count, phase: "Books added") }
                    guard try upload.run(Array(batch), &rows) else {
                        try host.cancellation.check()
                        return rows.addMissing(.cancelledInMarvin)
                    }
                    try rows.flush(report)
                }
            }
        }
    }

    /// Looks at every file and at the library; items that need nothing more get their rows.
    private func plan(
        _ items: [UploadItem], _ options: UploadOptions, _ device: MarvinDevice, _ rows: inout ResultRows
    ) throws(OverlayError) -> [PlannedUpload] {
        var planner = UploadPlanner(options, library: try device.libraryBooks())
        var planned: [PlannedUpload] = []
        for (index, item) in items.enumerated() {
            try host.cancellation.check()
            host.progress.report(index, of: items.count, phase: "Comparing with the library")
            let size: UInt64
            switch checked(item) {
            case .success(let bytes): size = bytes
            case .failure(let error):
                rows.add(.failed(index, error))
                continue
            }
            switch planner.decide(index, item, size: size) {
            case .send(let upload): planned.append(upload)
            case .row(let row): rows.add(row)
            }
        }
        return planned
    }

    /// The size of an item's file if it is an EPUB.
    private func checked(_ item: UploadItem) -> Result<UInt64, OverlayError> {
        Result { () throws(OverlayError) in
            let transport = host.transport
            let size = try transport.localInfo(item.file).size
            let check = EpubCheck(size: size) { offset, count throws(OverlayError) in
                var bytes: [UInt8] = []
                try transport.localRead(item.file, offset: offset, length: UInt64(count)) { chunk, _, _ in
                    bytes.append(contentsOf: chunk)
                }
                return bytes
            }
            switch try check.verdict() {
            case .epub: return size
            case .damaged(let reason):
                throw OverlayError(.damaged, reason, hint: "Get the book again.")
            case .other(let kind):
                throw OverlayError(
                    .unsupportedFormat, "This is \(kind), not an EPUB.",
                    hint: "Marvin takes EPUBs only; convert the book first.")
            }
        }
    }
}
