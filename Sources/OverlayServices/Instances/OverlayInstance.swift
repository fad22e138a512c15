import Logging
import HostContent
import DeviceTransport
import Glibc
import HostContract
import HostErrors
import OverlayABI
import OverlayBridge
import OverlayCalls
import OverlayLoading
import OverlayWorkers
import Synchronization

/// An instance of an overlay. Calls its methods on a separate thread, tracks its state, and checks every rule of the
/// contract, in release builds too.
///
/// Methods block. They may be called from any thread, and wait for each other. After `destroy`, all calls fail.
package final class OverlayInstance: Sendable {
    /// The overlay.
    package let overlay: LoadedOverlay
    let context: InstanceContext
    private let thread: DeviceThread
    /// The sinks for the results of methods.
    var sinks: MethodSinks { MethodSinks(context) }
    private let services: ServiceTables
    /// Runs the overlay's code. Only `create` and `destroy` change it, on the device thread.
    private let target = Mutex<(any OverlayTarget)?>(nil)
    /// Reports the call that is still running after a cancellation; nil without a listener.
    private let unfinished: RunningCallNotifier?

    /// Runs the overlay's code. Device thread only.
    var currentTarget: (any OverlayTarget)? { target.withLock { $0 } }

    /// The outcome of a method.
    struct Outcome {
        /// Nil if it succeeded.
        var error: HostError?
        /// Whether the receiver asked the method to stop.
        var stopped = false
    }

    /// Prepares an instance without running code of the overlay. Throws if the system cannot create a thread.
    package init(_ overlay: LoadedOverlay, _ environment: InstanceEnvironment) throws(HostError) {
        guard let thread = DeviceThread(), let identity = thread.identity else {
            throw HostError(
                .hostIO, "The system cannot start a thread for the overlay.", subject: overlay.descriptor.id)
        }
        self.overlay = overlay
        self.thread = thread
        let context = InstanceContext(environment, overlay: overlay.descriptor, deviceThread: identity)
        self.context = context
        unfinished = environment.unfinished.map { [running = context.running] report in
            RunningCallNotifier(
                environment.cancellation, call: { running.withLock { $0.call } }, report: report)
        }
        services = ServiceTables(context)
    }

    deinit { thread.end() }

    /// The state of the instance.
    package var state: SessionState { context.running.withLock { $0.state } }

    /// The time limit for `shutdown`, which does not need a device.
    private static let shutdownLimit = Duration.seconds(10)

    // MARK: life

    /// Creates the instance.
    package func create() throws(HostError) {
        guard state == .described, let create = Self.entry?.function("create") else {
            throw wrongState("create")
        }
        let error: HostError?? = thread.run { [self] in
            let frame = CallFrame(nil)
            frame.observer = context.environment.observer
            context.frame = frame
            context.begin("create", until: nil)
            defer {
                context.end()
                context.frame = nil
            }
            let arguments = CallArguments()
            arguments.add(UInt(bitPattern: services.host))
            arguments.add(pointerTo: UInt(0))
            arguments.add(pointerTo: sinks.error)
            defer { withExtendedLifetime(arguments) {} }
            var word: UInt64 = 0
            let made: (any OverlayTarget)?
            do throws(WorkerFailure) {
                made = try overlay.factory.create(create, arguments.values, &word, context.creationContext)
            } catch {
                return error.error(overlay: name)
            }
            if let error = result("create", ovl_status(truncatingIfNeeded: word), frame) { return error }
            guard let made else {
                let breach = ContractBreach(.resultMissing, "It succeeded without an instance.")
                context.environment.observer?.broke(breach, in: "create")
                return breach.error(overlay: name, method: "create")
            }
            target.withLock { $0 = made }
            move(.created)
            return nil
        }
        guard let error else { throw unusable() }
        if let error { throw error }
    }

    private static let entry = ContractPlans.shared.record("ovl_entry")

    /// Ends the instance in any state, and shuts it down if necessary. Returns an error that occurred.
    @discardableResult
    package func destroy() -> HostError? {
        defer { unfinished?.end() }
        var failure: HostError?
        if OverlayMethod.shutdown.states.contains(state) {
            do throws(HostError) { try call(.shutdown, within: Self.shutdownLimit) } catch { failure = error }
        }
        guard state.after(.destroyed) != nil, let destroy = Self.entry?.function("destroy") else {
            return failure
        }
        let ending: HostError?? = thread.run { [self] in
            guard let made = target.withLock({ $0 }) else { return nil }
            let arguments = CallArguments()
            arguments.add(0)
            defer { withExtendedLifetime(arguments) {} }
            var word: UInt64 = 0
            do throws(WorkerFailure) {
                try made.call(destroy, arguments.values, &word)
            } catch {
                return error.error(overlay: name)
            }
            target.withLock { $0 = nil }
            move(.destroyed)
            return nil
        }
        thread.end()
        guard let ending else { return failure ?? unusable() }
        return failure ?? ending
    }

    /// Records an event of the device. Throws if it is not possible in this state.
    package func note(_ event: SessionState.Event) throws(HostError) {
        guard move(event) else { throw wrongState(event.rawValue) }
    }

    @discardableResult
    private func move(_ event: SessionState.Event) -> Bool {
        context.running.withLock { running in
            guard let next = running.state.after(event) else { return false }
            running.state = next
            return true
        }
    }

    // MARK: calls

    /// Calls a method without input and output. A method that is not implemented counts as done.
    ///
    /// - Parameter limit: the time limit. If the method takes longer, it is abandoned together with the instance.
    package func call(_ method: OverlayMethod, within limit: Duration? = nil) throws(HostError) {
        guard method.hasNoArguments else {
            throw HostError(.invalidArgument, "\(method.rawValue) has arguments.", subject: name)
        }
        guard overlay.implements(method) else {
            guard method.states.contains(state) else { throw wrongState(method.rawValue) }
            if let event = method.onSuccess { move(event) }
            return
        }
        guard let limit else { return try perform(method, CallFrame(method)) { _, _ in }.check() }
        guard !context.isDeviceThread else { throw reentered(method) }
        unfinished?.begins(method.rawValue)
        let shared = Shared()
        let isDone = thread.run(within: limit + .milliseconds(250)) { [self] in
            let outcome = performHere(method, CallFrame(method), deadline: .now.advanced(by: limit))
            shared.set(outcome.error)
        }
        guard isDone else {
            throw HostError(
                .overlayBroke, "The overlay \(name) did not return from \(method.rawValue) within \(limit).",
                subject: name, hint: "Please report this to the overlay's author.")
        }
        if let error = shared.error { throw error }
    }

    private func reentered(_ method: OverlayMethod) -> HostError {
        HostError(
            .wrongState, "\(method.rawValue) was called during another call of the same instance.",
            subject: name)
    }

    /// Runs a method on the device thread and checks its behaviour.
    ///
    /// - Parameters:
    ///   - fill: appends the arguments between the instance and the error sink, on the device thread. Values in the
    ///     memory remain valid until the method returns.
    ///   - check: checks the results of a method that returned `OVL_OK`.
    func perform(
        _ method: OverlayMethod, _ frame: CallFrame, _ fill: (CallArguments, Arena) -> Void,
        check: () throws(ContractBreach) -> Void = {}
    ) -> Outcome {
        guard !context.isDeviceThread else {
            return Outcome(error: reentered(method))
        }
        let outcome: Outcome? = thread.run {
            performHere(method, frame, deadline: nil, fill, check: check)
        }
        return outcome ?? Outcome(error: unusable())
    }

    private func performHere(
        _ method: OverlayMethod, _ frame: CallFrame, deadline: ContinuousClock.Instant?,
        _ fill: (CallArguments, Arena) -> Void = { _, _ in },
        check: () throws(ContractBreach) -> Void = {}
    ) -> Outcome {
        guard method.states.contains(state), let target = target.withLock({ $0 }),
            let function = method.function
        else { return Outcome(error: wrongState(method.rawValue)) }
        let began = ContinuousClock.now
        let deadline =
            deadline ?? overlay.descriptor.limits(of: method.rawValue).total.map { began.advanced(by: $0) }
        context.begin(method.rawValue, until: deadline)
        frame.shouldStop = { [unowned context] in context.shouldStop }
        frame.observer = context.environment.observer
        context.frame = frame
        let (arguments, memory) = (CallArguments(), Arena())
        arguments.add(0)
        fill(arguments, memory)
        arguments.add(pointerTo: sinks.error)
        var word: UInt64 = 0
        var failure: HostError?
        do throws(WorkerFailure) {
            try withExtendedLifetime((arguments, memory)) { () throws(WorkerFailure) in
                try target.call(function, arguments.values, &word)
            }
        } catch {
            failure = error.error(overlay: name)
        }
        let status = failure == nil ? ovl_status(truncatingIfNeeded: word) : OVL_CONTRACT_BROKEN
        if status == OVL_OK {
            do throws(ContractBreach) { try check() } catch { frame.note(error) }
        }
        let refusedData = context.refusedData
        context.frame = nil
        context.loans.endCall()
        for name in frame.names { name.end() }
        context.end()
        var error = failure ?? result(method.rawValue, status, frame)
        if error == nil, let refused = refusedData {
            error = refused.error(overlay: name, method: method.rawValue, underlying: nil)
        }
        if let event = error == nil ? method.onSuccess : method.onReturn { move(event) }
        let logger =
            method == .canHandle ? context.environment.loggers.canHandle : context.environment.loggers.plugin
        logger.debug(
            "called \(method.rawValue)",
            metadata: [
                "overlay": "\(name)", "status": "\(status)", "duration": "\(ContinuousClock.now - began)",
            ])
        return Outcome(error: error, stopped: frame.hasStopped)
    }

    /// The error of a call that returned `status`; nil if it succeeded without breaking a rule.
    private func result(_ method: String, _ status: ovl_status, _ frame: CallFrame) -> HostError? {
        context.environment.observer?.returned(method, status, errorStatus: frame.errorStatus)
        if status == OVL_OK {
            if frame.error != nil {
                frame.note(ContractBreach(.errorOnSuccess, "It succeeded with an error."))
            }
        } else if status == OVL_STOPPED, !frame.hasStopped {
            frame.note(
                ContractBreach(
                    .stoppedUnasked, "It returned OVL_STOPPED without having been asked to stop."))
        } else if let put = frame.errorStatus, put != status {
            context.misbehaved(
                ContractBreach(
                    .errorStatus, "It returned status \(status) with an error of status \(put)."),
                in: method)
        }
        if let breach = frame.breach {
            context.misbehaved(breach, in: method)
            return breach.error(overlay: name, method: method, underlying: frame.error)
        }
        // A method that was asked to stop may be incomplete, even if it returns OVL_OK.
        let status = status == OVL_OK && frame.hasStopped ? OVL_STOPPED : status
        if status == OVL_OK { return nil }
        if context.environment.roots.device.isGone { return gone(after: frame.error) }
        if status == OVL_STOPPED {
            // These are the only reasons to stop a method that did not break a rule.
            return context.environment.cancellation.isCancelled
                ? HostError(.cancelled, "The command was cancelled.")
                : HostError(.stopped, "\(method) was asked to stop.")
        }
        guard var error = frame.error else { return HostError(status: status, record: nil, call: method) }
        error.code = HostError.Code(status: status)
        if overlay.runsInWorkers, error.hint == nil, error.native == nil {
            error.hint = Confinement.hint(for: error.message)
        }
        return error
    }

    private func gone(after error: HostError?) -> HostError {
        HostError(
            .deviceGone, "The device was unplugged.",
            subject: context.environment.roots.information.name
                ?? context.environment.roots.device.device.udid,
            hint:
                "Connect the device again and run the same command. Completed steps are not repeated.",
            underlying: error)
    }

    // MARK: pieces

    var name: String { overlay.descriptor.id }

    func notImplemented(_ method: OverlayMethod) -> HostError {
        HostError(
            .notSupported, "The overlay for \(overlay.descriptor.appName) cannot \(method.purpose).",
            subject: name, hint: "It does not implement \(method.rawValue).")
    }

    private func wrongState(_ call: String) -> HostError {
        HostError(
            .wrongState, "\(call) cannot be called while the instance is \(state.rawValue).", subject: name)
    }

    private func unusable() -> HostError {
        HostError(
            .overlayBroke, "The overlay \(name) is stuck in an earlier call and cannot be used.",
            subject: name)
    }

    /// Runs work that is not a method on the device thread, unless the thread has ended.
    func onThread(_ body: () -> Void) { _ = thread.run(body) }
}

/// An error that one thread passes to another. Both keep a reference, because the second thread may not wait long
/// enough.
private final class Shared: Sendable {
    private let stored = Mutex<HostError?>(nil)

    var error: HostError? { stored.withLock { $0 } }

    func set(_ error: HostError?) { stored.withLock { $0 = error } }
}

extension OverlayInstance.Outcome {
    func check() throws(HostError) {
        if let error { throw error }
    }
}
