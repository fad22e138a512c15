import Libraries

/// How much one batch of a sync contains.
///
/// Each batch writes the state, and an overlay reads its complete library before it changes anything; but each book of
/// a batch needs 4 kB while the batch is sent. For books that are already on the device, batches are smaller, because
/// changes that the app makes to a recorded book before the next run are not detected as conflicts.
struct BatchLimit {
    /// The bytes of covers that fit into one upload.
    private static let mostCovers: UInt64 = 64 << 20

    /// The numbers of books, and of their bytes, after which a batch ends, so that a full device gets as much as fits.
    private let (books, most): (Int, UInt64)
    private var count = 0
    private var bytes: UInt64 = 0
    private var covers: UInt64 = 0

    /// Creates the limit of an empty batch.
    ///
    /// - Parameter total: the number of steps in the plan.
    init(_ action: SyncAction, total: Int) {
        (books, most) =
            action == .add ? (max(4096, total / 16), 2 << 30) : (max(128, total / 64), 512 << 20)
    }

    /// Whether the batch takes no more books.
    var isReached: Bool { count >= books || bytes >= most || covers >= Self.mostCovers }

    /// Counts a book.
    ///
    /// - Parameters:
    ///   - bytes: the bytes to send.
    ///   - cover: the path of its cover in the library; nil if there is none.
    mutating func add(_ bytes: UInt64, cover: String?) {
        count += 1
        self.bytes &+= bytes
        covers &+= cover.flatMap { SourceStamp(path: $0)?.size } ?? 0
    }
}
