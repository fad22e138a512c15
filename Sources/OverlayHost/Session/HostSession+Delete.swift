extension HostSession {
    /// Deletes books from the reader app without asking. One row per name, in their order; a further name of a deleted book is
    /// `skipped`.
    ///
    /// - Parameters:
    ///   - names: paths, uuids or titles.
    ///   - isDryRun: only find the books; the rows say what would become of them.
    ///   - naming: what the names may be. `beginnings` only for a person who saw which book it is: run twice, such a command
    ///     could delete two books.
    public func delete(
        _ names: [String], isDryRun: Bool = false, by naming: BookNaming = .names
    ) -> BatchResult {
        do throws(HostError) {
            try require("delete")
            var batch = NamedBooks(names, try wanted(names, naming))
            guard !isDryRun else {
                for (index, path) in batch.paths.enumerated() {
                    batch.set(index, ItemRow(item: "", path: path, status: .deleted))
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

    /// The books that names mean. A name that only begins a title is refused with that title, unless it is enough.
    private func wanted(
        _ names: [String], _ naming: BookNaming
    ) throws(HostError) -> [Result<BookRecord, HostError>] {
        var found = try find(names, by: naming)
        guard naming == .names else { return found }
        for (place, name) in names.enumerated() {
            guard case .failure(var error) = found[place], error.code == .notFound,
                case .success(let book)? = try find([name], by: .beginnings).first
            else { continue }
            error.message = "No book has this name; “\(book.title ?? book.path)” only begins with it."
            error.hint = "Give the full name, or the book's path."
            found[place] = .failure(error)
        }
        return found
    }

    /// Lets the overlay finish what an interrupted command left, as it does before every deletion: the books of a deletion
    /// that was interrupted may be gone while its claim or its command is still on the device.
    ///
    /// - Returns: what ends the command. That the app is busy or does not listen is logged only: the rows say what became of
    ///   the names.
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
    /// The row of a book that was at `path`, as the overlay reported it.
    init(of row: OverlayRow, _ path: String) {
        self.init("", row)
        self.path = self.path ?? path
    }
}

/// The books that names mean, each once, and the rows of the names.
struct NamedBooks {
    private let names: [String]
    /// For each name its book, or why there is none.
    private let found: [Result<Int, HostError>]
    /// The books.
    let books: [BookRecord]
    private var rows: [ItemRow?]
    /// Further rows of books, such as those of the other papers of a reference.
    private var furtherRows: [Int: [ItemRow]] = [:]
    /// For each book the first of its names.
    private var firstPlaces: [Int] = []

    init(_ names: [String], _ results: [Result<BookRecord, HostError>]) {
        self.names = names
        var books: [BookRecord] = []
        // By bytes: two spellings that look alike are two paths on a device.
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

    /// The place of a book among the names; that of the first of its names.
    func firstPlace(of index: Int) -> Int { firstPlaces[index] }

    /// The row of a book with the name that it was given first.
    func row(_ index: Int, _ row: ItemRow) -> ItemRow {
        var row = row
        row.item = names[firstPlaces[index]]
        return row
    }

    /// Sets the outcome of a book.
    mutating func set(_ index: Int, _ row: ItemRow) { rows[index] = row }

    /// Adds a row after that of a book.
    mutating func add(_ index: Int, _ row: ItemRow) { furtherRows[index, default: []].append(row) }

    /// Why a book has no row although nothing ended the batch early.
    static let noResult = HostError(.failed, "No result was reported for this book.")

    /// The rows of all names. A book without a row shares the failure's; a book is deleted once, and by its first name.
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
                        row.message = "It is the same book as “\(names[firstPlaces[place]])”."
                    }
                    return row
                }
            }
        }
        return BatchResult(rows: named, failure: failure)
    }

    /// The rows when nothing could be begun.
    static func failed(_ names: [String], _ failure: HostError) -> BatchResult {
        BatchResult(rows: names.map { ItemRow(item: $0, failure: failure) }, failure: failure)
    }
}
