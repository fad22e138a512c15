import Logging
import Platform

extension HostSession {
    /// Deletes books from the reader app without confirmation. Returns one row for each name, in their order. A
    /// second name of a deleted book is `skipped`.
    ///
    /// - Parameters:
    ///   - names: paths, uuids or titles.
    ///   - isDryRun: whether to only find the books. The rows then show the results that are to be expected.
    ///   - naming: the accepted names. Use `beginnings` only if the user has seen which book is selected, because
    ///     repeating such a command could delete two books.
    public func delete(
        _ names: [String], isDryRun: Bool = false, by naming: BookNaming = .names
    ) -> BatchResult {
        do throws(HostError) {
            try require("delete")
            var batch = NamedBooks(names, try wanted(names, naming))
            guard !isDryRun else {
                let losses = try lossesOfDeletion(batch.books)
                for (index, path) in batch.paths.enumerated() {
                    batch.set(
                        index,
                        ItemRow(item: "", path: path, status: .deleted, message: losses[ExactText(path)]))
                }
                return batch.result()
            }
            guard !batch.paths.isEmpty else { return batch.result(finishInterrupted()) }
            link.progress.begin("Deleting books", items: UInt64(batch.paths.count))
            forgetBooks()
            let books = batch
            let answer = link.instance.deleteBooks(batch.paths) { [request] index, row in
                request.reported?(
                    books.firstPlace(of: index), books.row(index, ItemRow(of: row, books.paths[index])))
            }
            for (index, row) in answer.rows.enumerated() {
                guard let row else { continue }
                batch.set(index, ItemRow(of: row, batch.paths[index]))
            }
            guard let failure = answer.failure else { return batch.result() }
            return batch.result(
                settled(failure),
                again: "Run the same command again; books already deleted are reported as not found.")
        } catch {
            return NamedBooks.failed(names, settled(error))
        }
    }

    /// Returns what is lost if books are deleted: one sentence for each book with highlights, notes or bookmarks that
    /// the app lists, by its path. Those in PDF files are not looked for.
    ///
    /// - Throws: an error if the device is gone or locked, or if the request was cancelled. If the annotations cannot
    ///   be read for another reason, each book has a sentence that says so.
    package func lossesOfDeletion(_ books: [BookRecord]) throws(HostError) -> [ExactText: String] {
        guard !books.isEmpty, link.target.overlay.abiMinor >= 2 else { return [:] }
        link.progress.begin("Looking for highlights and notes", counting: [.read, .pull])
        let paths = Set(books.map { ExactText($0.path) })
        let listed: BookList
        do throws(HostError) {
            listed = try link.instance.books(withAnnotations: true, wanted: books.map(\.path), unread: true)
        } catch {
            guard ![.cancelled, .deviceGone, .deviceLocked].contains(error.code) else { throw settled(error) }
            request.loggers.host.notice("annotations of the books to delete: \(error)")
            let words = "It may have highlights, notes or bookmarks, which cannot be read."
            return Dictionary(paths.map { ($0, words) }) { first, _ in first }
        }
        var losses: [ExactText: String] = [:]
        for book in listed where !book.annotations.isEmpty && paths.contains(ExactText(book.path)) {
            losses[ExactText(book.path)] = "It has \(AnnotationLosses.words(book.annotations.count))."
        }
        return losses
    }

    /// The books with the given names. If a name is the beginning of a title and `naming` does not accept that, the
    /// error contains the title.
    private func wanted(
        _ names: [String], _ naming: BookNaming
    ) throws(HostError) -> [Result<BookRecord, HostError>] {
        var found = try find(names, by: naming)
        guard naming == .names else { return found }
        for (place, name) in names.enumerated() {
            guard case .failure(var error) = found[place], error.code == .notFound,
                case .success(let book)? = try find([name], by: .beginnings).first
            else { continue }
            error.message = "No book has this name; '\(book.title ?? book.path)' only begins with it."
            error.hint = "Give the full name, or the book's path."
            error.hintCode = nil
            found[place] = .failure(error)
        }
        return found
    }

