import BookFolders
import OverlayKit

extension MarvinOverlay: SyncsBooklists {
    /// The preference that allows the host to change collections and flags.
    static let collectionsPreference = "marvin_edit_collections_cb"

    /// The fields of a book that can be changed, according to the preferences.
    func settable() throws(OverlayError) -> Set<MetadataField> {
        var fields = Set(MetadataField.allCases)
        if try !host.prefs.bool(Self.collectionsPreference, default: true) { fields.remove(.collections) }
        return fields
    }

    /// Changes books as requested, in batches: either all metadata with one command, or only collections and flags
    /// with another. Then it reads the library again and reports only what it finds there.
    public func syncBooklists(
        _ books: [Book], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        let untouched = "The book was not changed."
        var rows = ItemRows(count: books.count)
        let settable = try settable()
        do {
            guard !books.isEmpty else { return }
            let device = try device()
            try device.requireOnline()
            // Other programs must not change the library from here on, because the changes depend on it.
            try device.claimed { claim throws(OverlayError) in
                let changes = try changes(books, settable, device, &rows)
                try rows.flush(report)
                let run = ChangeRun(
                    device: device, claim: claim, batchSize: try CommandBatches.size(host.prefs),
                    count: changes.count)
                let uuids = books.indices.compactMap { index in books[index].uuid.map { (index, $0) } }
                try run.run(changes, uuids: Dictionary(uniqueKeysWithValues: uuids), &rows)
            }
            note(books, rows)
            try rows.flush(report)
        } catch {
            if error.status == .stopped { throw error }
            // A book that does not differ does not get a row. It may not be known which books differ.
            for index in rows.missing where !rows.isSettled(index) {
                var reason = error
                reason.message = untouched + " " + error.message
                rows.add(.failed(index, reason, path: books[index].path))
            }
            note(books, rows)
            try rows.flush(report)
            throw error
        }
    }

    /// Records that the host now believes the books have the requested values, except for those that failed.
    private func note(_ books: [Book], _ rows: ItemRows) {
        for (index, book) in books.enumerated() where rows.failure(of: index) == nil {
            if let path = book.path, let names = book.collections { shown.note(path, names) }
        }
    }

    /// The changes to make; books that do not exist get their rows.
    private func changes(
        _ books: [Book], _ settable: Set<MetadataField>, _ device: MarvinDevice, _ rows: inout ItemRows
    ) throws(OverlayError) -> [BookChange] {
        var library: [[UInt8]: LibraryBook] = [:]
        let listed = try device.libraryBooks()
        for book in listed { library[book.fileName.bytes] = book }
        let collections = CollectionNames(listed)
        let covers = SentCovers(device.host)
        var changes: [BookChange] = []
        var seen: Set<[UInt8]> = []
        for (index, book) in books.enumerated() {
            guard let path = book.path, let present = library[path.bytes] else {
                rows.add(.failed(index, .noSuchBook(book.path)))
                continue
            }
            guard seen.insert(path.bytes).inserted else {
                rows.add(
                    .failed(
                        index,
                        OverlayError(.invalidArgument, "The book is in the list twice.", subject: path)
                    ))
                continue
            }
            var wanted = book.limited(to: settable)
            wanted.collections = wanted.collections.map(collections.asListed)
            do throws(OverlayError) {
                let change = try BookChange(
                    index, present, wanted: wanted, shown: shown.of(path)
                ) {
                    covers.isNew($0, for: present)
                }
                if change.fields.isEmpty { rows.settle(index) } else { changes.append(change) }
            } catch {
                rows.add(.failed(index, error, path: path))
            }
        }
        return changes
    }
}

extension Book {
    /// The book without fields that cannot be changed.
    func limited(to fields: Set<MetadataField>) -> Book {
        var book = self
        if !fields.contains(.collections) { book.collections = nil }
        return book
    }
}
