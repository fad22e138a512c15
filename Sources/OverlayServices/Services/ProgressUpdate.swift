/// How far a command is: what the overlay says about items and what the transport counts in bytes, in one value.
public struct ProgressUpdate: Sendable, Equatable {
    /// What is being done, in a few words that start with a capital.
    public var phase: String
    /// Items finished.
    public var itemsDone: UInt64
    /// Items in all; nil if unknown.
    public var itemsTotal: UInt64?
    /// Bytes of books moved and acknowledged.
    public var bytesDone: UInt64
    /// Bytes of books to be moved in all; nil if unknown.
    public var bytesTotal: UInt64?

    /// An update.
    public init(
        phase: String, itemsDone: UInt64 = 0, itemsTotal: UInt64? = nil, bytesDone: UInt64 = 0,
        bytesTotal: UInt64? = nil
    ) {
        self.phase = phase
        self.itemsDone = itemsDone
        self.itemsTotal = itemsTotal
        self.bytesDone = bytesDone
        self.bytesTotal = bytesTotal
    }
}
