import CommandProtocol
import OverlayKit

extension MarvinOverlay: DeletesBooks {
    /// Deletes books with one command, and looks whether they are gone.
    ///
    /// Marvin removes a book's annotations with it. Paths that are not in the library fail without troubling Marvin.
    public func deleteBooks(
        _ paths: [String], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        let untouched = "The book was not deleted."
        try ResultRows.complete(paths.count, untouched: untouched, report: report) {
            rows throws(OverlayError) in
            guard !paths.isEmpty else { return }
            if case .documents = try access() {
                throw OverlayError(
                    .notSupported,
                    "Only Marvin's documents can be reached, and a file removed there would stay in its library.",
                    hint: "Delete the book in Marvin itself. " + MarvinHint.container)
            }
            let device = try device()
            try device.requireOnline()
            let library = try device.libraryBooks()
            let books = Dictionary(
                library.map { ($0.fileName.bytes, $0) }, uniquingKeysWith: { first, _ in first })
            let copies = Dictionary(
                library.compactMap { $0.uuid?.lowercased() }.map { ($0, 1) }, uniquingKeysWith: +)
            var wanted: [[UInt8]: [Int]] = [:]
            var order: [LibraryBook] = []
            for (index, path) in paths.enumerated() {
                guard var book = books[path.bytes] else {
                    rows.add(.failed(index, .noSuchBook(nil)))
                    continue
                }
                // Marvin may look for a book by its uuid when the file has just gone; another book that has it must not go instead.
                if let uuid = book.uuid, copies[uuid.lowercased()] ?? 0 > 1 { book.uuid = nil }
                if wanted[path.bytes] == nil { order.append(book) }
                wanted[path.bytes, default: []].append(index)
            }
            guard !order.isEmpty else { return }
            try rows.flush(report)
            try device.claimed { claim throws(OverlayError) in
                try delete(order, device, claim) { path, row in
                    for index in wanted[path.bytes] ?? [] {
                        var row = row
                        row.index = index
                        rows.add(row)
                    }
                }
            }
        }
    }

    /// Sends the command, and hands over the row of each book, without its index.
    private func delete(
        _ books: [LibraryBook], _ device: MarvinDevice, _ claim: MarvinClaim,
        _ put: (String, ItemResult) -> Void
    ) throws(OverlayError) {
        let command = DeleteBooks(
            timestamp: .now,
            books: books.map {
                DeleteBooks.Book(
                    author: $0.author ?? "", title: $0.title ?? "", uuid: $0.uuid ?? "", fileName: $0.fileName
                )
            })
        let progress = host.progress
        progress.report(0, of: books.count, phase: "Waiting for Marvin")
        try claim.renew()
        let outcome = DeviceExchange.run(.deleteBooks(command), on: device) { fraction in
            progress.report(
                Int(fraction * Double(books.count)), of: books.count, phase: "Marvin deletes books")
        }
        let failure: OverlayError? =
            outcome.isCompleted
            ? nil : OverlayError(outcome, .deleteBooks, cancelled: device.interruption())
        let remarks = MarvinRemarks(outcome, about: books.map(\.fileName))
        let isDisputed = books.contains { remarks.about($0.fileName) != nil }
        let isThere: [Bool]
        do {
            isThere = try remaining(books, device, isCertain: outcome.isCompleted && !isDisputed)
        } catch {
            for book in books {
                var reason = failure ?? error
                reason.message = reason.message.sentence + " Whether Marvin deleted the book is not known."
                reason.hint = reason.hint ?? "List the books again to see what is there."
                put(book.fileName, .failed(0, reason, path: book.fileName))
            }
            throw failure ?? error
        }
        for (book, isThere) in zip(books, isThere) {
            put(book.fileName, row(book, isThere: isThere, remarks, failure))
        }
        if let failure, failure.status != .rejected, isThere.contains(true) { throw failure }
    }

    /// Whether each book is still there.
    ///
    /// - Parameter isCertain: Marvin says that it finished; then a file that is gone is proof enough. Otherwise, and
    ///   where it says something else of a book, the library is asked too, for a book may have had no file before.
    private func remaining(
        _ books: [LibraryBook], _ device: MarvinDevice, isCertain: Bool
    ) throws(OverlayError) -> [Bool] {
        let files = try device.files(books.map { device.paths.document($0.fileName) })
        guard !isCertain, files.contains(where: { $0 == nil }) else { return files.map { $0 != nil } }
        let names = Set(try device.libraryBooks().map(\.fileName.bytes))
        return zip(books, files).map { $1 != nil || names.contains($0.fileName.bytes) }
    }

    private func row(
        _ book: LibraryBook, isThere: Bool, _ remarks: MarvinRemarks, _ failure: OverlayError?
    ) -> ItemResult {
        if !isThere {
            let unfinished =
                failure == nil ? nil : "The book is gone, although Marvin did not finish the command."
            let said = [unfinished, remarks.note(book.fileName)].compactMap { $0 }
            return .done(0, .deleted, message: said.isEmpty ? nil : said.joined(separator: " "))
        }
        if let said = remarks.about(book.fileName) {
            return .failed(
                0, OverlayError(.rejected, "Marvin rejected the deletion: \(said)"), path: book.fileName)
        }
        if var failure {
            failure.hint = failure.hint ?? "Run the same deletion again."
            return .failed(0, failure, path: book.fileName)
        }
        return .failed(
            0,
            OverlayError(
                remarks.general == nil ? .verificationFailed : .rejected,
                remarks.general.map { "Marvin did not delete the book. Marvin says: \($0)" }
                    ?? "Marvin reported success, but the book is still there.",
                hint: "Restart Marvin on the device and try again."), path: book.fileName)
    }
}
