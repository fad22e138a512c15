/// An instance of an overlay for its host. The instance may be in the host's process or in a worker, and calls may be
/// recorded.
///
/// For use by one thread at a time, that of the instance.
package protocol OverlayTarget: AnyObject, Sendable {
    /// Calls a function of `ovl_methods`, or `destroy` of `ovl_entry`, which must be the last call.
    ///
    /// - Parameters:
    ///   - arguments: the addresses of the arguments. The target replaces the first one by its own instance.
    ///   - result: space for 8 bytes.
    ///
    /// Throws an error if the overlay ended during the call or could not be called. The result is then undefined.
    func call(
        _ function: FunctionPlan, _ arguments: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer
    ) throws(WorkerFailure)
}

/// Creates instances of an overlay. Any thread.
package protocol OverlayFactory: AnyObject, Sendable {
    /// Whether the overlay implements a function of `ovl_entry` or `ovl_methods`.
    func implements(_ function: FunctionPlan) -> Bool

    /// Prepares the next instance in the background, because this takes time. Does not report a failure.
    ///
    /// - Returns: whether something was started that `dismiss` can end.
    @discardableResult
    func prepare() -> Bool

    /// Ends preparations that an instance does not use, without waiting.
    func dismiss()

    /// Calls `create` of `ovl_entry`; nil if it did not create an instance.
    ///
    /// - Parameters:
    ///   - arguments: the addresses of the arguments. The host's record must remain valid until `destroy` has
    ///     returned.
    ///   - result: space for 8 bytes.
    ///   - context: additional values from the instance's host.
    func create(
        _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer, _ context: CreationContext
    ) throws(WorkerFailure) -> (any OverlayTarget)?
}

/// The host's values for `create` that are not in the tables of the contract.
package struct CreationContext: Sendable {
    /// Sent when the running method should end; nil if it cannot be cancelled.
    package var cancelSignal: CancelSignal?
    /// Whether the running method should end. Any thread.
    package var isCancelled: @Sendable () -> Bool = { false }
    /// Records a breach of the contract that cannot be reported in a result. Any thread.
    package var noteBreach: @Sendable (_ message: String) -> Void = { _ in }
    /// Records calls that the host did not request; nil without a recording.
    package var tracer: (any CallTracer)?

    /// Creates the context of a host that does not cancel or log.
    package init() {}
}

/// Records calls that the host did not request, such as `create` in a new worker after a crash. Thread of the
/// instance.
package protocol CallTracer: Sendable {
    /// Records the call that `make` makes, even if it throws.
    func trace(
        _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer, _ make: () throws(WorkerFailure) -> Void
    ) throws(WorkerFailure)

    /// Records a failure after which the target tries again, and that the caller therefore does not see.
    func note(_ failure: WorkerFailure, in function: FunctionPlan)
}
