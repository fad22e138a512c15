/// A book to index.
public struct SearchEntry {
    /// The app's id of the book; unique in its library, compared byte by byte.
    public let id: String
    /// Changes whenever the texts change; only then is the book reindexed.
    public let stamp: UInt64
    /// Returns its texts; called when they are indexed.
    public let texts: () -> [SearchColumn: String]

    /// Creates an entry for a book.
    ///
    /// - Parameters:
    ///   - id: the app's id of the book.
    ///   - stamp: a number that changes whenever the texts change.
    ///   - texts: returns the texts; called on the thread of the index, and only for a book that is new or has a new
    ///     stamp.
    public init(id: String, stamp: UInt64, texts: @escaping () -> [SearchColumn: String]) {
        self.id = id
        self.stamp = stamp
        self.texts = texts
    }
}

/// A book that a query finds.
public struct SearchHit: Sendable, Hashable {
    /// The app's id of the book.
    public let id: String
    /// The quality of the match; lower is better. 0 for all books if the query cannot rank them.
    public let rank: Double
}
