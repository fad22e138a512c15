import Platform

extension HostSession {
    /// Changes the metadata of a book in the reader app.
    public func update(_ name: String, _ changes: BookChanges) -> ItemRow {
        let result = update([name], changes)
        if let row = result.rows.first { return row }
        return ItemRow(
            item: name, failure: result.failure ?? HostError(.failed, "No result was reported for this book.")
        )
    }

    /// Changes several books in the same way. Returns one row for each name, in their order: `updated` with the new
    /// path of the book, or `skipped` if the book already has these values.
    ///
    /// If a field cannot be changed, all rows fail before any change, and the error names the field.
    ///
    /// - Parameters:
    ///   - names: paths, uuids or titles.
    ///   - changes: the new values.
    ///   - isDryRun: whether to only find the books. The rows then show the results that are to be expected.
    public func update(_ names: [String], _ changes: BookChanges, isDryRun: Bool = false) -> BatchResult {
        change(names, ability: "update", isDryRun: isDryRun) { session throws(HostError) in
            let fields = changes.settableWords
            guard !fields.isEmpty else {
                throw HostError(
                    .invalidArgument, "Nothing to update.", hint: "Give at least one field to change.")
            }
            try session.requireSettable(fields)
            try changes.check()
        } record: {
            changes.record(of: $0)
        } unchanged: { _ in
            "The book already has these values."
        }
    }

    /// Changes several books, each with its own values. Returns one row for each book, in their order: `updated` with
    /// the new path of the book, or `skipped` if the book already has these values.
    ///
    /// If a field cannot be changed, all rows fail before any change, and the error names the field.
    package func update(each changes: [(path: String, changes: BookChanges)]) -> BatchResult {
        var wanted: [ExactText: BookChanges] = [:]
        // If a book occurs twice, its changes are combined; of two values for a field, the last is used.
        for change in changes {
            let before = wanted[ExactText(change.path)] ?? BookChanges()
            wanted[ExactText(change.path)] = before.overridden(by: change.changes)
        }
        return change(changes.map(\.path), ability: "update", by: .paths) {
            session throws(HostError) in
            try session.check(changes.map(\.changes))
        } record: { book in
            wanted[ExactText(book.path)]?.record(of: book)
        } unchanged: { _ in
            "The book already has these values."
        }
    }

    /// Checks in advance that the reader app supports the changes.
    ///
    /// - Throws: `notSupported` with the first value that cannot be changed; `invalidArgument`.
    package func check(_ changes: [BookChanges]) throws(HostError) {
        try require("update")
        for change in changes {
            try requireSettable(change.settableWords)
            try change.check()
        }
    }

    /// Adds books to collections and removes them from others. Returns one row for each name, in their order. A book
    /// whose collections are already correct is `skipped` without a request to the reader app.
    ///
    /// - Parameters:
    ///   - names: paths, uuids or titles.
    ///   - add: the collections to which the books are added.
    ///   - remove: the collections from which the books are removed.
    ///   - isDryRun: whether to only find the books. The rows then show the results that are to be expected.
    public func editCollections(
        _ names: [String], add: [String] = [], remove: [String] = [], isDryRun: Bool = false
    ) -> BatchResult {
        change(names, ability: "collections", isDryRun: isDryRun) { session throws(HostError) in
            guard !add.isEmpty || !remove.isEmpty else {
                throw HostError(
                    .invalidArgument, "No collection given.", hint: "Give collections to add or remove."
                )
            }
            if let both = add.first(where: { remove.contains($0) }) {
                throw HostError(
                    .invalidArgument, "Cannot both add to and remove from the same collection.", subject: both
                )
            }
            if (add + remove).contains(where: \.isEmpty) {
                throw HostError(.invalidArgument, "A collection needs a name.")
            }
            try session.requireSettable(["collections"])
        } record: { book in
            let old = book.collections ?? []
            var new = old.filter { !remove.contains($0) }
            for name in add where !new.contains(name) { new.append(name) }
            guard new != old else { return nil }
            var changes = BookChanges()
            changes.collections = new
            return changes.record(of: book)
        } unchanged: { book in
            let old = book.collections ?? []
            let unknown = remove.filter { !old.contains($0) }.map { "'\($0)'" }
            return add.isEmpty && !unknown.isEmpty
                ? "The book is not in \(unknown.joined(separator: " or "))."
                : "The book already has these values."
        }
    }

