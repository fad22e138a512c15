/// A switch that ends operations from another thread.
///
/// Any number of operations may share one; each ends with an error that says so, even in the middle of a request.
/// Cancelling is final. Any thread may use it.
public final class Cancellation: Sendable {
    /// Keeps a handler registered while it lives.
    package typealias Registration = Signal.Registration

    private let signal = Signal()
    /// The registration with the parent.
    private let link: Registration?

    /// Creates a switch that is not yet set.
    public init() { link = nil }

    /// Creates a switch that is also set when `parent` is.
    public init(parent: Cancellation) {
        link = parent.whenCancelled { [signal] in signal.raise() }
    }

    /// Ends every operation that was given this switch, now and later. Calling it again does nothing.
    ///
    /// It does not take a lock that an operation holds, but it is not safe in a signal handler.
    public func cancel() { signal.raise() }

    /// Whether `cancel` has been called.
    public var isCancelled: Bool { signal.isRaised }

    /// Calls `handler` once when cancelled, on the cancelling thread, or at once if already cancelled.
    ///
    /// The handler is removed when the result is released, but may still be running then.
    package func whenCancelled(_ handler: @escaping @Sendable () -> Void) -> Registration {
        signal.whenRaised(handler)
    }

    /// Readable for `poll` once cancelled; -1 if the process is out of descriptors.
    package var descriptor: Int32 { signal.descriptor }
}
