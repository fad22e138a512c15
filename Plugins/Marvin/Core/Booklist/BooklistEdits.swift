import OverlayKit

/// What an upload or a deletion changes in a list of books, without a look at the device.
enum BooklistEdits {
    /// The edits for books that were added; of two for the same place the last one counts.
    ///
    /// A book is in the list if one there has its path or its uuid, or, where one of the two has no uuid, its title and
    /// authors. Two books with different uuids are never taken for one, however alike they look.
    static func adding(_ added: [Book], to snapshot: [Book]) -> [BooklistEdit] {
        let index = BooklistIndex(snapshot)
        var replaced: [Int: Book] = [:]
        var inserted: [Book] = []
        var positions: [[UInt8]: Int] = [:]
        for book in added {
            if let place = index.place(of: book) {
                replaced[place] = merged(book, over: snapshot[place])
                continue
            }
            let new = merged(book, over: nil)
            // Two entries for one file would break the rule that paths are unique.
            if let path = book.path, let earlier = positions[path.bytes] {
                inserted[earlier] = new
                continue
            }
            if let path = book.path { positions[path.bytes] = inserted.count }
            inserted.append(new)
        }
        return replaced.sorted { $0.key < $1.key }.map { .replace($0.key, $0.value) }
            + inserted.map { .insert($0) }
    }

    /// The edits for books that were deleted. Paths that are not in the list are passed over.
    static func removing(_ paths: [String], from snapshot: [Book]) -> [BooklistEdit] {
        let gone = Set(paths.map(\.bytes))
        return snapshot.indices.filter { snapshot[$0].path.map { gone.contains($0.bytes) } ?? false }
            .map { .remove($0) }
    }

    /// What Marvin now knows of an uploaded book: what was sent, what it knew before, and its mark for new books.
    private static func merged(_ book: Book, over old: Book?) -> Book {
        var book = book
        book.uuid = book.uuid ?? old?.uuid
        book.titleSort = book.titleSort ?? old?.titleSort
        book.authorSort = book.authorSort ?? old?.authorSort
        book.series = book.series ?? old?.series
        book.seriesIndex = book.seriesIndex ?? old?.seriesIndex
        book.publisher = book.publisher ?? old?.publisher
        book.pubdate = book.pubdate ?? old?.pubdate
        book.description = book.description ?? old?.description
        book.tags = book.tags ?? old?.tags
        book.rating = book.rating ?? old?.rating
        book.format = book.format ?? MarvinFormat.epub
        let collections = (book.collections ?? []) + (old?.collections ?? []) + [LibraryFlag.new.rawValue]
        book.collections = Set(collections).sorted()
        return book
    }
}