    /// Lets the overlay complete an interrupted command, as it does before every deletion. The books of an
    /// interrupted deletion may be gone while its claim or its command is still on the device.
    ///
    /// - Returns: the error that ends the command. If the app is busy or does not answer, this is only logged, and
    ///   the rows contain the results for the names.
    private func finishInterrupted() -> HostError? {
        guard let failure = link.instance.deleteBooks([]).failure else { return nil }
        guard [.cancelled, .deviceGone].contains(failure.code) else {
            request.loggers.host.notice("files left by an interrupted command may remain: \(failure)")
            return nil
        }
        return settled(failure)
    }
}

extension ItemRow {
    /// Creates the row of a book that was at `path`, as reported by the overlay.
    init(of row: OverlayRow, _ path: String) {
        self.init("", row)
        self.path = self.path ?? path
    }
}

/// The books selected by names, each once, and the rows of the names.
struct NamedBooks {
    private let names: [String]
    /// The book for each name, or the reason why there is none.
    private let found: [Result<Int, HostError>]
    /// The books.
    let books: [BookRecord]
    private var rows: [ItemRow?]
    /// Additional rows of books, such as those for the other papers of a reference.
    private var furtherRows: [Int: [ItemRow]] = [:]
    /// The index of the first name of each book.
    private var firstPlaces: [Int] = []

    init(_ names: [String], _ results: [Result<BookRecord, HostError>]) {
        self.names = names
        var books: [BookRecord] = []
        // Compare bytes: two paths with different Unicode forms are different on a device.
        var places: [[UInt8]: Int] = [:]
        var firstPlaces: [Int] = []
        found = results.enumerated().map { number, result in
            result.map { book in
                let path = Array(book.path.utf8)
                if let place = places[path] { return place }
                places[path] = books.count
                books.append(book)
                firstPlaces.append(number)
                return books.count - 1
            }
        }
        self.books = books
        self.firstPlaces = firstPlaces
        rows = Array(repeating: nil, count: books.count)
    }

    /// The paths of the books.
    var paths: [String] { books.map(\.path) }

    /// The index of the first name of a book.
    func firstPlace(of index: Int) -> Int { firstPlaces[index] }

    /// A row with the first name of its book.
    func row(_ index: Int, _ row: ItemRow) -> ItemRow {
        var row = row
        row.item = names[firstPlaces[index]]
        return row
    }

    /// Sets the result of a book.
    mutating func set(_ index: Int, _ row: ItemRow) { rows[index] = row }

    /// Adds a row after the row of a book.
    mutating func add(_ index: Int, _ row: ItemRow) { furtherRows[index, default: []].append(row) }

    /// The error for a book without a row, if the batch did not fail early.
    static let noResult = HostError(.failed, "No result was reported for this book.")

    /// The rows of all names. A book without a row gets the failure of the batch. Only the first name of a book
    /// counts as deleted.
    func result(_ failure: HostError? = nil, again: String = "") -> BatchResult {
        let named = zip(names, found).enumerated().flatMap { number, named -> [ItemRow] in
            let (name, place) = named
            switch place {
            case .failure(let error): return [ItemRow(item: name, failure: error)]
            case .success(let place):
                let row =
                    self.rows[place] ?? HostSession.unreported(name, failure ?? Self.noResult, again: again)
                return ([row] + (furtherRows[place] ?? [])).map { row in
                    var row = row
                    row.item = name
                    if row.status == .deleted, firstPlaces[place] != number {
                        row.status = .skipped
                        row.message = "It is the same book as '\(names[firstPlaces[place]])'."
                    }
                    return row
                }
            }
        }
        return BatchResult(rows: named, failure: failure)
    }

    /// The rows if the command could not start.
    static func failed(_ names: [String], _ failure: HostError) -> BatchResult {
        BatchResult(rows: names.map { ItemRow(item: $0, failure: failure) }, failure: failure)
    }
}
