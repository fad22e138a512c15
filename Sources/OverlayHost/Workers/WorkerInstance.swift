import WorkerRPC
import Glibc
import OverlayABI
import Synchronization
import Tracing

/// An instance that lives in a worker, and in another one after that has ended.
final class WorkerInstance: CallTarget {
    /// What the host holds as the instance.
    private(set) nonisolated(unsafe) var token: UInt = 0
    // Unsafe: written by `init` only.

    private let overlay: WorkerOverlay
    private let host: HostRecord
    private let create: FunctionPlan
    private let options: WorkerOptions
    private let state: Mutex<State>
    private let cancelSignal: CancelSignal?
    private nonisolated(unsafe) var cancelHandler = 0
    // Unsafe: written by `init` only.

    private struct State {
        var worker: WorkerOverlay.RunningWorker
        /// The instance's number in the worker.
        var number: UInt64
        /// Whether `initialize` has succeeded, so that a new worker must be brought as far.
        var isInitialized = false
        var restarts = 0
        /// What later methods may need to know, by the place of the function.
        var kept: [Int: SavedCall] = [:]
        /// Whether somebody has been told how the worker ended.
        var isReported = false
    }

    /// Unchecked: the host keeps it valid until `destroy` has returned.
    private struct HostRecord: @unchecked Sendable {
        let pointer: UnsafePointer<ovl_host>
        let hostServices: WorkerHostServices
    }

    init(
        _ overlay: WorkerOverlay, _ host: UnsafePointer<ovl_host>, _ worker: WorkerOverlay.RunningWorker,
        _ number: UInt64, _ create: FunctionPlan, _ options: WorkerOptions
    ) {
        self.overlay = overlay
        self.host = HostRecord(pointer: host, hostServices: WorkerHostServices(host, for: overlay.name))
        self.create = create
        self.options = options
        cancelSignal = CancelSignal.current
        state = Mutex(State(worker: worker, number: number))
        token = TokenTable.shared.add(self)
        cancelHandler =
            cancelSignal?.add { [weak self] in self?.state.withLock { $0.worker.process }.send() } ?? 0
    }

    /// Calls `create` in a worker, which ends when `cancelSignal` is sent; the number of the instance, 0 if it made none.
    static func create(
        _ worker: WorkerOverlay.RunningWorker, _ function: FunctionPlan,
        _ arguments: UnsafePointer<UnsafeMutableRawPointer?>, _ result: UnsafeMutableRawPointer,
        _ hostServices: WorkerHostServices, _ limits: MethodLimits, _ cancelSignal: CancelSignal?
    ) throws(WorkerFailure) -> UInt64 {
        // There is no instance yet that would hear it.
        let cancelHandler = cancelSignal?.add { worker.process.send() }
        defer { if let cancelHandler { cancelSignal?.remove(cancelHandler) } }
        try call(worker, function, arguments, result, hostServices, limits)
        // The number, for which the host's instance is put later.
        guard let cell = arguments[1]?.load(as: UnsafeMutableRawPointer?.self) else { return 0 }
        let number = cell.load(as: UInt64.self)
        cell.storeBytes(of: 0, as: UInt.self)
        return result.load(as: Int32.self) == OVL_OK ? number : 0
    }

