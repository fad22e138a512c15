import BookModel

/// The books that a plan adds, used to find duplicates. Of two editions of a book, the first is sent, as in every
/// app's uploads.
struct PlannedAdditions {
    private struct Addition {
        var title: String?
        var authors: [String]?
        var format: String?
        var step: Int

        var book: Book { Book(title: title, authors: authors) }
    }

    private let sharedUUIDs: Set<String>
    private var additions: [Addition] = []
    private var byContent: [String: Int] = [:]
    private var byUUID: [String: [Int]] = [:]
    private var titles = TitleIndex<Int>()

    /// - Parameter sharedUUIDs: uuids that do not identify a book, because several books share them.
    init(_ sharedUUIDs: Set<String>) { self.sharedUUIDs = sharedUUIDs }

    /// Adds a book that a step sends.
    mutating func insert(_ book: Book, _ contentID: String?, _ format: String?, at step: Int) {
        let place = additions.count
        additions.append(
            Addition(title: book.title, authors: book.authors, format: format, step: step))
        if let contentID { byContent[contentID] = place }
        if let uuid = book.uuid { byUUID[DeviceShelf.compared(uuid), default: []].append(place) }
        titles.insert(place, title: book.title, authors: book.authors)
    }

    /// The index of the step that sends the same book.
    func place(of book: Book, _ contentID: String?, _ format: String?) -> Int? {
        if let place = contentID.flatMap({ byContent[$0] }) { return additions[place].step }
        func fits(_ place: Int) -> Bool { EquivalentFormats.isSame(format, additions[place].format) }
        if let uuid = book.uuid.map(DeviceShelf.compared) {
            let own = (byUUID[uuid] ?? []).first { place in
                let other = additions[place].book
                guard fits(place) else { return false }
                guard let title = book.title, let second = other.title else { return true }
                if BookSimilarity.compared(title) == BookSimilarity.compared(second) { return true }
                return !sharedUUIDs.contains(uuid) && !BookSimilarity.areOthers(book, other)
            }
            if let own { return additions[own].step }
        }
        let named = titles.books(title: book.title, authors: book.authors)
            .first { $0.similarity == .same && fits($0.key) }
        return named.map { additions[$0.key].step }
    }
}
