import OverlayKit

/// Files on their way to the staging folder.
extension UploadBatch {
    /// The books that fit onto the device; the others get their rows.
    func affordable(
        _ books: [LibraryUpload], _ rows: inout ResultRows
    ) throws(OverlayError) -> [LibraryUpload] {
        let free = try device.host.transport.freeSpace().free
        var left = free > Self.reserve ? free - Self.reserve : 0
        var affordable: [LibraryUpload] = []
        for book in books {
            // What was staged ahead has its space already.
            let needed = ahead.has(book) ? 0 : book.size
            guard needed <= left else {
                rows.add(.failed(book.index, .noRoom(for: book.size)))
                continue
            }
            left -= needed
            affordable.append(book)
        }
        return affordable
    }

    /// Copying may have taken longer than a claim lasts: then the files are not handed over.
    func renewOrWithdraw(_ books: [LibraryUpload]) throws(OverlayError) {
        do throws(OverlayError) {
            try claim.renew()
        } catch {
            _ = device.withdraw(books.map { device.paths.staged($0.name) })
            throw error
        }
    }

    /// Copies the files into the staging folder, as far as they are not there yet; a file that does not arrive gets its row.
    func stage(
        _ books: [LibraryUpload], _ rows: inout ResultRows
    ) throws(OverlayError) -> [LibraryUpload] {
        let (progress, transport) = (device.host.progress, device.host.transport)
        progress.report(first, of: count, phase: "Copying books")
        var arrived = ahead.take()
        let open = books.filter { !arrived.contains($0.index) }
        var failed: [ItemResult] = []
        do {
            guard !open.isEmpty else { return books }
            let items = open.map { PushItem($0.file, to: device.paths.staged($0.name)) }
            try transport.push(device.root, items) { row throws(OverlayError) in
                if row.status == .ok, row.outcome != .failed {
                    arrived.insert(open[row.index].index)
                    progress.report(first + arrived.count / 2, of: count, phase: "Copying books")
                } else {
                    failed.append(row)
                }
            }
        } catch {
            // No command names them, so Marvin leaves them alone; still they are not to lie about.
            let left = Set(device.withdraw(books.map { device.paths.staged($0.name) }).map(\.bytes))
            // What is known of a single file says more than what ended them all, such as which part of it may be left.
            for row in failed { rows.add(notSent(open[row.index], row)) }
            for book in books {
                var reason = error
                reason.message = "The book was not sent. " + error.message.sentence
                let isLeft =
                    left.contains(device.paths.staged(book.name).bytes) && arrived.contains(book.index)
                reason.hint = Self.hint(error, staged: isLeft)
                rows.add(.failed(book.index, reason, path: old(book)))
            }
            throw error
        }
        for row in failed { rows.add(notSent(open[row.index], row)) }
        return books.filter { arrived.contains($0.index) }
    }

    /// The row of a book whose file did not arrive.
    private func notSent(_ book: LibraryUpload, _ row: ItemResult) -> ItemResult {
        let reason = row.message ?? "Copying it to the device failed."
        return ItemResult(
            index: book.index, status: row.status == .ok ? .failed : row.status, outcome: .failed,
            path: old(book), message: "The book was not sent. " + reason.sentence,
            hint: row.hint ?? "Run the same upload again.", domain: row.domain, nativeCode: row.nativeCode,
            retryable: row.retryable)
    }
}

extension OverlayError {
    /// A book of so many bytes does not fit onto the device.
    static func noRoom(for size: UInt64) -> OverlayError {
        let needed = size.addingReportingOverflow(UploadBatch.reserve).partialValue >> 20
        return OverlayError(
            .noSpace, "The device has not enough free space for the book.",
            hint: "Free at least \(needed) MB on the device.")
    }
}
