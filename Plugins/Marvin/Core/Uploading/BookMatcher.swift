import BookFolders
import OverlayKit

/// Finds the book of the library that an item of an upload is: by its uuid, else by its content, else by title and authors.
struct BookMatcher {
    /// What was found.
    enum Match: Equatable {
        case book(LibraryBook, MatchRule)
        /// Several books have the item's title and authors; none of them is certain.
        case several([LibraryBook])
        case none

        static func == (left: Match, right: Match) -> Bool {
            switch (left, right) {
            case (.book(let a, let first), .book(let b, let second)): a == b && first == second
            case (.several(let a), .several(let b)): a == b
            case (.none, .none): true
            default: false
            }
        }
    }

    private var byUUID: [String: LibraryBook] = [:]
    private var byFile: [[UInt8]: LibraryBook] = [:]
    private var byName: [TitleAndAuthors: [LibraryBook]] = [:]

    /// - Parameter library: what Marvin has now.
    init(_ library: [LibraryBook]) {
        for book in library.reversed() {
            if let uuid = book.uuid { byUUID[uuid.lowercased()] = book }
            byFile[book.fileName.lowercased().bytes] = book
            if let name = TitleAndAuthors(title: book.title, authors: book.author) {
                byName[name, default: []].append(book)
            }
        }
    }

    /// The book that an item is.
    ///
    /// - Parameter content: finds a book with the item's very bytes; asked only when the uuid tells nothing.
    func match(
        _ book: Book, uuid: String, content: () throws(OverlayError) -> LibraryBook?
    ) throws(OverlayError) -> Match {
        let key = uuid.lowercased()
        if let found = byUUID[key] ?? byFile[(key + ".epub").bytes] { return .book(found, .uuid) }
        if let found = try content() { return .book(found, .content) }
        guard let name = TitleAndAuthors(title: book.title, authors: book.authors), let found = byName[name]
        else { return .none }
        return found.count == 1 ? .book(found[0], .name) : .several(found.reversed())
    }
}