    /// Throws an error with the names of fields that cannot be changed; its hint lists the fields that can.
    private func requireSettable(_ fields: [String]) throws(HostError) {
        let settable = try settings().settableMetadata
        let refused = fields.filter { !settable.contains($0) }
        guard let first = refused.first else { return }
        throw HostError(
            .notSupported,
            "\(app.name) cannot change \(refused.count == 1 ? first : refused.joined(separator: ", ")).",
            subject: first,
            hint: hint(settable, isAboutCollections: fields.contains("collections")),
            hintCode: settable.contains("collections") && !fields.contains("collections") ? .collections : nil
        )
    }

    /// The hint with the fields that can be changed. `update` does not change collections.
    private func hint(_ settable: [String], isAboutCollections: Bool) -> String {
        guard !settable.isEmpty else { return "This reader app does not support changes." }
        let fields = isAboutCollections ? settable : settable.filter { $0 != "collections" }
        let hints = [
            fields.isEmpty ? nil : "You can change: \(fields.joined(separator: ", ")).",
            fields.count == settable.count
                ? nil : "To change collections, use: \(command("collections"))",
        ]
        return hints.compactMap { $0 }.joined(separator: " ")
    }

    /// The common part of all changes.
    ///
    /// - Parameters:
    ///   - record: returns the changed book; nil if nothing changes.
    ///   - unchanged: the message for an unchanged book.
    private func change(
        _ names: [String], ability: String, isDryRun: Bool = false, by naming: BookNaming = .beginnings,
        _ check: (HostSession) throws(HostError) -> Void,
        record: (BookRecord) -> BookRecord?, unchanged: (BookRecord) -> String
    ) -> BatchResult {
        do throws(HostError) {
            try request.checkCancellation()
            try require(ability)
            try check(self)
            var batch = NamedBooks(names, try find(names, by: naming))
            var places: [Int] = []
            var wanted: [BookRecord] = []
            for (place, book) in batch.books.enumerated() {
                if let record = record(book) {
                    places.append(place)
                    wanted.append(record)
                } else {
                    batch.set(place, Self.skipped(book.path, unchanged(book)))
                }
            }
            guard !isDryRun else {
                for (place, record) in zip(places, wanted) {
                    batch.set(place, ItemRow(item: "", path: record.path, status: .updated))
                }
                return batch.result()
            }
            guard !wanted.isEmpty else { return batch.result() }
            link.progress.begin("Changing books", items: UInt64(wanted.count))
            forgetBooks()
            let (books, placesOfWanted) = (batch, places)
            let paths = wanted.map(\.path)
            let answer = link.instance.syncBooklists(wanted) { [request] index, row in
                let place = placesOfWanted[index]
                request.reported?(
                    books.firstPlace(of: place), books.row(place, ItemRow(of: row, paths[index])))
            }
            for (index, row) in answer.rows.enumerated() {
                if let row {
                    batch.set(places[index], ItemRow(of: row, paths[index]))
                } else if answer.failure == nil {
                    // Only changed books have a row in the batch.
                    batch.set(
                        places[index], Self.skipped(wanted[index].path, "The book already has these values."))
                }
            }
            guard let failure = answer.failure else { return batch.result() }
            return batch.result(
                settled(failure),
                again: "Run the same command again; books already changed are skipped.")
        } catch {
            return NamedBooks.failed(names, settled(error))
        }
    }

    private static func skipped(_ path: String, _ message: String) -> ItemRow {
        ItemRow(item: "", path: path, status: .skipped, message: message)
    }
}
