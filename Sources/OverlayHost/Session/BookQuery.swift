import HostContract
import Logging
import Platform

/// Selects, sorts and limits the books of a list.
///
/// Texts are compared without case, accents, width and repeated spaces. Empty properties do not restrict the result.
///
/// ```swift
/// func titles(by author: String, in books: BookList) -> [String?] {
///     var query = BookQuery()
///     query.authors = [author]
///     query.sortField = "title"
///     query.limit = 10
///     return query.places(in: books).places.map { books[$0].title }
/// }
/// ```
public struct BookQuery: Sendable, Equatable {
    /// Words that must all occur in the title, an author, the series, a tag or a collection. A word may be a phrase.
    public var words: [String] = []
    /// A search in all texts of a book, in the syntax of `SearchQuery`. Without `sortField`, the best matches come
    /// first.
    public var search: String?
    /// Whether `search` includes the texts inside PDF files. Only `HostSession.places` supports this.
    public var searchesTexts = false
    /// Names of collections. The book must be in one of them.
    public var collections: [String] = []
    /// Parts of names. One of them must occur in an author's name.
    public var authors: [String] = []
    /// Extensions or media types. The book's file must have one of them.
    public var formats: [String] = []
    /// The name of the field to sort by, one of `Book.fields` or `cover`; nil for the order of the search or of the
    /// reader app.
    public var sortField: String?
    /// Whether to sort in descending order. Books without a value always come last.
    public var isDescending = false
    /// The largest number of books; nil for all.
    public var limit: Int?

    /// Creates a query for all books in the order of the reader app.
    public init() {}

    /// Returns the positions of the selected books in their order, and their number before the limit.
    ///
    /// `search` indexes the books for this call; `HostSession.places` keeps the index.
    public func places(in books: BookList) -> (places: [Int], matching: Int) {
        let quiet = Logger(label: "search") { _ in SwiftLogNoOpLogHandler() }
        return places(
            in: books, found: search.map { BookFinder(log: quiet).find($0, in: books.lazy.map(\.book)) })
    }

    /// The positions of the matching books after a search.
    ///
    /// - Parameters:
    ///   - books: all books.
    ///   - found: the positions that the search found, best first; nil without a search.
    func places(in books: BookList, found: [Int]?) -> (places: [Int], matching: Int) {
        let (words, authors) = (words.map(BookIndex.folded), authors.map(BookIndex.folded))
        let collections = Set(collections.map(BookIndex.folded))
        let formats = formats.map { $0.lowercased() }
        let candidates = found.map { sortField == nil ? $0 : $0.sorted() } ?? Array(books.indices)
        let isRestricted = !(words.isEmpty && authors.isEmpty && collections.isEmpty && formats.isEmpty)
        var places = candidates.filter { place in
            guard isRestricted else { return true }
            let book = books[place].book
            return Self.has(book, words: words) && Self.isBy(authors, book)
                && Self.isIn(collections, book) && Self.isOf(formats, book)
        }
        if let sortField {
            places = sorted(places, books, by: sortField)
        } else if isDescending {
            places.reverse()
        }
        let matching = places.count
        return (limit.map { Array(places.prefix($0)) } ?? places, matching)
    }

    // MARK: matching

    private static func has(_ book: Book, words: [String]) -> Bool {
        guard !words.isEmpty else { return true }
        var texts = [book.title, book.series].compactMap { $0 }
        for list in [book.authors, book.tags, book.collections] { texts += list ?? [] }
        let folded = texts.map(BookIndex.folded)
        return words.allSatisfy { word in folded.contains { $0.contains(word) } }
    }

    private static func isBy(_ authors: [String], _ book: Book) -> Bool {
        guard !authors.isEmpty else { return true }
        let names = (book.authors ?? []).map(BookIndex.folded)
        return authors.contains { author in names.contains { $0.contains(author) } }
    }

    private static func isIn(_ collections: Set<String>, _ book: Book) -> Bool {
        collections.isEmpty
            || (book.collections ?? []).contains { collections.contains(BookIndex.folded($0)) }
    }

    private static func isOf(_ formats: [String], _ book: Book) -> Bool {
        guard !formats.isEmpty else { return true }
        let type = book.format.map { String($0.prefix { $0 != ";" }).lowercased() }
        let ending = book.path.map { LocalBook.fileExtension(of: $0) } ?? ""
        return formats.contains { format in
            if format.hasSlash { return format == type }
            let wanted = format.hasPrefix(".") ? String(format.dropFirst()) : format
            return wanted == ending || (type.map { FileFormat.has(wanted, mediaType: $0) } ?? false)
        }
    }

    // MARK: sorting

    private enum Key {
        case text(String)
        case number(Double)
    }

    private func sorted(_ places: [Int], _ books: BookList, by name: String) -> [Int] {
        let keys = places.map { Self.key(books[$0].book, name) }
        let order = keys.indices.sorted { first, second in
            guard let one = keys[first] else { return keys[second] == nil && first < second }
            guard let other = keys[second] else { return true }
            let comparison = Self.compare(one, other)
            return comparison == 0 ? first < second : (comparison < 0) != isDescending
        }
        return order.map { places[$0] }
    }

    /// The sort key of a book; nil if it has no such value. Titles and authors have separate sort forms.
    private static func key(_ book: Book, _ name: String) -> Key? {
        switch name {
        case "title": return text(book.titleSort ?? book.title)
        case "authors": return text(book.authorSort ?? book.authors?.joined(separator: ", "))
        case "series": return text(book.series.map { "\($0) \(book.seriesIndex.map { "\($0)" } ?? "")" })
        case "cover": return book.coverSize.map { .number(Double($0)) }
        default: break
        }
        switch Book.field(name)?.value {
        case .text(let place): return text(book[keyPath: place])
        case .texts(let place): return text(book[keyPath: place]?.joined(separator: ", "))
        case .number(let place): return book[keyPath: place].map { .number($0) }
        case .count(let place): return book[keyPath: place].map { .number(Double($0)) }
        case .time(let place): return book[keyPath: place].map { .number(Double($0)) }
        case .flag(let place): return book[keyPath: place].map { .number($0 ? 1 : 0) }
        case .bytes, nil: return nil
        }
    }

    private static func text(_ text: String?) -> Key? {
        text.flatMap { $0.isEmpty ? nil : .text(BookIndex.folded($0)) }
    }

    /// Returns a negative number if `one` is less, and a positive number if it is greater.
    private static func compare(_ one: Key, _ other: Key) -> Int {
        switch (one, other) {
        case (.number(let one), .number(let other)): one < other ? -1 : one > other ? 1 : 0
        case (.text(let one), .text(let other)): NaturalOrder.compare(one, other)
        // This does not occur, because all values of a field have the same kind.
        case (.text, .number): 1
        case (.number, .text): -1
        }
    }
}
