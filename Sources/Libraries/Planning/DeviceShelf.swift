import BookModel
import Platform

/// The books on a device, with indexes that find the device's copy of a book.
///
/// Books and indexes are created on demand: if nothing in a library changed, only the paths are needed. For use by
/// one thread at a time.
package final class DeviceShelf {
    /// The number of books.
    package let count: Int
    private let book: (Int) -> Book
    private let position: ((String) -> Int?)?
    private let digest: ((Int) -> UInt64)?
    private lazy var byPath = index { (places: inout [ExactText: Int], place, book) in
        if let path = book.path { places[ExactText(path)] = place }
    }
    /// Paths by canonical equivalence: a device may represent “é” with two scalars where a record has one.
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

    /// Creates a shelf with these books.
    package init(_ books: [Book]) {
        count = books.count
        book = { books[$0] }
        (position, digest) = (nil, nil)
    }

    /// Creates a shelf with the books of a list.
    ///
    /// - Parameters:
    ///   - count: the number of books.
    ///   - position: finds a book by its path, byte by byte.
    ///   - digest: a digest of the row of a book, by its index. It can be stored: as long as it is equal, the row is
    ///     unchanged.
    ///   - book: a book, by its index.
    package init(
        count: Int, position: @escaping (String) -> Int?, digest: @escaping (Int) -> UInt64,
        book: @escaping (Int) -> Book
    ) {
        (self.count, self.position, self.digest, self.book) = (count, position, digest, book)
    }

    /// The book with an index from 0 up to, but not including, `count`.
    package subscript(place: Int) -> Book { book(place) }

    /// A digest of the row of the book with an index; nil if the shelf does not know any.
    func digest(of place: Int) -> UInt64? { digest?(place) }

    private func index<Key: Hashable, Value>(
        _ insert: (inout [Key: Value], Int, Book) -> Void
    ) -> [Key: Value] {
        var places: [Key: Value] = [:]
        for place in 0..<count { insert(&places, place, self[place]) }
        return places
    }

    /// The index of the book at a path.
    func place(of path: String?) -> Int? {
        guard let path else { return nil }
        let exact = if let position { position(path) } else { byPath[ExactText(path)] }
        return exact ?? bySpelling[path]
    }

    /// The index of the only book with a size for which `isFree` returns true; nil if there are none or several.
    func place(ofSize size: UInt64?, _ isFree: (Int) -> Bool) -> Int? {
        guard let size, size > 0 else { return nil }
        let free = (bySize[size] ?? []).filter(isFree)
        return free.count == 1 ? free.first : nil
    }

    /// The index of the book with this content.
    func place(ofContent contentID: String?) -> Int? { contentID.flatMap { byContent[$0] } }

    /// The index of the device's copy of a book in the source. Copies are matched by content, then by uuid unless the
    /// titles contradict, then by title and authors. A file of another format is another book.
    ///
    /// A book without a uuid is sent with one that is derived from its content. In the app, this uuid identifies the
    /// book under any title.
    ///
    /// - Parameter sharesUUID: whether several books of the source have the same uuid and different titles.
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

    /// The index of a book of unknown content that has the title and the size of a book, and whose authors, or those of
    /// the book, are unknown.
    ///
    /// - Parameter isFree: whether a book may be the copy.
    func place(
        ofPossibleCopy book: Book, size: UInt64, format: String?, _ isFree: (Int) -> Bool
    ) -> Int? {
        titles.books(title: book.title, authors: book.authors).first { found in
            guard found.similarity == .perhaps, isFree(found.key), isFormat(format, of: found.key) else {
                return false
            }
            let other = self[found.key]
            return other.size == size && other.contentID == nil && (book.uuid == nil || other.uuid == nil)
        }?.key
    }

    private func isTitled(_ title: String?, _ place: Int) -> Bool {
        guard let title, let other = self[place].title, !title.isEmpty, !other.isEmpty else { return true }
        return BookSimilarity.compared(title) == BookSimilarity.compared(other)
    }

    private func isFormat(_ format: String?, of place: Int) -> Bool {
        EquivalentFormats.isSame(format, self[place].format)
    }

    /// The form of a uuid for comparisons.
    static func compared(_ uuid: String) -> String {
        let text = uuid.lowercased()
        return text.hasPrefix("urn:uuid:") ? String(text.dropFirst(9)) : text
    }
}

/// Compares formats of files that may be the same book.
enum EquivalentFormats {
    private static let distinct: Set<String> = ["application/epub+zip", "application/pdf"]

    /// Whether two files may have the same format; true if this is unknown.
    static func isSame(_ one: String?, _ other: String?) -> Bool {
        guard let one = bare(one), let other = bare(other), one != other else { return true }
        // Media types of Amazon's formats and of comics vary between apps.
        return !distinct.contains(one) && !distinct.contains(other)
    }

    private static func bare(_ type: String?) -> String? {
        type.map { String($0.prefix { $0 != ";" }).lowercased() }
    }
}
