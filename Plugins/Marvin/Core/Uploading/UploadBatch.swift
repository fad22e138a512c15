import Claims
import CommandProtocol
import Glibc
import OverlayKit

/// One batch of an upload: staged, handed over, and looked for.
struct UploadBatch {
    /// Space that is left free on the device, for Marvin's library and covers.
    private static let reserve: UInt64 = 2 << 20

    let device: MarvinDevice
    /// The right to hand commands to Marvin.
    let claim: FolderClaim
    /// Whether Marvin replaces books it has.
    let overwrite: Bool
    /// Items that were done before this batch, and items of the whole upload, for progress.
    let first: Int
    let count: Int

    /// Uploads the books, and puts a row for each.
    ///
    /// - Returns: false when Marvin was told to stop, so that it should get no further batch.
    /// - Throws: what ends the upload as a whole; each book of the batch has its row then too.
    func run(_ books: [PlannedUpload], _ rows: inout ResultRows) throws(OverlayError) -> Bool {
        let affordable = try affordable(books, &rows)
        guard !affordable.isEmpty else { return true }
        try claim.renew()
        let staged = try stage(affordable, &rows)
        guard !staged.isEmpty else { return true }
        try renewOrWithdraw(staged)
        device.host.progress.report(first + staged.count / 2, of: count, phase: "Waiting for Marvin")
        let command = UploadBooks(
            timestamp: .now, overwrite: overwrite,
            books: staged.map(\.command))
        let (progress, first, total) = (device.host.progress, first, count)
        let outcome = DeviceExchange.run(
            .uploadBooks(command), staged: staged.map { device.paths.staged($0.name) }, on: device
        ) { fraction in
            progress.report(
                first + Int(fraction * Double(staged.count)), of: total, phase: "Marvin takes books in")
        }
        let superseded = try conclude(staged, outcome, &rows)
        try removeSuperseded(superseded)
        return outcome.ending != .cancelled
    }

    // MARK: - Staging

    /// The books that fit onto the device; the others get their rows.
    private func affordable(
        _ books: [PlannedUpload], _ rows: inout ResultRows
    ) throws(OverlayError) -> [PlannedUpload] {
        let free = try device.host.transport.freeSpace().free
        var left = free > Self.reserve ? free - Self.reserve : 0
        var affordable: [PlannedUpload] = []
        for book in books {
            guard book.size <= left else {
                rows.add(
                    .failed(
                        book.index,
                        OverlayError(
                            .noSpace, "The device has not enough free space for the book.",
                            hint: "Free at least \((book.size + Self.reserve) >> 20) MB on the device.")))
                continue
            }
            left -= book.size
            affordable.append(book)
        }
        return affordable
    }

    /// Copying may have taken longer than a claim lasts: then the files are not handed over.
    private func renewOrWithdraw(_ books: [PlannedUpload]) throws(OverlayError) {
        do throws(OverlayError) {
            try claim.renew()
        } catch {
            _ = device.withdraw(books.map { device.paths.staged($0.name) })
            throw error
        }
    }

    /// Copies the files into the staging folder; a file that does not arrive gets its row.
    private func stage(
        _ books: [PlannedUpload], _ rows: inout ResultRows
    ) throws(OverlayError) -> [PlannedUpload] {
        let (progress, transport) = (device.host.progress, device.host.transport)
        progress.report(first, of: count, phase: "Copying books")
        let items = books.map { PushItem($0.file, to: device.paths.staged($0.name)) }
        var arrived: Set<Int> = []
        var failed: [ItemResult] = []
        do {
            try transport.push(device.root, items) { row throws(OverlayError) in
                if row.status == .ok, row.outcome != .failed {
                    arrived.insert(row.index)
                    progress.report(first + arrived.count / 2, of: count, phase: "Copying books")
                } else {
                    failed.append(row)
                }
            }
        } catch {
            // No command names them, so Marvin leaves them alone; still they are not to lie about.
            let left = Set(device.withdraw(books.map { device.paths.staged($0.name) }).map(\.bytes))
            // What is known of a single file says more than what ended them all, such as which part of it may be left.
            for row in failed { rows.add(Self.notSent(books[row.index], row, kept(books[row.index]))) }
            for (index, book) in books.enumerated() {
                var reason = error
                reason.message = "The book was not sent. " + error.message.sentence
                let isLeft = left.contains(device.paths.staged(book.name).bytes) && arrived.contains(index)
                reason.hint = Self.hint(error, staged: isLeft)
                rows.add(.failed(book.index, reason, path: kept(book)))
            }
            throw error
        }
        for row in failed { rows.add(Self.notSent(books[row.index], row, kept(books[row.index]))) }
        return books.indices.filter(arrived.contains).map { books[$0] }
    }

