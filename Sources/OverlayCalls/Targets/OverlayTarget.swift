/// One instance of an overlay as its host calls it: in the host's process, in a worker, or through a recorder.
///
/// Used by one thread at a time, that of the instance.
package protocol OverlayTarget: AnyObject, Sendable {
    /// Calls a function of `ovl_methods`, or `destroy` of `ovl_entry`, after which nothing may be called.
    ///
    /// - Parameters:
    ///   - arguments: the address of each argument. The target puts its own instance in place of the first one.
    ///   - result: room for 8 bytes.
    ///
    /// Throws when the overlay ended during the call or could not be called. The result then means nothing.
    func call(
        _ function: FunctionPlan, _ arguments: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer
    ) throws(WorkerFailure)
}

/// Makes instances of one overlay. Any thread.
package protocol OverlayFactory: AnyObject, Sendable {
    /// Whether the overlay implements a function of `ovl_entry` or `ovl_methods`.
    func implements(_ function: FunctionPlan) -> Bool

    /// Does beforehand what the next instance needs and what takes time, without waiting for it. Nothing may come of it.
    ///
    /// - Returns: whether something was begun, so that `dismiss` would give up nothing else.
    @discardableResult
    func prepare() -> Bool

    /// Gives up what was prepared and no instance has taken, without waiting for its end.
    func dismiss()

    /// Calls `create` of `ovl_entry`; nil when it made no instance.
    ///
    /// - Parameters:
    ///   - arguments: the address of each argument. The host's record must stay valid until `destroy` has returned.
    ///   - result: room for 8 bytes.
    ///   - context: what the instance's host passes along.
    func create(
        _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer, _ context: CallContext
    ) throws(WorkerFailure) -> (any OverlayTarget)?
}

/// What a host passes along with `create`, because the tables of the contract do not carry it.
package struct CallContext: Sendable {
    /// Sent when the running method should end. Nil where nothing ends it.
    package var cancelSignal: CancelSignal?
    /// Whether the running method should end; any thread.
    package var isCancelled: @Sendable () -> Bool = { false }
    /// Notes that the overlay broke the contract where no result can say so; any thread.
    package var noteBreach: @Sendable (_ message: String) -> Void = { _ in }
    /// Records calls that the target makes on its own. Nil without a recording.
    package var tracer: (any CallTracer)?

    /// A host that never cancels and keeps no log.
    package init() {}
}

/// Records what a target does on its own, such as `create` in a fresh worker after a crash. Thread of the instance.
package protocol CallTracer: Sendable {
    /// Records a call that `make` makes, also when it throws.
    func trace(
        _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer, _ make: () throws(WorkerFailure) -> Void
    ) throws(WorkerFailure)

    /// Records a failure after which the target tries again, so that the caller never sees it.
    func note(_ failure: WorkerFailure, in function: FunctionPlan)
}
