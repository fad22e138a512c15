import BookModel
import Platform

extension SyncPlanner {
    /// The record of each book of the source.
    ///
    /// In a folder, another book may take a name: after files were renumbered, each name has another book, and all of
    /// them may have changed. A book whose title and authors both differ from the copy that was recorded at its name
    /// gets the record of the copy that it resembles; if there is none, it is new. What remains of the former book is
    /// treated as gone from the source.
    mutating func assignRecords() -> [SyncRecord?] {
        var records = agreed.records(of: books)
        guard policy.keysAreNames else { return records }
        let open = records.indices.filter { records[$0] == nil }
        for index in open {
            guard let own = agreed.record(atKeyOf: books[index].entry), !isOther(books[index], than: own)
            else {
                continue
            }
            records[index] = agreed.take(own)
        }
        let rest = open.filter { records[$0] == nil && books[$0].problem == nil }
        guard !rest.isEmpty else { return records }
        let places = Dictionary(
            rest.compactMap { index in
                agreed.record(atKeyOf: books[index].entry).flatMap { own in
                    shelf.place(of: own.path).map { ($0, own) }
                }
            }, uniquingKeysWith: { first, _ in first })
        for index in rest {
            let book = books[index]
            guard let known = book.book,
                let found = shelf.place(
                    of: known, contentID: book.contentID, format: book.format,
                    sharesUUID: sharesUUID(known.uuid)),
                let record = places[found]
            else { continue }
            records[index] = agreed.take(record)
        }
        for index in rest {
            guard let own = agreed.record(atKeyOf: books[index].entry), let orphan = agreed.take(own) else {
                continue
            }
            leaveBehind(orphan)
        }
        return records
    }

    /// Whether a book is another one than the copy of a record, which the app has not changed: the titles and the uuids
    /// differ, or without uuids the titles and the authors.
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

    /// Whether a book is still the same as the one that has its copy on the device, after that one's file changed.
    func isDuplicate(_ book: SourceBook, of owner: Int) -> Bool {
        let other = books[owner]
        guard let known = book.book, let changed = other.book, book.contentID != other.contentID else {
            return true
        }
        return !hasOtherTitle(known, changed)
    }
}
