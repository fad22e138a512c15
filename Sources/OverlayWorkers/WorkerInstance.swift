import Diagnostics
import OverlayABI
import OverlayCalls
import Synchronization
import WorkerRPC

/// An instance in a worker. If the worker ends, the instance continues in a new one.
final class WorkerInstance: OverlayTarget {
    private let overlay: WorkerOverlay
    private let host: HostRecord
    private let create: FunctionPlan
    private let options: WorkerOptions
    private let context: CreationContext
    private let state: Mutex<State>
    /// The instance's number in the worker. Only for use by the thread of the instance.
    private nonisolated(unsafe) let number: UnsafeMutablePointer<UInt64>

    private struct State {
        var worker: WorkerOverlay.RunningWorker
        /// Whether `initialize` has succeeded, and must be repeated in a new worker.
        var isInitialized = false
        var restarts = 0
        /// Calls whose results later methods may need, by function index.
        var kept: [Int: SavedCall] = [:]
        /// Whether the caller was informed about the end of the worker.
        var isReported = false
        /// The number of the handler for the cancel signal.
        var cancelHandler: Int?
    }

    /// Unchecked: the host keeps the record valid until `destroy` has returned.
    private struct HostRecord: @unchecked Sendable {
        let pointer: UnsafePointer<ovl_host>
    }

    init(
        _ overlay: WorkerOverlay, _ host: UnsafePointer<ovl_host>, _ worker: WorkerOverlay.RunningWorker,
        _ number: UInt64, _ create: FunctionPlan, _ options: WorkerOptions, _ context: CreationContext
    ) {
        self.overlay = overlay
        self.host = HostRecord(pointer: host)
        self.create = create
        self.options = options
        self.context = context
        self.number = .allocate(capacity: 1)
        self.number.initialize(to: number)
        state = Mutex(State(worker: worker))
        let handler = context.cancelSignal?.add { [weak self] in
            self?.state.withLock { $0.worker.process }.send()
        }
        state.withLock { $0.cancelHandler = handler }
    }

    deinit { number.deallocate() }

    /// Calls `create` in a worker, which ends when the cancel signal is sent. Returns the number of the instance; 0
    /// if none was created.
    static func create(
        _ worker: WorkerOverlay.RunningWorker, _ function: FunctionPlan,
        _ arguments: UnsafePointer<UnsafeMutableRawPointer?>, _ result: UnsafeMutableRawPointer,
        _ overlay: WorkerOverlay, _ context: CreationContext
    ) throws(WorkerFailure) -> UInt64 {
        // There is no instance yet that could receive the signal.
        let cancelHandler = context.cancelSignal?.add { worker.process.send() }
        defer { if let cancelHandler { context.cancelSignal?.remove(cancelHandler) } }
        try call(worker, function, arguments, result, overlay, context)
        guard let cell = arguments[1]?.load(as: UnsafeMutableRawPointer?.self) else { return 0 }
        let number = cell.load(as: UInt64.self)
        return result.load(as: Int32.self) == OVL_OK ? number : 0
    }

    /// Calls a function of the overlay. A value that breaks the contract only fails this call.
    private static func call(
        _ worker: WorkerOverlay.RunningWorker, _ function: FunctionPlan,
        _ arguments: UnsafePointer<UnsafeMutableRawPointer?>, _ result: UnsafeMutableRawPointer,
        _ overlay: WorkerOverlay, _ context: CreationContext
    ) throws(WorkerFailure) {
        guard let target = worker.numbers[function.record.index] else {
            return function.fail(OVL_NOT_SUPPORTED, nil, arguments, result)
        }
        worker.process.begin(function, overlay.limits(of: function.name), context)
        defer { worker.process.finish() }
        do throws(WorkerRPCError) {
            try worker.rpc.main.call(function, of: target, arguments, result)
        } catch {
            switch error.code {
            case .breach, .structSize, .stride:
                let refusal = WorkerRPCError(
                    error.code,
                    "The overlay \(overlay.name) broke the contract in \(function.name): \(error.message)")
                function.fail(OVL_CONTRACT_BROKEN, refusal, arguments, result)
            case .tooLarge:
                let refusal = WorkerRPCError(error.code, "The call is too large: \(error.message)")
                function.fail(OVL_FAILED, refusal, arguments, result)
            default: throw worker.process.failure(error)
            }
        }
    }

    func call(
        _ function: FunctionPlan, _ arguments: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer
    ) throws(WorkerFailure) {
        let (worker, cancelHandler) = state.withLock { ($0.worker, $0.cancelHandler) }
        let isAlive = worker.process.isAlive
        arguments[0] = UnsafeMutableRawPointer(number)
        if function.name == "destroy" {
            if isAlive { destroy(worker, function, arguments, result) }
            if let cancelHandler { context.cancelSignal?.remove(cancelHandler) }
            return overlay.giveBack(worker)
        }
        do throws(WorkerFailure) {
            if !isAlive, try !begin(anew: function, arguments, result) { return }
            do throws(WorkerFailure) {
                try Self.call(currentWorker, function, arguments, result, overlay, context)
            } catch {
                // The worker ended just before the call reached it.
                guard error.isUntouched, error.method == function.name else { throw error }
                context.tracer?.note(error, in: function)
                guard try begin(anew: function, arguments, result) else { return }
                try Self.call(currentWorker, function, arguments, result, overlay, context)
            }
            if result.load(as: Int32.self) == OVL_OK { remember(function, arguments) }
        } catch {
            state.withLock { $0.isReported = true }
            throw error
        }
    }

