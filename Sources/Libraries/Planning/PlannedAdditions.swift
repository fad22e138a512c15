import BookModel

/// The steps of a plan that add a book, used to find duplicates. Of two editions of a book, the first is sent, as in
/// every app's uploads.
struct PlannedAdditions {
    private let sharedUUIDs: Set<String>
    private var byContent: [String: Int] = [:]
    private var byUUID: [String: [Int]] = [:]
    private var titles = TitleIndex<Int>()

    /// - Parameter sharedUUIDs: uuids that do not identify a book, because several books share them.
    init(_ sharedUUIDs: Set<String>) { self.sharedUUIDs = sharedUUIDs }

    /// Adds a book that a step sends.
    mutating func insert(_ book: Book, _ contentID: String?, at step: Int) {
        if let contentID { byContent[contentID] = step }
        if let uuid = book.uuid { byUUID[DeviceShelf.compared(uuid), default: []].append(step) }
        titles.insert(step, title: book.title, authors: book.authors)
    }

    /// The step that sends the same book.
    ///
    /// - Parameter sent: the book that a step sends, and its format. The books are not kept here, because a plan may
    ///   have a hundred thousand.
    func step(
        of book: Book, _ contentID: String?, _ format: String?, sent: (Int) -> (book: Book, format: String?)
    ) -> Int? {
        if let step = contentID.flatMap({ byContent[$0] }) { return step }
        if let uuid = book.uuid.map(DeviceShelf.compared) {
            let own = (byUUID[uuid] ?? []).first { step in
                let other = sent(step)
                guard EquivalentFormats.isSame(format, other.format) else { return false }
                guard let title = book.title, let second = other.book.title else { return true }
                if BookSimilarity.compared(title) == BookSimilarity.compared(second) { return true }
                return !sharedUUIDs.contains(uuid) && !BookSimilarity.areOthers(book, other.book)
            }
            if let own { return own }
        }
        return titles.books(title: book.title, authors: book.authors)
            .first { $0.similarity == .same && EquivalentFormats.isSame(format, sent($0.key).format) }?.key
    }
}
