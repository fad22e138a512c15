import BookFolders
import Claims
import MarvinCommands
import OverlayKit

extension MarvinOverlay: DeletesBooks {
    /// Deletes books with one command, and checks that they are gone from the library and the documents.
    ///
    /// Marvin removes a book's annotations with it. Paths that are not in the library fail without a command to
    /// Marvin. Files left by an interrupted command are removed too, even if there is no book to delete.
    public func deleteBooks(
        _ paths: [String], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        let untouched = "The book was not deleted."
        try ItemRows.complete(paths.count, untouched: untouched, report: report) {
            rows throws(OverlayError) in
            if case .documents = try access() {
                if paths.isEmpty { return try documentShelf().claimed { _ in } }
                throw OverlayError(
                    .notSupported,
                    "Only Marvin's documents are accessible, and a file removed there would stay in its "
                        + "library.",
                    hint: "Delete the book in Marvin itself. " + MarvinHint.container)
            }
            let device = try device()
            try device.requireOnline()
            // Other programs must not change the library from here on, because the deletion depends on it.
            try device.claimed { claim throws(OverlayError) in
                let wanted = RequestedDeletions(paths, try device.libraryBooks(), &rows)
                guard !wanted.books.isEmpty else { return }
                try rows.flush(report)
                try delete(wanted.books, device, claim) { path, row in
                    for index in wanted.indices(of: path) {
                        var row = row
                        row.index = index
                        rows.add(row)
                    }
                }
            }
        }
    }

    /// Sends the command and passes on the row of each book, without its index.
    private func delete(
        _ books: [LibraryBook], _ device: MarvinDevice, _ claim: FolderClaim,
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
                Int(fraction * Double(books.count)), of: books.count, phase: "Marvin is deleting books")
        }
        let failure: OverlayError? =
            outcome.isCompleted
            ? nil : OverlayError(outcome, .deleteBooks, cancelled: device.interruption())
        let remarks = MarvinMessages(outcome, about: books.map(\.fileName))
        let left: Set<[UInt8]>
        do {
            left = try BookFiles(books.map(\.fileName), device).remaining()
        } catch {
            for book in books {
                var reason = failure ?? error
                reason.message = reason.message + " Marvin may or may not have deleted the book."
                reason.hint = reason.hint ?? "List the books again."
                put(book.fileName, .failed(0, reason, path: book.fileName))
            }
            throw failure ?? error
        }
        for book in books {
            put(book.fileName, row(book, isThere: left.contains(book.fileName.bytes), remarks, failure))
        }
        if let failure, failure.status != .rejected, !left.isEmpty { throw failure }
    }

    private func row(
        _ book: LibraryBook, isThere: Bool, _ remarks: MarvinMessages, _ failure: OverlayError?
    ) -> ItemResult {
        if !isThere {
            let unfinished =
                failure == nil ? nil : "The book was deleted, although Marvin did not finish the command."
            let said = [unfinished, remarks.note(book.fileName)].compactMap { $0 }
            return .done(0, .deleted, message: said.isEmpty ? nil : said.joined(separator: " "))
        }
        if let said = remarks.about(book.fileName) {
            return .failed(
                0, OverlayError(.rejected, "Marvin rejected the deletion: '\(said)'"), path: book.fileName)
        }
        if var failure {
            failure.hint = failure.hint ?? "Run the same command again."
            return .failed(0, failure, path: book.fileName)
        }
        return .failed(
            0,
            OverlayError(
                remarks.general == nil ? .verificationFailed : .rejected,
                remarks.general.map { "Marvin did not delete the book. Marvin reports: \($0)" }
                    ?? "Marvin reported success, but the book is still there.",
                hint: "Restart Marvin on the device and try again."), path: book.fileName)
    }
}

/// The books to delete: each book that the paths name once, in the order of the paths.
struct RequestedDeletions {
    private(set) var books: [LibraryBook] = []
    private var places: [[UInt8]: [Int]] = [:]

    /// Finds the books; a path that is not in the library gets its row.
    init(_ paths: [String], _ library: [LibraryBook], _ rows: inout ItemRows) {
        let known = Dictionary(
            library.map { ($0.fileName.bytes, $0) }, uniquingKeysWith: { first, _ in first })
        let copies = Dictionary(
            library.compactMap { $0.uuid?.lowercased() }.map { ($0, 1) }, uniquingKeysWith: +)
        for (index, path) in paths.enumerated() {
            guard var book = known[path.bytes] else {
                rows.add(.failed(index, .noSuchBook(nil)))
                continue
            }
            // If the file has just disappeared, Marvin may look for the book by its UUID and delete another book that
            // shares it.
            if let uuid = book.uuid, copies[uuid.lowercased()] ?? 0 > 1 { book.uuid = nil }
            if places[path.bytes] == nil { books.append(book) }
            places[path.bytes, default: []].append(index)
        }
    }

    /// The indexes of the items with a path.
    func indices(of path: String) -> [Int] { places[path.bytes] ?? [] }
}
