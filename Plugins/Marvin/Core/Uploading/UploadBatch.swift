import BookFolders
import Claims
import MarvinCommands
import OverlayKit

/// One batch of an upload: it is staged, sent to Marvin, and checked.
struct UploadBatch {
    /// Bytes to leave free on the device for Marvin's library and covers.
    static let reserve: UInt64 = 2 << 20

    let device: MarvinDevice
    /// The claim that allows commands to Marvin.
    let claim: FolderClaim
    /// Whether Marvin replaces existing books.
    let overwrite: Bool
    /// The number of items before this batch, and of the whole upload, for progress.
    let first: Int
    let count: Int
    /// The files of this batch that were staged while Marvin worked on the one before.
    let ahead: StagingPipeline
    /// Stages the next batch while Marvin works on this one.
    let next: StagingPipeline

    /// Uploads the books and adds a row for each.
    ///
    /// - Returns: false if Marvin was asked to stop and should not get further batches.
    /// - Throws: errors that end the whole upload; each book of the batch has its row even then.
    func run(_ books: [LibraryUpload], _ rows: inout ItemRows) throws(OverlayError) -> Bool {
        let affordable = try affordable(books, &rows)
        guard !affordable.isEmpty else { return true }
        try claim.renew()
        let snapshot = try UploadSnapshot(device, before: affordable)
        let staged = try stage(affordable, &rows)
        guard !staged.isEmpty else { return true }
        try renewOrWithdraw(staged)
        device.host.progress.report(first + staged.count / 2, of: count, phase: "Waiting for Marvin")
        let command = UploadBooks(
            timestamp: .now, overwrite: overwrite,
            books: staged.map(\.command))
        let (progress, first, total) = (device.host.progress, first, count)
        next.begin(beside: staged)
        let outcome = DeviceExchange.run(
            .uploadBooks(command), staged: staged.map { device.paths.staged($0.name) }, on: device,
            meanwhile: next.step
        ) { fraction in
            progress.report(
                first + Int(fraction * Double(staged.count)), of: total, phase: "Marvin is importing books")
        }
        try conclude(staged, snapshot, outcome, &rows)
        return outcome.ending != .cancelled
    }

    /// Adds the row of each book, according to the present state of the device.
    private func conclude(
        _ books: [LibraryUpload], _ snapshot: UploadSnapshot, _ outcome: CommandOutcome,
        _ rows: inout ItemRows
    ) throws(OverlayError) {
        let failure: OverlayError? =
            outcome.isCompleted
            ? nil : OverlayError(outcome, .uploadBooks, cancelled: device.interruption())
        let found: (verdicts: [UploadVerdict], library: [[UInt8]: LibraryBook]?)
        do {
            found = try snapshot.after(books, outcome)
        } catch {
            for book in books { rows.add(unknown(book, outcome, failure ?? error)) }
            throw failure ?? error
        }
        let paths = found.verdicts.map(\.path)
        let untold = tellWhatFilesDoNot(books, paths, found.library)
        noteCovers(books, paths)
        // The upload continues after a refused command and after a command that did all its work. Any other outcome
        // ends it.
        var end: OverlayError?
        if let failure, failure.status != .rejected, paths.contains(nil) { end = failure }
        let left = removeSuperseded(books, paths, end)
        let remarks = MarvinMessages(outcome, about: books.map(\.name))
        for (book, verdict) in zip(books, found.verdicts) {
            var row = row(book, verdict, outcome, remarks, failure)
            let remarks = row.outcome == .failed ? [] : book.remarks
            let said = remarks + [row.message, untold[book.index], left[book.index]].compactMap { $0 }
            row.message = said.isEmpty ? nil : said.joined(separator: " ")
            rows.add(row)
        }
        if let end { throw end }
    }

    /// Records the covers of the books that are there.
    private func noteCovers(_ books: [LibraryUpload], _ paths: [String?]) {
        var covers = SentCovers(device.host)
        for (book, path) in zip(books, paths) {
            // The library's id for the cover is not read: it is the one that was sent, or the next update sends the
            // cover again.
            guard let path, let hash = book.cover?.hash ?? book.coverHash else { continue }
            var taken = LibraryBook(fileName: path)
            taken.coverHash = hash
            covers.note(hash, for: taken)
        }
        covers.save()
    }
}