    /// The row of a book whose file did not arrive.
    private static func notSent(_ book: PlannedUpload, _ row: ItemResult, _ path: String?) -> ItemResult {
        let reason = row.message ?? "It could not be copied to the device."
        return ItemResult(
            index: book.index, status: row.status == .ok ? .failed : row.status, outcome: .failed, path: path,
            message: "The book was not sent. " + reason.sentence,
            hint: row.hint ?? "Run the same upload again.", domain: row.domain, nativeCode: row.nativeCode,
            retryable: row.retryable)
    }

    // MARK: - Looking for the books

    /// Puts the row of each book by what is on the device now.
    private func conclude(
        _ books: [PlannedUpload], _ outcome: CommandOutcome, _ rows: inout ResultRows
    ) throws(OverlayError) -> [(old: LibraryBook, new: PlannedUpload, path: String)] {
        let failure: OverlayError? =
            outcome.isCompleted
            ? nil : OverlayError(outcome, .uploadBooks, cancelled: device.interruption())
        let verdicts: [UploadVerdict]
        do {
            verdicts = try look(for: books, outcome)
        } catch {
            for book in books {
                var reason = failure ?? error
                reason.hint = Self.hint(
                    reason, staged: isLeft(book, outcome))
                reason.message = reason.message.sentence + " Whether Marvin took the book is not known."
                rows.add(.failed(book.index, reason))
            }
            throw failure ?? error
        }
        let remarks = MarvinRemarks(outcome, about: books.map(\.name))
        let notes = keepWhatFilesDoNotTell(
            books,
            verdicts.map { verdict in
                guard case .there(let path) = verdict else { return nil }
                return path
            })
        for (book, verdict) in zip(books, verdicts) {
            var row = row(book, verdict, outcome, remarks, failure)
            if let note = notes[book.index] { row.message = (row.message.map { $0 + " " } ?? "") + note }
            rows.add(row)
        }
        // A command that Marvin refused says nothing about the next one, and one that did all its work harms nothing;
        // anything else ends the upload.
        if let failure, failure.status != .rejected, verdicts.contains(.missing) { throw failure }
        var covers = SentCovers(device.cache)
        for (book, verdict) in zip(books, verdicts) {
            // What the library calls the cover is not looked up: it is what came with it, or the next update sends it again.
            guard case .there(let path) = verdict, let hash = book.cover?.hash ?? book.coverHash else {
                continue
            }
            var taken = LibraryBook(fileName: path)
            taken.coverHash = hash
            covers.note(hash, for: taken)
        }
        covers.save()
        return zip(books, verdicts).compactMap { book, verdict in
            guard case .there(let path) = verdict, let old = book.supersedes else { return nil }
            return (old, book, path)
        }
    }

    /// Deletes books whose replacements are there, whole, under other names.
    ///
    /// The replacements count whatever becomes of this; a book that stays is named in the log.
    private func removeSuperseded(
        _ pairs: [(old: LibraryBook, new: PlannedUpload, path: String)]
    ) throws(OverlayError) {
        guard !pairs.isEmpty else { return }
        let arrived = try device.files(pairs.map { device.paths.document($0.path) })
        let books = zip(pairs, arrived)
            .filter { $1?.size == $0.new.size && $0.path != $0.old.fileName }.map(\.0.old)
        guard !books.isEmpty else { return }
        try claim.renew()
        // The name of the file alone tells the two copies apart: the uuid may be the same.
        let command = DeleteBooks(
            timestamp: .now,
            books: books.map {
                DeleteBooks.Book(
                    author: $0.author ?? "", title: $0.title ?? "", uuid: "", fileName: $0.fileName)
            })
        let outcome = DeviceExchange.run(.deleteBooks(command), on: device) { _ in }
        let left = try device.files(books.map { device.paths.document($0.fileName) })
        for (book, file) in zip(books, left) where file != nil || !outcome.isCompleted {
            device.host.log.warning(
                "marvin", "The new copy is there, and the old one could not be removed.",
                ["path": book.fileName])
        }
    }

