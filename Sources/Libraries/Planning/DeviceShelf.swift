import BookModel
import Platform

/// The books on a device, for the question whether one of them is a book of the source.
package struct DeviceShelf {
    let books: [Book]
    private var byPath: [ExactText: Int] = [:]
    /// By canonical equivalence: a device may write “é” with two scalars where a row had one.
    private var bySpelling: [String: Int] = [:]
    private var byContent: [String: Int] = [:]
    private var bySize: [UInt64: [Int]] = [:]
    private var byUUID: [String: [Int]] = [:]
    private var titles = TitleIndex<Int>()

    /// An index of these books.
    package init(_ books: [Book]) {
        self.books = books
        byPath.reserveCapacity(books.count)
        for (place, book) in books.enumerated() { insert(place, book) }
    }

    private mutating func insert(_ place: Int, _ book: Book) {
        if let path = book.path {
            byPath[ExactText(path)] = place
            bySpelling[path] = place
        }
        if let content = book.contentID, byContent[content] == nil { byContent[content] = place }
        if let size = book.size { bySize[size, default: []].append(place) }
        if let uuid = book.uuid, !uuid.isEmpty { byUUID[Self.compared(uuid), default: []].append(place) }
        titles.insert(place, title: book.title, authors: book.authors)
    }

    /// The book at a path.
    func place(of path: String?) -> Int? {
        guard let path else { return nil }
        return byPath[ExactText(path)] ?? bySpelling[path]
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
    /// - Parameter sharesUUID: whether several books of the source have its uuid and different titles.
    package func place(
        of book: Book, contentID: String?, format: String?, sharesUUID: Bool
    ) -> Int? {
        if let place = place(ofContent: contentID) { return place }
        if let uuid = book.uuid {
            let owners = (byUUID[Self.compared(uuid)] ?? []).filter { isFormat(format, of: $0) }
            if let same = owners.first(where: { isTitled(book.title, $0) }) { return same }
            if owners.count == 1, let only = owners.first, !sharesUUID,
                !BookSimilarity.areOthers(book, books[only])
            {
                return only
            }
        }
        let named = titles.books(title: book.title, authors: book.authors)
            .filter { $0.similarity == .same && isFormat(format, of: $0.key) }
        return named.first?.key
    }

    private func isTitled(_ title: String?, _ place: Int) -> Bool {
        guard let title, let other = books[place].title, !title.isEmpty, !other.isEmpty else { return true }
        return BookSimilarity.compared(title) == BookSimilarity.compared(other)
    }

    private func isFormat(_ format: String?, of place: Int) -> Bool {
        FormatLikeness.isSame(format, books[place].format)
    }

    /// A uuid as it is compared.
    static func compared(_ uuid: String) -> String {
        let text = uuid.lowercased()
        return text.hasPrefix("urn:uuid:") ? String(text.dropFirst(9)) : text
    }
}

/// Formats of files that may be one book.
enum FormatLikeness {
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