/// Copies files to the staging folder.
extension UploadBatch {
    /// The books that fit on the device; the others get their rows.
    func affordable(
        _ books: [LibraryUpload], _ rows: inout ItemRows
    ) throws(OverlayError) -> [LibraryUpload] {
        let free = try device.host.transport.freeSpace().free
        var left = free > Self.reserve ? free - Self.reserve : 0
        var affordable: [LibraryUpload] = []
        for book in books {
            // A book that was staged ahead already uses its space.
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

    /// If copying took longer than a claim lasts, the files are not given to Marvin.
    func renewOrWithdraw(_ books: [LibraryUpload]) throws(OverlayError) {
        do throws(OverlayError) {
            try claim.renew()
        } catch {
            _ = device.withdraw(books.map { device.paths.staged($0.name) })
            throw error
        }
    }

    /// Copies the files to the staging folder, except those already there; a file that cannot be copied gets its row.
    func stage(
        _ books: [LibraryUpload], _ rows: inout ItemRows
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
            // Marvin ignores these files because no command refers to them, but they must be removed.
            let left = Set(device.withdraw(books.map { device.paths.staged($0.name) }).map(\.bytes))
            // The error of a single file is more specific than the error that ended the upload. For example, it says
            // which part of the file may be left.
            for row in failed { rows.add(notSent(open[row.index], row)) }
            for book in books {
                var reason = error
                reason.message = "The book was not sent. " + error.message
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

    /// The row of a book that could not be copied.
    private func notSent(_ book: LibraryUpload, _ row: ItemResult) -> ItemResult {
        let reason = row.message ?? "Copying it to the device failed."
        return ItemResult(
            index: book.index, status: row.status == .ok ? .failed : row.status, outcome: .failed,
            path: old(book), message: "The book was not sent. " + reason,
            hint: row.hint ?? "Run the same command again.", domain: row.domain, nativeCode: row.nativeCode,
            retryable: row.retryable)
    }
}

extension OverlayError {
    /// The error for a book of this size that does not fit on the device.
    static func noRoom(for size: UInt64) -> OverlayError {
        let needed = size.addingReportingOverflow(UploadBatch.reserve).partialValue >> 20
        return OverlayError(
            .noSpace, "The device does not have enough free space for the book.",
            hint: "Free at least \(needed) MB on the device.")
    }
}

/// Messages about the books of a batch.
extension UploadBatch {
    func row(
        _ book: LibraryUpload, _ verdict: UploadVerdict, _ outcome: CommandOutcome, _ remarks: MarvinMessages,
        _ failure: OverlayError?
    ) -> ItemResult {
        if let path = verdict.path {
            return .done(
                book.index, book.replaces || book.supersedes != nil ? .replaced : .added, path: path,
                message: remarks.note(book.name))
        }
        if let said = remarks.about(book.name) {
            return .failed(
                book.index, OverlayError(.rejected, "Marvin rejected the book: '\(said)'"), path: old(book))
        }
        if var failure {
            failure.hint = Self.hint(failure, staged: isLeft(book, outcome))
            return .failed(book.index, failure, path: old(book))
        }
        if verdict == .unlisted {
            return .failed(
                book.index,
                OverlayError(
                    .verificationFailed,
                    "Marvin reported success, but the book is not in its library. The file is in "
                        + "Marvin's documents."
                        + (remarks.general.map { " Marvin reports: \($0)" } ?? ""),
                    hint:
                        "Restart Marvin on the device. If it does not show the book, run the same command again."
                ),
                path: book.supersedes?.fileName)
        }
        let said =
            book.replaces ? "the old copy of the book is still there." : "the book is not in its library."
        return .failed(
            book.index,
            OverlayError(
                remarks.general == nil ? .verificationFailed : .rejected,
                remarks.general.map { "Marvin did not import the book. Marvin reports: \($0)" }
                    ?? "Marvin reported success, but \(said)",
                hint: "Restart Marvin on the device and try again."), path: old(book))
    }

    /// The row of a book that could not be checked.
    func unknown(_ book: LibraryUpload, _ outcome: CommandOutcome, _ reason: OverlayError) -> ItemResult {
        var reason = reason
        reason.hint = Self.hint(reason, staged: isLeft(book, outcome))
        reason.message = reason.message + " Marvin may or may not have imported the book."
        return .failed(book.index, reason)
    }

    /// The path of the old copy, which still exists if a replacement failed.
    func old(_ book: LibraryUpload) -> String? {
        book.replaces ? book.name : book.supersedes?.fileName
    }

    /// Whether the staged copy of a book may still be on the device.
    private func isLeft(_ book: LibraryUpload, _ outcome: CommandOutcome) -> Bool {
        let staged = device.paths.staged(book.name)
        return outcome.leftBehind.contains { $0.utf8.elementsEqual(staged.utf8) }
    }

    /// The hint for a book that Marvin did not add.
    static func hint(_ error: OverlayError, staged: Bool) -> String? {
        guard staged else { return error.hint ?? "Run the same command again." }
        return "A copy is waiting in Marvin's staging folder. Run the same command again to finish."
    }
}