    /// Calls a function of the overlay. A value that breaks the contract fails the call, and nothing else.
    private static func call(
        _ worker: WorkerOverlay.RunningWorker, _ function: FunctionPlan,
        _ arguments: UnsafePointer<UnsafeMutableRawPointer?>, _ result: UnsafeMutableRawPointer,
        _ hostServices: WorkerHostServices, _ limits: MethodLimits
    ) throws(WorkerFailure) {
        guard let target = worker.numbers[function.record.index] else {
            return function.fail(OVL_NOT_SUPPORTED, nil, arguments, result)
        }
        worker.process.begin(function, limits, hostServices)
        defer { worker.process.finish() }
        do throws(WorkerRPCError) {
            try worker.rpc.main.call(function, of: target, arguments, result)
        } catch {
            switch error.code {
            case .breach:
                function.fail(
                    OVL_CONTRACT_BROKEN,
                    FailureText(
                        "The overlay \(hostServices.overlay) broke the contract in \(function.name): \(error.clause)."
                    ),
                    arguments,
                    result)
            case .tooLarge:
                function.fail(
                    OVL_FAILED, FailureText("The call is too large: \(error.clause)."), arguments, result)
            default:
                var failure = worker.process.failure(error)
                hostServices.tell(of: &failure, in: function)
                throw failure
            }
        }
    }

    func invoke(
        _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer
    ) {
        let isAlive = state.withLock { $0.worker.process.isAlive }
        if function.name == "destroy" {
            if isAlive { destroy(function, arguments, result) }
            cancelSignal?.remove(cancelHandler)
            overlay.giveBack(state.withLock { $0.worker })
            return TokenTable.shared.remove(token)
        }
        do throws(WorkerFailure) {
            if !isAlive, try !begin(anew: function, arguments, result) { return }
            do throws(WorkerFailure) {
                try perform(function, arguments, result)
            } catch {
                // It ended just before the call reached it.
                guard error.isUntouched, error.method == function.name else { throw error }
                guard try begin(anew: function, arguments, result) else { return }
                try perform(function, arguments, result)
            }
            if result.load(as: Int32.self) == OVL_OK { remember(function, arguments) }
        } catch {
            var error = error
            state.withLock { $0.isReported = true }
            host.hostServices.tell(of: &error, in: function)
            WorkerFailures.leave(error.error(overlay: overlay.name))
            function.fail(OVL_CONTRACT_BROKEN, nil, arguments, result)
        }
    }

    /// Starts a fresh worker for a method. False if the method need not be called any more.
    private func begin(
        anew function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer
    ) throws(WorkerFailure) -> Bool {
        // What a worker has taken with it needs no end.
        if function.name == "shutdown" || function.name == "post_yank_cleanup" {
            function.fail(OVL_OK, nil, arguments, result)
            return false
        }
        return try restart(for: function, arguments, result)
    }

    /// Notes what must be done again in a fresh worker.
    private func remember(_ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>) {
        if function.name == "initialize" { state.withLock { $0.isInitialized = true } }
        // What an instance has learnt of a device goes with the device.
        if function.name == "post_yank_cleanup" { state.withLock { $0.kept.removeAll() } }
        guard function.isRepeatable else { return }
        do throws(WorkerRPCError) {
            let call = try SavedCall(function, arguments)
            state.withLock { $0.kept[function.index] = call }
        } catch {
            state.withLock { $0.kept[function.index] = nil }
        }
    }

    /// Whoever ends an instance has nothing to be told; the log has.
    private func destroy(
        _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer
    ) {
        do throws(WorkerFailure) {
            try perform(function, arguments, result)
        } catch {
            options.observer?.failed(error)
            host.hostServices.tell(breach: "it \(error.clause) in destroy")
        }
    }