    private func row(
        _ book: PlannedUpload, _ verdict: UploadVerdict, _ outcome: CommandOutcome, _ remarks: MarvinRemarks,
        _ failure: OverlayError?
    ) -> ItemResult {
        switch verdict {
        case .there(let path):
            return .done(
                book.index, book.replaces || book.supersedes != nil ? .replaced : .added, path: path,
                message: remarks.note(book.name))
        case .missing:
            if let said = remarks.about(book.name) {
                return .failed(
                    book.index, OverlayError(.rejected, "Marvin rejected the book: \(said)"),
                    path: kept(book))
            }
            if var failure {
                failure.hint = Self.hint(
                    failure, staged: isLeft(book, outcome))
                return .failed(book.index, failure, path: kept(book))
            }
            return .failed(
                book.index,
                OverlayError(
                    remarks.general == nil ? .verificationFailed : .rejected,
                    remarks.general.map { "Marvin did not take the book. Marvin says: \($0)" }
                        ?? "Marvin reported success, but the book is not there.",
                    hint: "Restart Marvin on the device and try again."), path: kept(book))
        }
    }

    /// The path of the old copy, which is still there when a replacement failed.
    private func kept(_ book: PlannedUpload) -> String? {
        book.replaces ? book.name : book.supersedes?.fileName
    }

    /// Looks for the books, in three steps of one call each that cost nothing when all is well.
    private func look(
        for books: [PlannedUpload], _ outcome: CommandOutcome
    ) throws(OverlayError) -> [UploadVerdict] {
        let staged = books.map { device.paths.staged($0.name) }
        let files = try device.files(books.map { device.paths.document($0.name) } + staged)
        let rejected = Set(outcome.rejections.compactMap(\.fileName?.bytes))
        var leftovers: [String] = []
        var verdicts = books.indices.map { index -> UploadVerdict in
            let (book, document, waiting) = (books[index], files[index], files[books.count + index])
            if outcome.isCompleted, waiting != nil { leftovers.append(staged[index]) }
            guard let document else { return .missing }
            guard !rejected.contains(book.name.bytes) else {
                // A warning about a book that was taken nevertheless.
                let isTaken =
                    outcome.isCompleted && waiting == nil && !book.replaces && document.size == book.size
                return isTaken ? .there(book.name) : .missing
            }
            // Without Marvin's word only a file that was not there before proves anything.
            if !outcome.isCompleted {
                return !book.replaces && document.size == book.size ? .there(book.name) : .missing
            }
            // A staged file that still waits was not taken, whatever Marvin says, unless Marvin copied it. The old book may
            // have the size of the new one, so of a replacement a copy proves nothing.
            let isCopied = !book.replaces && document.size == book.size
            return waiting == nil || isCopied ? .there(book.name) : .missing
        }
        _ = device.withdraw(leftovers)
        guard outcome.isCompleted else { return verdicts }
        let open = books.indices.filter {
            verdicts[$0] == .missing && !rejected.contains(books[$0].name.bytes)
        }
        guard !open.isEmpty else { return verdicts }
        // Marvin may have named the file otherwise; its library tells.
        let library = try device.libraryBooks()
        for index in open where files[books.count + index] == nil {
            let uuid = books[index].uuid.lowercased()
            // The copy that is to go may have the same uuid, and is no proof of the new one.
            let old = books[index].supersedes?.fileName
            guard
                let found = library.first(where: {
                    $0.uuid?.lowercased() == uuid && $0.fileName != old
                })
            else { continue }
            if try device.files([device.paths.document(found.fileName)])[0] != nil {
                verdicts[index] = .there(found.fileName)
            }
        }
        return verdicts
    }

    /// Whether the staged copy of a book may still be on the device.
    private func isLeft(_ book: PlannedUpload, _ outcome: CommandOutcome) -> Bool {
        let staged = device.paths.staged(book.name)
        return outcome.leftBehind.contains { $0.utf8.elementsEqual(staged.utf8) }
    }

    /// What to do about a book that was not taken.
    private static func hint(_ error: OverlayError, staged: Bool) -> String? {
        guard staged else { return error.hint ?? "Run the same upload again." }
        return "A copy waits in Marvin's staging folder; running the same upload again finishes it."
    }
}

extension CommandTimestamp {
    /// The time of the host.
    static var now: CommandTimestamp { CommandTimestamp(seconds: Int64(time(nil))) }
}
