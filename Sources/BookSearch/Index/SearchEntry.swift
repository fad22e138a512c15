/// A book to be found.
public struct SearchEntry {
    /// What the app calls the book; unique in its library, byte by byte.
    public let id: String
    /// Changes whenever the texts change; the book is reindexed only then.
    public let stamp: UInt64
    /// Gives its texts; called when they are indexed.
    public let texts: () -> [SearchColumn: String]

    /// A book.
    ///
    /// - Parameters:
    ///   - id: what the app calls it.
    ///   - stamp: changes whenever the texts change.
    ///   - texts: gives the texts; called on the thread of the index, and only for a book that is new or whose stamp changed.
    public init(id: String, stamp: UInt64, texts: @escaping () -> [SearchColumn: String]) {
        self.id = id
        self.stamp = stamp
        self.texts = texts
    }
}

/// A book that a query finds.
public struct SearchHit: Sendable, Hashable {
    /// What the app calls the book.
    public let id: String
    /// How well it fits: the less the better. 0 for all books of a query that says nothing about that.
    public let rank: Double
}
