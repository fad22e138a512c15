import OverlayKit
import UploadPlanning

/// Finds books of a list without going through it for each.
struct BooklistIndex {
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

    /// Where the book stands in the list.
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

    /// Title and authors as calibre compares them: lower case, letters and digits only. nil: nothing to compare.
    private static func name(_ book: Book) -> String? {
        guard let title = book.title.map(cleaned), !title.isEmpty else { return nil }
        return title + "\n" + (book.authors ?? []).map(cleaned).joined(separator: "\n")
    }

    private static func cleaned(_ text: String) -> String {
        text.lowercased().filter { $0.isLetter || $0.isNumber }
    }
}