    /// Calls a method with the number of the instance in place of the token.
    private func perform(
        _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer
    ) throws(WorkerFailure) {
        let (worker, number) = state.withLock { ($0.worker, $0.number) }
        let count = function.arguments.count
        var word = number
        try withUnsafeMutablePointer(to: &word) { (word) throws(WorkerFailure) in
            try withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: 16) {
                (values) throws(WorkerFailure) in
                guard let values = values.baseAddress else { return }
                for index in 0..<count { values[index] = arguments[index] }
                values[0] = UnsafeMutableRawPointer(word)
                try Self.call(
                    worker, function, values, result, host.hostServices, overlay.limits(of: function.name))
            }
        }
    }

    // MARK: a fresh worker

    /// Makes the instance anew in another worker and brings it as far as it was. False if the overlay refused that, which the
    /// caller has then been told.
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
            let failure = former.failure(WorkerRPCError(.closed, "the other side has ended"))
            host.hostServices.tell(breach: "it \(failure.clause) while idle")
        }
        guard restarts <= options.restarts else {
            throw WorkerFailure(
                clause: "has stopped \(restarts) times and will not be restarted for this device",
                method: function.name)
        }
        let worker = try overlay.take()
        cancelSignal?.beginAnew()
        // What the new worker has to say against it, it says to whoever called the method.
        let error = function.errorSink(arguments)
        let made = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
        made.initialize(to: 0)
        defer { made.deallocate() }
        var status: UInt64 = 0
        let creation = RawArguments([UInt(bitPattern: host.pointer), UInt(bitPattern: made), error])
        defer { withExtendedLifetime(creation) {} }
        var number: UInt64 = 0
        try tell(of: create, creation.values, &status) { (status) throws(WorkerFailure) in
            number = try Self.create(
                worker, create, creation.values, status, host.hostServices, overlay.limits(of: create.name),
                cancelSignal)
        }
        guard number != 0 else {
            worker.process.hangUp()
            return refuse(status, function, arguments, result)
        }
        let isInitialized = state.withLock { state in
            state.worker = worker
            state.number = number
            return state.isInitialized
        }
        guard isInitialized else { return true }
        guard let initialize = worker.initialize else {
            try repeatKept(except: function)
            return true
        }
        status = 0
        let initialization = RawArguments([UInt(number), error])
        defer { withExtendedLifetime(initialization) {} }
        try tell(of: initialize, initialization.values, &status) { (status) throws(WorkerFailure) in
            try Self.call(
                worker, initialize, initialization.values, status, host.hostServices,
                overlay.limits(of: initialize.name))
        }
        guard ovl_status(truncatingIfNeeded: status) == OVL_OK else {
            worker.process.hangUp()
            return refuse(status, function, arguments, result)
        }
        try repeatKept(except: function)
        return true
    }

    /// Lets the new worker find out again what the former ones knew. What comes of it the running method will see.
    private func repeatKept(except function: FunctionPlan) throws(WorkerFailure) {
        let calls = state.withLock { $0.kept }.filter { $0.key != function.index }
        for (_, call) in calls.sorted(by: { $0.key < $1.key }) {
            var status: UInt64 = 0
            try call.perform { (arguments) throws(WorkerFailure) in
                try tell(of: call.function, arguments, &status) { (status) throws(WorkerFailure) in
                    try perform(call.function, arguments, status)
                }
            }
        }
    }

    /// Makes a call that nobody has asked for, and lets those know who hear of calls.
    private func tell(
        of function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ status: inout UInt64, _ make: (UnsafeMutableRawPointer) throws(WorkerFailure) -> Void
    ) throws(WorkerFailure) {
        try withUnsafeMutablePointer(to: &status) { (status) throws(WorkerFailure) in
            guard let traced = TracedHost.of(host.pointer) else { return try make(status) }
            try traced.tell(of: function, arguments, status) { () throws(WorkerFailure) in try make(status) }
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

/// Arguments of one word each, for a call that this side makes up.
private final class RawArguments {
    private let words: UnsafeMutablePointer<UInt>
    private let addresses: UnsafeMutablePointer<UnsafeMutableRawPointer?>

    /// The address of each word; valid as long as this object.
    var values: UnsafePointer<UnsafeMutableRawPointer?> { UnsafePointer(addresses) }

    init(_ values: [UInt]) {
        words = .allocate(capacity: values.count)
        words.initialize(from: values, count: values.count)
        addresses = .allocate(capacity: values.count)
        for index in 0..<values.count {
            (addresses + index).initialize(to: UnsafeMutableRawPointer(words + index))
        }
    }

    deinit {
        words.deallocate()
        addresses.deallocate()
    }
}
