import BookModel
import BookSearch
import Glibc
import Logging
import Platform

/// Gives an index the texts inside books that it lacks.
package typealias TextsOfBooks = (SearchIndex, AnyRandomAccessCollection<Book>) throws(SearchError) -> Void

/// Finds the books of an app on a device by all their texts. One thread at a time; several programs may search the same app.
package struct BookFinder {
    /// The file of the index; nil: it is made in memory for each search.
    private let file: String?
    private let log: Logger

    /// A search without a file.
    init(log: Logger) { (file, self.log) = (nil, log) }

    /// A search with an index that is kept.
    ///
    /// - Parameters:
    ///   - folder: holds the indexes of all apps; made when it is needed.
    ///   - device: the UDID.
    ///   - app: the bundle id.
    ///   - log: gets the reason if an index is not used.
    init(folder: String, device: String, app: String, log: Logger) {
        file = folder + "/" + Self.name(device) + "/" + Self.name(app) + ".sqlite"
        self.log = log
    }

    /// The places of the books that a query finds, the best first; all of them, in their order, for a query without a term.
    ///
    /// An index that cannot be used is done without: then the books are searched in memory.
    ///
    /// - Parameters:
    ///   - text: what a person typed; any text is a query.
    ///   - books: all books of the app.
    ///   - texts: gives the texts inside books that an index lacks; nil: they are not searched.
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

    /// Where the books that were found are, those that fit alike in the order of the list.
    private static func places(_ hits: [SearchHit], _ books: some RandomAccessCollection<Book>) -> [Int] {
        var places: [ExactText: Int] = [:]
        for (place, book) in books.enumerated() { places[ExactText(book.path ?? "")] = place }
        let found = hits.compactMap { hit in places[ExactText(hit.id)].map { (rank: hit.rank, place: $0) } }
        return found.sorted { ($0.rank, $0.place) < ($1.rank, $1.place) }.map(\.place)
    }

    /// Devices and apps may call themselves anything.
    private static func name(_ id: String) -> String {
        let letters = id.map {
            $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") ? $0 : "_"
        }
        // Neither hidden nor a way out of the folder.
        return String((letters.first == "." ? ["_"] + letters.dropFirst() : letters[...]).prefix(128))
    }

    /// Makes the folders above a file, for this user alone. What goes wrong shows when the file is opened.
    private static func makeFolder(of file: String) {
        if let folder = file.pathFolder { _ = makeFolders(String(folder), mode: 0o700) }
    }
}
