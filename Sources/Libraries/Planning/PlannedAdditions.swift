import BookModel

/// The steps of a plan that add a book, used to find duplicates. Of two editions of a book, the first is sent, as in
/// every app's uploads.
///
/// The books themselves are not kept, because a plan may add a hundred thousand.
struct PlannedAdditions {
    /// A step, and the hash of its book's title as it is compared; nil for a book without a title.
    private struct Addition {
        var step: Int
        var title: Int?
    }

    private let sharedUUIDs: Set<String>
    private var byContent: [String: Int] = [:]
    private var byUUID: [String: [Addition]] = [:]
    private var titles = TitleIndex<Int>()

    /// - Parameter sharedUUIDs: uuids that do not identify a book, because several books share them.
    init(_ sharedUUIDs: Set<String>) { self.sharedUUIDs = sharedUUIDs }

    /// Adds a book that a step sends.
    mutating func insert(_ book: Book, _ contentID: String?, at step: Int) {
        if let contentID { byContent[contentID] = step }
        if let uuid = book.uuid {
            byUUID[DeviceShelf.compared(uuid), default: []].append(
                Addition(step: step, title: Self.hash(book.title)))
        }
        titles.insert(step, title: book.title, authors: book.authors)
    }

    /// The step that sends the same book.
    ///
    /// - Parameters:
    ///   - sentFormat: returns the format of the book that a step sends.
    ///   - sentBook: returns the book that a step sends.
    func step(
        of book: Book, _ contentID: String?, _ format: String?, sentFormat: (Int) -> String?,
        sentBook: (Int) -> Book
    ) -> Int? {
        if let step = contentID.flatMap({ byContent[$0] }) { return step }
        func fits(_ step: Int) -> Bool { EquivalentFormats.isSame(format, sentFormat(step)) }
        if let uuid = book.uuid.map(DeviceShelf.compared) {
            let title = Self.hash(book.title)
            let own = (byUUID[uuid] ?? []).first { other in
                guard fits(other.step) else { return false }
                guard let title, let second = other.title else { return true }
                if title == second, Self.isSame(book.title, sentBook(other.step).title) { return true }
                return !sharedUUIDs.contains(uuid) && !BookSimilarity.areOthers(book, sentBook(other.step))
            }
            if let own { return own.step }
        }
        return titles.books(title: book.title, authors: book.authors)
            .first { $0.similarity == .same && fits($0.key) }?.key
    }

    private static func hash(_ title: String?) -> Int? { title.map { BookSimilarity.compared($0).hashValue } }

    private static func isSame(_ one: String?, _ other: String?) -> Bool {
        one.map { BookSimilarity.compared($0) } == other.map { BookSimilarity.compared($0) }
    }
}
