import OverlayKit
import UploadPlanning

extension MarvinOverlay: AddsToBooklist, RemovesFromBooklist {
    /// The edits after an upload: a book that is in the list is replaced, any other is inserted.
    public func addBooksToMetadata(
        _ added: [Book], snapshot: [Book]
    ) throws(OverlayError) -> [BooklistEdit] {
        MarvinBooklist.adding(added, to: snapshot)
    }

    /// The edits after a deletion.
    public func removeBooksFromMetadata(
        _ paths: [String], snapshot: [Book]
    ) throws(OverlayError) -> [BooklistEdit] {
        MarvinBooklist.removing(paths, from: snapshot)
    }
}

/// Computes how an upload or a deletion changes a list of books, without asking the device.
enum MarvinBooklist {
    /// The edits for books that were added. If two books have the same place, the last one is used.
    ///
    /// A book matches one in the list with its path or UUID. If one of the two has no UUID, the same title and
    /// authors also match. Books with different UUIDs never match, however similar they are.
    static func adding(_ added: [Book], to snapshot: [Book]) -> [BooklistEdit] {
        let index = MarvinBookIndex(snapshot)
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

    /// The edits for books that were deleted. Paths that are not in the list are skipped.
    static func removing(_ paths: [String], from snapshot: [Book]) -> [BooklistEdit] {
        let gone = Set(paths.map(\.bytes))
        return snapshot.indices.filter { snapshot[$0].path.map { gone.contains($0.bytes) } ?? false }
            .map { .remove($0) }
    }

    /// Marvin's record of an uploaded book: the values sent, earlier values, and Marvin's mark for new books.
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

/// Finds books in a list without searching it each time.
struct MarvinBookIndex {
    private var byPath: [[UInt8]: Int] = [:]
    private var byUUID: [String: Int] = [:]
    private var byName: [String: Int] = [:]
    private let books: [Book]

    init(_ books: [Book]) {
        self.books = books
        for (index, book) in books.enumerated().reversed() {
            if let path = book.path { byPath[path.bytes] = index }
            if let uuid = book.uuid { byUUID[uuid.lowercased()] = index }
            if let name = Self.name(book) { byName[name] = index }
        }
    }

    /// The index of the book in the list.
    func place(of book: Book) -> Int? {
        if let index = book.path.flatMap({ byPath[$0.bytes] }) { return index }
        if let index = book.uuid.flatMap({ byUUID[$0.lowercased()] }),
            !BookSimilarity.areOthers(book, books[index])
        {
            return index
        }
        guard let index = Self.name(book).flatMap({ byName[$0] }),
            book.uuid == nil || books[index].uuid == nil
        else {
            return nil
        }
        return index
    }

    /// Title and authors as calibre compares them: lower case, letters and digits only; nil if nothing is left to
    /// compare.
    private static func name(_ book: Book) -> String? {
        guard let title = book.title.map(cleaned), !title.isEmpty else { return nil }
        return title + "\n" + (book.authors ?? []).map(cleaned).joined(separator: "\n")
    }

    private static func cleaned(_ text: String) -> String {
        text.lowercased().filter { $0.isLetter || $0.isNumber }
    }
}
