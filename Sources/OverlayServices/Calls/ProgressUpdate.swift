/// The progress of a command: the overlay's progress in items and the transport's progress in bytes.
///
/// ```swift
/// func showProgress(_ request: inout SessionRequest) {
///     request.progress = { update in
///         print(update.phase, update.itemsDone, update.itemsTotal.map { "of \($0)" } ?? "")
///     }
/// }
/// ```
public struct ProgressUpdate: Sendable, Equatable {
    /// A short description of the current step, which begins with a capital letter.
    public var phase: String
    /// The number of completed items.
    public var itemsDone: UInt64
    /// The total number of items; nil if unknown.
    public var itemsTotal: UInt64?
    /// The number of bytes of books that were moved and acknowledged.
    public var bytesDone: UInt64
    /// The total number of bytes of books to move; nil if unknown.
    public var bytesTotal: UInt64?

    /// Creates an update.
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
