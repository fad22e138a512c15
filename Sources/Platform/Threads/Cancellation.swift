/// A switch that ends operations from another thread.
///
/// Any number of operations may share one; each ends with an error that says so, even in the middle of a request.
/// Cancelling is final. Any thread may use it.
public final class Cancellation: Sendable {
    /// Keeps a handler registered while it lives.
    package typealias Registration = Signal.Registration

    private let signal = Signal()
    /// Follows the parent.
    private let link: Registration?

    /// Makes a switch that is not yet set.
    public init() { link = nil }

    /// Makes a switch that is also set when `parent` is.
    public init(parent: Cancellation) {
        link = parent.whenCancelled { [signal] in signal.raise() }
    }

    /// Ends every operation that was given this switch, now and later. Calling it again does nothing.
    ///
    /// It takes no lock that an operation holds, but is not safe to call in a signal handler.
    public func cancel() { signal.raise() }

    /// Whether `cancel` was called.
    public var isCancelled: Bool { signal.isRaised }

    /// Calls `handler` once when cancelled, on the cancelling thread, or at once if that has happened already.
    ///
    /// The handler is forgotten when the result is released, but may still be running then.
    package func whenCancelled(_ handler: @escaping @Sendable () -> Void) -> Registration {
        signal.whenRaised(handler)
    }

    /// Becomes readable when cancelled, for `poll`; -1 when the process is out of descriptors.
    package var descriptor: Int32 { signal.descriptor }
}