    private var currentWorker: WorkerOverlay.RunningWorker { state.withLock { $0.worker } }

    /// Starts a new worker for a method. Returns false if the method need not be called again.
    private func begin(
        anew function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer
    ) throws(WorkerFailure) -> Bool {
        // The end of the worker has done the work of these methods.
        if function.name == "shutdown" || function.name == "post_yank_cleanup" {
            function.fail(OVL_OK, nil, arguments, result)
            return false
        }
        return try restart(for: function, arguments, result)
    }

    /// Records calls that must be repeated in a new worker.
    private func remember(_ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>) {
        if function.name == "initialize" { state.withLock { $0.isInitialized = true } }
        // Without the device, the instance's information about it is no longer needed.
        if function.name == "post_yank_cleanup" { state.withLock { $0.kept.removeAll() } }
        guard function.isRepeatable else { return }
        do throws(WorkerRPCError) {
            let call = try SavedCall(function, arguments)
            state.withLock { $0.kept[function.index] = call }
        } catch {
            state.withLock { $0.kept[function.index] = nil }
        }
    }

    /// Logs a failure of `destroy`, because the host does not expect a result from an ended instance.
    private func destroy(
        _ worker: WorkerOverlay.RunningWorker, _ function: FunctionPlan,
        _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer
    ) {
        do throws(WorkerFailure) {
            try Self.call(worker, function, arguments, result, overlay, context)
        } catch {
            options.observer?.failed(error)
            context.tracer?.note(error, in: function)
            context.noteBreach("It \(error.clause) in destroy.")
        }
    }

    // MARK: a fresh worker

    /// Creates the instance again in another worker and restores its state. Returns false if the overlay refused
    /// this, after reporting the refusal to the caller.
    private func restart(
        for function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer
    ) throws(WorkerFailure) -> Bool {
        let (restarts, isReported, former) = state.withLock { state in
            state.restarts += 1
            defer { state.isReported = false }
            return (state.restarts, state.isReported, state.worker.process)
        }
        if !isReported {
            let failure = former.failure(WorkerRPCError(.closed, "The other side has ended."))
            context.noteBreach("It \(failure.clause) while idle.")
        }
        guard restarts <= options.restarts else {
            throw WorkerFailure(
                clause: "has stopped \(restarts) times and will not be restarted for this device",
                method: function.name)
        }
        let worker = try overlay.take()
        context.cancelSignal?.beginAnew()
        // Pass the errors of the new worker to the caller of the method.
        let error = function.errorSink(arguments)
        let creation = CallArguments()
        creation.add(UInt(bitPattern: host.pointer))
        creation.add(pointerTo: UInt64(0))
        creation.add(error)
        defer { withExtendedLifetime(creation) {} }
        var status: UInt64 = 0
        var number: UInt64 = 0
        try trace(create, creation.values, &status) { (status) throws(WorkerFailure) in
            number = try Self.create(worker, create, creation.values, status, overlay, context)
        }
        guard number != 0 else {
            worker.process.hangUp()
            return refuse(status, function, arguments, result)
        }
        self.number.pointee = number
        let isInitialized = state.withLock { state in
            state.worker = worker
            return state.isInitialized
        }
        guard isInitialized else { return true }
        guard let initialize = worker.initialize else {
            try repeatKept(except: function)
            return true
        }
        status = 0
        let initialization = CallArguments()
        initialization.add(UInt(number))
        initialization.add(error)
        defer { withExtendedLifetime(initialization) {} }
        try trace(initialize, initialization.values, &status) { (status) throws(WorkerFailure) in
            try Self.call(worker, initialize, initialization.values, status, overlay, context)
        }
        guard ovl_status(truncatingIfNeeded: status) == OVL_OK else {
            worker.process.hangUp()
            return refuse(status, function, arguments, result)
        }
        try repeatKept(except: function)
        return true
    }

    /// Repeats the recorded calls in the new worker. The running method receives the results.
    private func repeatKept(except function: FunctionPlan) throws(WorkerFailure) {
        let calls = state.withLock { $0.kept }.filter { $0.key != function.index }
        for (_, call) in calls.sorted(by: { $0.key < $1.key }) {
            var status: UInt64 = 0
            try call.perform { (arguments) throws(WorkerFailure) in
                arguments[0] = UnsafeMutableRawPointer(number)
                try trace(call.function, arguments, &status) { (status) throws(WorkerFailure) in
                    try Self.call(currentWorker, call.function, arguments, status, overlay, context)
                }
            }
        }
    }

    /// Makes a call that the host did not request, and records it.
    private func trace(
        _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ status: inout UInt64, _ make: (UnsafeMutableRawPointer) throws(WorkerFailure) -> Void
    ) throws(WorkerFailure) {
        try withUnsafeMutablePointer(to: &status) { (status) throws(WorkerFailure) in
            guard let tracer = context.tracer else { return try make(status) }
            try tracer.trace(function, arguments, status) { () throws(WorkerFailure) in try make(status) }
        }
    }

    private func refuse(
        _ status: UInt64, _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer
    ) -> Bool {
        let status = ovl_status(truncatingIfNeeded: status)
        function.fail(status == OVL_OK ? OVL_CONTRACT_BROKEN : status, nil, arguments, result)
        return false
    }
}
