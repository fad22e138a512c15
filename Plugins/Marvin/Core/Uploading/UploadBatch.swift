import Claims
import CommandProtocol
import Glibc
import OverlayKit

/// One batch of an upload: staged, handed over, and looked for.
struct UploadBatch {
    /// Space that is left free on the device, for Marvin's library and covers.
    static let reserve: UInt64 = 2 << 20

    let device: MarvinDevice
    /// The right to hand commands to Marvin.
    let claim: FolderClaim
    /// Whether Marvin replaces books it has.
    let overwrite: Bool
    /// Items that were done before this batch, and items of the whole upload, for progress.
    let first: Int
    let count: Int
    /// What was staged of this batch while Marvin worked on the one before.
    let ahead: StagingPipeline
    /// What can be staged of the next batch while Marvin works on this one.
    let next: StagingPipeline

    /// Uploads the books, and puts a row for each.
    ///
    /// - Returns: false when Marvin was told to stop, so that it should get no further batch.
    /// - Throws: what ends the upload as a whole; each book of the batch has its row then too.
    func run(_ books: [LibraryUpload], _ rows: inout ResultRows) throws(OverlayError) -> Bool {
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

    /// Puts the row of each book by what is on the device now.
    private func conclude(
        _ books: [LibraryUpload], _ snapshot: UploadSnapshot, _ outcome: CommandOutcome,
        _ rows: inout ResultRows
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
        // A command that Marvin refused says nothing about the next one, and one that did all its work harms nothing;
        // anything else ends the upload.
        var end: OverlayError?
        if let failure, failure.status != .rejected, paths.contains(nil) { end = failure }
        let left = removeSuperseded(books, paths, end)
        let remarks = MarvinRemarks(outcome, about: books.map(\.name))
        for (book, verdict) in zip(books, found.verdicts) {
            var row = row(book, verdict, outcome, remarks, failure)
            let remarks = row.outcome == .failed ? [] : book.remarks
            let said = remarks + [row.message, untold[book.index], left[book.index]].compactMap { $0 }
            row.message = said.isEmpty ? nil : said.joined(separator: " ")
            rows.add(row)
        }
        if let end { throw end }
    }

    /// Remembers the covers of the books that are there.
    private func noteCovers(_ books: [LibraryUpload], _ paths: [String?]) {
        var covers = SentCovers(device.cache)
        for (book, path) in zip(books, paths) {
            // What the library calls the cover is not looked up: it is what came with it, or the next update sends it again.
            guard let path, let hash = book.cover?.hash ?? book.coverHash else { continue }
            var taken = LibraryBook(fileName: path)
            taken.coverHash = hash
            covers.note(hash, for: taken)
        }
        covers.save()
    }
}

extension CommandTimestamp {
    /// The time of the host.
    static var now: CommandTimestamp { CommandTimestamp(seconds: Int64(time(nil))) }
}
