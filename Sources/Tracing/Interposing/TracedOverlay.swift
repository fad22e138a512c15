import OverlayABI
import OverlayCalls
import Synchronization

/// An overlay with a recorder between it and its host, in this process or in a worker.
package final class TracedOverlay: OverlayFactory {
    private let inner: any OverlayFactory
    private let interposer: Interposer
    private let overlay: TraceRecorder.Overlay
    private let isKnown = Mutex(false)

    /// Records the calls between the host and `inner`. The overlay gets its own number.
    package init(
        _ inner: any OverlayFactory, _ overlay: TraceRecorder.Overlay, _ interposer: Interposer
    ) {
        self.inner = inner
        self.interposer = interposer
        var overlay = overlay
        overlay.number = interposer.nextOverlay()
        self.overlay = overlay
    }

    package func implements(_ function: FunctionPlan) -> Bool { inner.implements(function) }

    package func prepare() -> Bool { inner.prepare() }

    package func dismiss() { inner.dismiss() }

    /// Gives the overlay a recording host, and its instance a number.
    package func create(
        _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer, _ context: CreationContext
    ) throws(WorkerFailure) -> (any OverlayTarget)? {
        let isNew = isKnown.withLock { isKnown in
            defer { isKnown = true }
            return !isKnown
        }
        if isNew { interposer.report(overlay) }
        let number = interposer.nextNumber()
        guard let pointer = arguments[0]?.load(as: UnsafeRawPointer?.self),
            let host = TracedHost(pointer, interposer, instance: number)
        else { return try inner.create(function, arguments, result, context) }
        let tracer = InstanceTracer(interposer: interposer, instance: number, overlay: overlay.number)
        var context = context
        context.tracer = tracer
        let own = CallArguments()
        own.add(UInt(bitPattern: host.pointer))
        defer { withExtendedLifetime(own) {} }
        var made: (any OverlayTarget)?
        do throws(WorkerFailure) {
            try function.withArguments(arguments, first: own.values[0]) { (values) throws(WorkerFailure) in
                try tracer.carry(function, arguments, values, result) { () throws(WorkerFailure) in
                    made = try inner.create(function, UnsafePointer(values), result, context)
                }
            }
        } catch {
            host.close()
            throw error
        }
        guard let made else {
            host.close()
            return nil
        }
        return TracedInstance(made, host, tracer)
    }
}

/// An instance with a recorder between it and its host.
private final class TracedInstance: OverlayTarget {
    private let inner: any OverlayTarget
    private let host: TracedHost
    private let tracer: InstanceTracer

    init(_ inner: any OverlayTarget, _ host: TracedHost, _ tracer: InstanceTracer) {
        self.inner = inner
        self.host = host
        self.tracer = tracer
    }

    func call(
        _ function: FunctionPlan, _ arguments: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer
    ) throws(WorkerFailure) {
        defer { if function.name == "destroy" { host.close() } }
        try function.withArguments(arguments) { (values) throws(WorkerFailure) in
            try tracer.carry(function, arguments, values, result) { () throws(WorkerFailure) in
                try inner.call(function, values, result)
            }
        }
    }
}

/// Records the calls to one instance.
private struct InstanceTracer: CallTracer {
    let interposer: Interposer
    let instance: UInt32
    let overlay: UInt32

    private func next(_ function: FunctionPlan) -> TraceRecorder.Call {
        interposer.nextCall(
            isFromOverlay: false, target: instance, overlay: function.name == "create" ? overlay : 0)
    }

    /// Records a call of the host, with its sinks replaced in `values`.
    func carry(
        _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ values: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ result: UnsafeMutableRawPointer,
        _ make: () throws(WorkerFailure) -> Void
    ) throws(WorkerFailure) {
        try interposer.carry(next(function), function, instance: instance, arguments, values, result) {
            () throws(WorkerFailure) in try noting(function, result, make)
        }
    }

    func trace(
        _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer, _ make: () throws(WorkerFailure) -> Void
    ) throws(WorkerFailure) {
        try interposer.trace(next(function), function, instance: instance, arguments, result) {
            () throws(WorkerFailure) in try noting(function, result, make)
        }
    }

    func note(_ failure: WorkerFailure, in function: FunctionPlan) {
        var failure = failure
        interposer.report(&failure, in: function, instance: instance)
    }

    /// Records a failure before the answer of its call, which then shows a broken contract.
    private func noting(
        _ function: FunctionPlan, _ result: UnsafeMutableRawPointer,
        _ make: () throws(WorkerFailure) -> Void
    ) throws(WorkerFailure) {
        do throws(WorkerFailure) {
            try make()
        } catch {
            var failure = error
            interposer.report(&failure, in: function, instance: instance)
            function.store(UInt64(OVL_CONTRACT_BROKEN), result)
            throw failure
        }
    }
}

extension FunctionPlan {
    /// Passes a copy of the address of each argument to `body`, with `first` in place of the first one.
    fileprivate func withArguments(
        _ arguments: UnsafePointer<UnsafeMutableRawPointer?>, first: UnsafeMutableRawPointer? = nil,
        _ body: (UnsafeMutablePointer<UnsafeMutableRawPointer?>) throws(WorkerFailure) -> Void
    ) throws(WorkerFailure) {
        try withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: 16) {
            (values) throws(WorkerFailure) in
            guard let values = values.baseAddress else { return }
            for index in 0..<self.arguments.count { (values + index).initialize(to: arguments[index]) }
            if let first { values[0] = first }
            try body(values)
        }
    }
}
