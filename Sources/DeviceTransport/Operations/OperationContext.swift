@_exported import class Platform.Cancellation

/// The limits of one operation, and the listener for its progress. Every call that may block takes one.
///
/// With the default context an operation ends when it is done, when the device is silent for `silenceLimit`,
/// or when the device is unplugged.
public struct OperationContext: Sendable {
    /// Ends the operation from another thread.
    public var cancellation: Cancellation?
    /// The moment at which the operation gives up with `.timedOut`.
    public var deadline: ContinuousClock.Instant?
    /// How long a device that owes an answer may send nothing before the operation gives up with `.timedOut`.
    public var silenceLimit: Duration
    /// Receives the progress.
    ///
    /// It is called on the thread of the operation, at most once for each answer of the device, and must
    /// return soon.
    public var progress: (@Sendable (TransferProgress) -> Void)?

    /// Makes a context; `limit` is counted from now.
    public init(
        cancellation: Cancellation? = nil, limit: Duration? = nil, silenceLimit: Duration = .seconds(30),
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) {
        self.cancellation = cancellation
        self.deadline = limit.map { ContinuousClock.now.advanced(by: $0) }
        self.silenceLimit = silenceLimit
        self.progress = progress
    }

    /// Throws `.cancelled` or `.timedOut` when the operation may not go on.
    public func check() throws(TransportError) {
        if let cancellation, cancellation.isCancelled { throw .cancelled }
        if let deadline, ContinuousClock.now >= deadline { throw .deadlinePassed }
    }
}

/// How far a transfer is.
public struct TransferProgress: Sendable, Equatable {
    /// Bytes of content moved and acknowledged so far, over all items of the operation.
    public var bytes: UInt64
    /// Bytes of content to be moved in all, as far as known.
    public var totalBytes: UInt64?
    /// Items that are finished, failed ones included.
    public var items: Int
    /// Items of the operation; 1 for a single file.
    public var totalItems: Int

    /// Makes a report.
    public init(bytes: UInt64, totalBytes: UInt64?, items: Int, totalItems: Int) {
        self.bytes = bytes
        self.totalBytes = totalBytes
        self.items = items
        self.totalItems = totalItems
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
