import BookModel
import BookSearch
import Glibc
import Logging
import Platform

/// Adds missing texts of books to an index.
package typealias TextsOfBooks = (SearchIndex, AnyRandomAccessCollection<Book>) throws(SearchError) -> Void

/// Searches all texts of an app's books on a device. For use by one thread at a time; several programs may search the
/// same app.
package struct BookFinder {
    /// The path of the index; nil if each search creates an index in memory.
    private let file: String?
    private let log: Logger

    /// Creates a search without a file.
    init(log: Logger) { (file, self.log) = (nil, log) }

    /// Creates a search with a persistent index.
    ///
    /// - Parameters:
    ///   - folder: the folder for the indexes of all apps; created when needed.
    ///   - device: the UDID of the device.
    ///   - app: the bundle identifier of the app.
    ///   - log: receives the reason if an index is not used.
    init(folder: String, device: String, app: String, log: Logger) {
        file = folder + "/" + Self.name(device) + "/" + Self.name(app) + ".sqlite"
        self.log = log
    }

    /// The positions of the books that match a query, best first; all books in their order for a query without a
    /// term.
    ///
    /// If the index cannot be used, the books are searched in memory.
    ///
    /// - Parameters:
    ///   - text: the text of the user. Any text is a valid query.
    ///   - books: all books of the app.
    ///   - texts: adds texts inside books that the index does not have; nil to omit these texts.
    package func find(
        _ text: String, in books: some RandomAccessCollection<Book>, texts: TextsOfBooks? = nil
    ) -> [Int] {
        let query = SearchQuery(text)
        guard !query.clauses.isEmpty else { return Array(0..<books.count) }
        if let file {
            do throws(SearchError) {
                Self.makeFolder(of: file)
                return try Self.find(query, SearchIndex(file: file), books, texts)
            } catch {
                log.warning("searching without an index: \(error)")
            }
        }
        do throws(SearchError) {
            return try Self.find(query, SearchIndex(file: nil), books, texts)
        } catch {
            log.error("the books cannot be searched: \(error)")
            return []
        }
    }

    private static func find(
        _ query: SearchQuery, _ index: SearchIndex, _ books: some RandomAccessCollection<Book>,
        _ texts: TextsOfBooks?
    ) throws(SearchError) -> [Int] {
        let hits =
            if let texts {
                try index.find(query, among: entries(books)) { (index) throws(SearchError) in
                    try texts(index, AnyRandomAccessCollection(books))
                }
            } else {
                try index.find(query, among: entries(books))
            }
        return places(hits, books)
    }

    private static func entries(_ books: some RandomAccessCollection<Book>) -> some Sequence<SearchEntry> {
        books.lazy.map { SearchableBook($0).entry }
    }

    /// The positions of the books that were found. Equally good matches keep the order of the list.
    private static func places(_ hits: [SearchHit], _ books: some RandomAccessCollection<Book>) -> [Int] {
        var places: [ExactText: Int] = [:]
        for (place, book) in books.enumerated() { places[ExactText(book.path ?? "")] = place }
        let found = hits.compactMap { hit in places[ExactText(hit.id)].map { (rank: hit.rank, place: $0) } }
        return found.sorted { ($0.rank, $0.place) < ($1.rank, $1.place) }.map(\.place)
    }

    /// A valid file name for an id. Devices and apps may use any characters in ids.
    private static func name(_ id: String) -> String {
        let letters = id.map {
            $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") ? $0 : "_"
        }
        // The name must not be hidden or lead out of the folder.
        return String((letters.first == "." ? ["_"] + letters.dropFirst() : letters[...]).prefix(128))
    }

    /// Creates the parent folders of a file, with access for this user only. An error is reported when the file is
    /// opened.
    private static func makeFolder(of file: String) {
        if let folder = file.pathFolder { _ = makeFolders(String(folder), mode: 0o700) }
    }
}
