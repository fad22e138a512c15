@_exported import class Platform.Cancellation

/// The limits of one operation, and the receiver of its progress. Every call that may block has one as a parameter.
///
/// With the default context, an operation ends when it is complete, when the device does not respond for
/// `silenceLimit`, or when the device is unplugged.
public struct OperationContext: Sendable {
    /// Allows another thread to end the operation.
    public var cancellation: Cancellation?
    /// The time at which the operation ends with `.timedOut`.
    public var deadline: ContinuousClock.Instant?
    /// The longest time for which a device that owes an answer may be silent before the operation ends with
    /// `.timedOut`.
    public var silenceLimit: Duration
    /// Receives the progress.
    ///
    /// It is called on the thread of the operation, at most once for each answer of the device, and must return
    /// quickly.
    public var progress: (@Sendable (TransferProgress) -> Void)?

    /// Creates a context; `limit` is counted from now.
    public init(
        cancellation: Cancellation? = nil, limit: Duration? = nil, silenceLimit: Duration = .seconds(30),
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) {
        self.cancellation = cancellation
        self.deadline = limit.map { ContinuousClock.now.advanced(by: $0) }
        self.silenceLimit = silenceLimit
        self.progress = progress
    }

    /// Throws `.cancelled` or `.timedOut` if the operation must not continue.
    public func check() throws(TransportError) {
        if let cancellation, cancellation.isCancelled { throw .cancelled }
        if let deadline, ContinuousClock.now >= deadline { throw .deadlinePassed }
    }
}

/// The progress of a transfer.
public struct TransferProgress: Sendable, Equatable {
    /// The number of content bytes moved and acknowledged so far, over all items of the operation.
    public var bytes: UInt64
    /// The total number of content bytes to move, as far as known.
    public var totalBytes: UInt64?
    /// The number of items that are finished, including failed ones.
    public var items: Int
    /// The number of items in the operation; 1 for a single file.
    public var totalItems: Int
    /// The place of the item whose bytes moved last; nil if none have moved.
    public var item: Int?

    /// Creates a report.
    public init(bytes: UInt64, totalBytes: UInt64?, items: Int, totalItems: Int, item: Int? = nil) {
        self.bytes = bytes
        self.totalBytes = totalBytes
        self.items = items
        self.totalItems = totalItems
        self.item = item
    }
}

extension TransportError {
    static var cancelled: TransportError { TransportError(.cancelled, "The operation was cancelled.") }

    static var deadlinePassed: TransportError {
        TransportError(
            .timedOut, "The operation timed out.",
            hint: "Try again. If it is still slow, reconnect the device.")
    }

    static var silence: TransportError {
        TransportError(
            .timedOut, "The device stopped answering.",
            hint: "Unlock the device, reconnect its cable, and try again.")
    }
}
