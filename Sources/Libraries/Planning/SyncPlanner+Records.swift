import BookModel
import Platform

extension SyncPlanner {
    /// The record of each book of the source.
    ///
    /// In a folder, another book may take a name: after files were renumbered, each name has another book, and all of
    /// them may have changed. A book that is another one than the copy that was recorded at its name gets the record
    /// of the copy that it resembles; if there is none, it is new. A record that no book gets is treated as that of a
    /// book that is gone from the source.
    mutating func assignRecords() -> [SyncRecord?] {
        var records = agreed.records(of: books)
        guard policy.keysAreNames else { return records }
        for index in records.indices where records[index] == nil {
            guard let own = agreed.record(atKeyOf: books[index].entry), !isOther(books[index], than: own)
            else {
                continue
            }
            records[index] = agreed.take(own)
        }
        let displaced = displacedRecords(records)
        guard !displaced.isEmpty else { return records }
        let places = Dictionary(
            displaced.compactMap { record in shelf.place(of: record.path).map { ($0, record) } },
            uniquingKeysWith: { first, _ in first })
        for index in records.indices where records[index] == nil && books[index].problem == nil {
            let book = books[index]
            guard let known = book.book,
                let found = shelf.place(
                    of: known, contentID: book.contentID, format: book.format,
                    sharesUUID: sharesUUID(known.uuid)),
                let record = places[found]
            else { continue }
            records[index] = agreed.take(record)
        }
        // A copy may be that of a book that cannot be read now, so it does not count as gone.
        let isUncertain = records.indices.contains { records[$0] == nil && books[$0].problem != nil }
        for record in displaced {
            guard let orphan = agreed.take(record) else { continue }
            leaveBehind(orphan, isUncertain: isUncertain)
        }
        return records
    }

    /// The records at the names of books that have another record, or none.
    private func displacedRecords(_ records: [SyncRecord?]) -> [SyncRecord] {
        records.indices.compactMap { index in
            let entry = books[index].entry
            if let record = records[index], ExactText(record.key) == ExactText(entry.key) { return nil }
            return agreed.record(atKeyOf: entry)
        }
    }

    /// Whether a book is another one than the copy of a record: the titles and the uuids differ, or without uuids the
    /// titles and the authors. Always false if the app changed the copy, or the record is pending.
    private mutating func isOther(_ book: SourceBook, than record: SyncRecord) -> Bool {
        guard !record.isPending, let known = book.book, let place = shelf.place(of: record.path),
            record.copy?.differences(from: shelf[place]).isEmpty == true
        else { return false }
        let copy = shelf[place]
        guard let own = known.uuid, let other = copy.uuid, !sharesUUID(own) else {
            return BookSimilarity.areOthers(known, copy)
        }
        guard DeviceShelf.compared(own) != DeviceShelf.compared(other) else { return false }
        return hasOtherTitle(known, copy)
    }

    /// Whether both titles are known and differ.
    private func hasOtherTitle(_ one: Book, _ other: Book) -> Bool {
        guard let title = one.title, let second = other.title, !title.isEmpty, !second.isEmpty else {
            return false
        }
        return BookSimilarity.compared(title) != BookSimilarity.compared(second)
    }

    /// Whether a book is the same as the book `owner`, whose copy it resembles. False if the owner's new file has
    /// another title.
    func isDuplicate(_ book: SourceBook, of owner: Int) -> Bool {
        let other = books[owner]
        guard let known = book.book, let changed = other.book, book.contentID != other.contentID else {
            return true
        }
        return !hasOtherTitle(known, changed)
    }
}
