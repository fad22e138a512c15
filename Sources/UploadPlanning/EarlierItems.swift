import OverlayKit

/// The earlier items of an upload, used to find those of which a later item may be another edition.
struct EarlierItems<Key: Hashable & Sendable>: Sendable {
    /// An earlier item.
    struct EarlierItem: Sendable {
        var book: IncomingBook
        /// The book on the device that the item is; nil if it is new.
        var present: PresentBook<Key>?
        /// Whether the item is sent; if not, its content is on the device already.
        var isSent: Bool
        /// Whether the item does not cause a loss for `present`, or the user has agreed to the loss.
        var isCleared: Bool
        /// The loss that the item's row describes. This also applies to a later edition that is sent instead.
        var lost: [String]
    }

    private struct ID: Hashable {
        var uuid: String
        var format: String?
    }

    private struct Name: Hashable {
        var title: String
        var format: String?
        var author: [String]
    }

    private struct Place: Hashable {
        var title: String
        var folder: String?
        var format: String?
    }

    private var earlierItems: [Int: EarlierItem] = [:]
    /// Several items have one id if their files were made from one template.
    private var byUUID: [ID: [Int]] = [:]
    private var byName: [Name: Int] = [:]
    private var byPlace: [Place: Int] = [:]
    private var withoutAuthors: [Place: Int] = [:]

    /// Adds an item. If several have the same name, lookups find the last one.
    mutating func take(_ item: EarlierItem) {
        let (book, index) = (item.book, item.book.index)
        earlierItems[index] = item
        if let id = Self.id(book) { byUUID[id, default: []].append(index) }
        guard let place = Self.place(book) else { return }
        byPlace[place] = index
        let authors = BookSimilarity.compared(book.authors)
        if authors.isEmpty { withoutAuthors[place] = index }
        for author in authors { byName[Self.name(place, author)] = index }
    }

    /// Removes an item that a later one replaces.
    mutating func forget(_ item: EarlierItem) {
        let (book, index) = (item.book, item.book.index)
        earlierItems[index] = nil
        if let id = Self.id(book) { byUUID[id]?.removeAll { $0 == index } }
        guard let place = Self.place(book) else { return }
        if byPlace[place] == index { byPlace[place] = nil }
        if withoutAuthors[place] == index { withoutAuthors[place] = nil }
        for author in BookSimilarity.compared(book.authors) {
            let name = Self.name(place, author)
            if byName[name] == index { byName[name] = nil }
        }
    }

    /// The earlier item that is the same book with other content: the same id and no conflicting title, or the same
    /// title and an author.
    func edition(of book: IncomingBook) -> EarlierItem? {
        let own = (Self.id(book).flatMap { byUUID[$0] } ?? []).compactMap { earlierItems[$0] }
        let title = Self.place(book)?.title
        if let same = own.last(where: { title != nil && Self.place($0.book)?.title == title }) { return same }
        if own.count == 1, title == nil || Self.place(own[0].book) == nil { return own[0] }
        guard let place = Self.place(book) else { return nil }
        let earlier = BookSimilarity.compared(book.authors).compactMap { byName[Self.name(place, $0)] }
        return earlier.max().flatMap { earlierItems[$0] }
    }

    /// The earlier item with the same title and folder, if the authors of one of the two are not known.
    func namesake(of book: IncomingBook) -> EarlierItem? {
        guard let place = Self.place(book) else { return nil }
        let found = book.authors.isEmpty ? byPlace[place] : withoutAuthors[place]
        return found.flatMap { earlierItems[$0] }
    }

    /// Whether an earlier item has the id of this book.
    func hasUUID(of book: IncomingBook) -> Bool {
        Self.id(book).flatMap { byUUID[$0] }.map { !$0.isEmpty } ?? false
    }

    private static func place(_ book: IncomingBook) -> Place? {
        guard let title = book.title.map({ BookSimilarity.compared($0) }), !title.isEmpty else { return nil }
        return Place(title: title, folder: book.folder, format: book.format)
    }

    private static func name(_ place: Place, _ author: [String]) -> Name {
        Name(title: place.title, format: place.format, author: author)
    }

    private static func id(_ book: IncomingBook) -> ID? {
        book.uuid.map { ID(uuid: $0, format: book.format) }
    }
}
