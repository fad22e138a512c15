extension HostSession {
    /// Deletes books from the reader app without asking. One row per name, in their order.
    public func delete(_ names: [String]) -> BatchResult {
        do throws(HostError) {
            try require("delete")
            var batch = NamedBooks(names, try find(names))
            guard !batch.paths.isEmpty else { return batch.result(finishInterrupted()) }
            link.progress.begin("Deleting books", items: UInt64(batch.paths.count))
            forgetBooks()
            let answer = link.instance.deleteBooks(batch.paths)
            for (index, row) in answer.rows.enumerated() {
                guard let row else { continue }
                var shown = ItemRow("", row)
                if shown.path == nil { shown.path = batch.paths[index] }
                batch.set(index, shown)
            }
            guard let failure = answer.failure else { return batch.result() }
            return batch.result(
                settled(failure),
                again: "Run the same command again; books already deleted are reported as not found.")
        } catch {
            return NamedBooks.failed(names, settled(error))
        }
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

/// The books that names mean, each once, and the rows of the names.
struct NamedBooks {
    private let names: [String]
    /// For each name its book, or why there is none.
    private let found: [Result<Int, HostError>]
    /// The books.
    let books: [BookRecord]
    private var rows: [ItemRow?]

    init(_ names: [String], _ results: [Result<BookRecord, HostError>]) {
        self.names = names
        var books: [BookRecord] = []
        // By bytes: two spellings that look alike are two paths on a device.
        var places: [[UInt8]: Int] = [:]
        found = results.map { result in
            result.map { book in
                let path = Array(book.path.utf8)
                if let place = places[path] { return place }
                places[path] = books.count
                books.append(book)
                return books.count - 1
            }
        }
        self.books = books
        rows = Array(repeating: nil, count: books.count)
    }

    /// The paths of the books.
    var paths: [String] { books.map(\.path) }

    /// Sets what became of a book.
    mutating func set(_ index: Int, _ row: ItemRow) { rows[index] = row }

    /// The rows of all names. A book without a row shares the failure's.
    func result(_ failure: HostError? = nil, again: String = "") -> BatchResult {
        let named = zip(names, found).map { name, place in
            switch place {
            case .failure(let error): return ItemRow(item: name, failure: error)
            case .success(let place):
                guard var row = self.rows[place] else {
                    let error = failure ?? HostError(.failed, "No result was reported for this book.")
                    return HostSession.unreported(name, error, again: again)
                }
                row.item = name
                return row
            }
        }
        return BatchResult(rows: named, failure: failure)
    }

    /// The rows when nothing could be begun.
    static func failed(_ names: [String], _ failure: HostError) -> BatchResult {
        BatchResult(rows: names.map { ItemRow(item: $0, failure: failure) }, failure: failure)
    }
}
