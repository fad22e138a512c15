import BookModel
import Platform

/// The books on a device, for the question whether one of them is a book of the source.
///
/// A book is made when it is asked for, and an index when it is asked first: of a library in which nothing has changed only the
/// paths are needed. Not for several threads at once.
package final class DeviceShelf {
    /// How many books there are.
    package let count: Int
    private let book: (Int) -> Book
    private let position: ((String) -> Int?)?
    private lazy var byPath = index { (places: inout [ExactText: Int], place, book) in
        if let path = book.path { places[ExactText(path)] = place }
    }
    /// By canonical equivalence: a device may write “é” with two scalars where a row had one.
    private lazy var bySpelling = index { (places: inout [String: Int], place, book) in
        if let path = book.path { places[path] = place }
    }
    private lazy var byContent = index { (places: inout [String: Int], place, book) in
        if let content = book.contentID, places[content] == nil { places[content] = place }
    }
    private lazy var bySize = index { (places: inout [UInt64: [Int]], place, book) in
        if let size = book.size { places[size, default: []].append(place) }
    }
    private lazy var byUUID = index { (places: inout [String: [Int]], place, book) in
        if let uuid = book.uuid, !uuid.isEmpty { places[Self.compared(uuid), default: []].append(place) }
    }
    private lazy var titles: TitleIndex<Int> = {
        var titles = TitleIndex<Int>()
        for place in 0..<count {
            let book = self[place]
            titles.insert(place, title: book.title, authors: book.authors)
        }
        return titles
    }()

    /// The shelf with these books.
    ///
    /// - Parameter position: finds a book by its path, byte by byte; nil: the shelf makes an index of its own.
    package init<Books: RandomAccessCollection<Book>>(
        _ books: Books, position: ((String) -> Int?)? = nil
    ) {
        count = books.count
        book = { books[books.index(books.startIndex, offsetBy: $0)] }
        self.position = position
    }

    /// The book at a place from 0 to `count`, without it.
    package subscript(place: Int) -> Book { book(place) }

    private func index<Key: Hashable, Value>(
        _ insert: (inout [Key: Value], Int, Book) -> Void
    ) -> [Key: Value] {
        var places: [Key: Value] = [:]
        for place in 0..<count { insert(&places, place, self[place]) }
        return places
    }

    /// The book at a path.
    func place(of path: String?) -> Int? {
        guard let path else { return nil }
        let exact = if let position { position(path) } else { byPath[ExactText(path)] }
        return exact ?? bySpelling[path]
    }

    /// The only book of a size that `isFree` lets pass; nil if there is none, or several.
    func place(ofSize size: UInt64?, _ isFree: (Int) -> Bool) -> Int? {
        guard let size, size > 0 else { return nil }
        let free = (bySize[size] ?? []).filter(isFree)
        return free.count == 1 ? free.first : nil
    }

    /// The book with this content.
    func place(ofContent contentID: String?) -> Int? { contentID.flatMap { byContent[$0] } }

    /// The book that is the same as one of the source: by content, by uuid as long as the titles do not speak against it, by
    /// title and authors. A file of another format is another book.
    ///
    /// A book without a uuid of its own is sent with one that its content makes, which identifies it under any
    /// title in the app.
    ///
    /// - Parameter sharesUUID: whether several books of the source have its uuid and different titles.
    package func place(
        of book: Book, contentID: String?, format: String?, sharesUUID: Bool
    ) -> Int? {
        if let place = place(ofContent: contentID) { return place }
        if let contentID,
            let sent = byUUID[Self.compared(contentID)]?.first(where: { isFormat(format, of: $0) })
        {
            return sent
        }
        if let uuid = book.uuid {
            let owners = (byUUID[Self.compared(uuid)] ?? []).filter { isFormat(format, of: $0) }
            if let same = owners.first(where: { isTitled(book.title, $0) }) { return same }
            if owners.count == 1, let only = owners.first, !sharesUUID,
                !BookSimilarity.areOthers(book, self[only])
            {
                return only
            }
        }
        let named = titles.books(title: book.title, authors: book.authors)
            .filter { $0.similarity == .same && isFormat(format, of: $0.key) }
        return named.first?.key
    }

    private func isTitled(_ title: String?, _ place: Int) -> Bool {
        guard let title, let other = self[place].title, !title.isEmpty, !other.isEmpty else { return true }
        return BookSimilarity.compared(title) == BookSimilarity.compared(other)
    }

    private func isFormat(_ format: String?, of place: Int) -> Bool {
        EquivalentFormats.isSame(format, self[place].format)
    }

    /// A uuid as it is compared.
    static func compared(_ uuid: String) -> String {
        let text = uuid.lowercased()
        return text.hasPrefix("urn:uuid:") ? String(text.dropFirst(9)) : text
    }
}

/// Formats of files that may be one book.
enum EquivalentFormats {
    private static let distinct: Set<String> = ["application/epub+zip", "application/pdf"]

    /// Whether two files may be of one format; true where that is not known.
    static func isSame(_ one: String?, _ other: String?) -> Bool {
        guard let one = bare(one), let other = bare(other), one != other else { return true }
        // Media types of the formats of Amazon and of comics vary from app to app.
        return !distinct.contains(one) && !distinct.contains(other)
    }

    private static func bare(_ type: String?) -> String? {
        type.map { String($0.prefix { $0 != ";" }).lowercased() }
    }
}
