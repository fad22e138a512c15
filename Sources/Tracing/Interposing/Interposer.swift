import Glibc
import OverlayABI
import OverlayCalls
import Synchronization

/// Stands between the host and its overlays and reports every call in both directions to recorders: methods, services, sinks.
///
/// It handles all functions alike, by their plans. It changes nothing of what crosses; only the pointers to tables
/// and sinks are its own.
package final class Interposer: Sendable {
    private let recorders: [TraceRecorder]
    private let calls = Atomic<UInt32>(0)
    private let numbers = Atomic<UInt32>(0)
    private let overlays = Atomic<UInt32>(0)
    private let taps = Mutex<[Int: [SinkTap]]>([:])

    /// An interposer that tells these recorders.
    package init(_ recorders: [TraceRecorder]) { self.recorders = recorders }

    /// The number of an overlay that takes part from now on.
    func nextOverlay() -> UInt32 { overlays.wrappingAdd(1, ordering: .relaxed).newValue }

    /// A number for an instance or a sink; never 0.
    func nextNumber() -> UInt32 { numbers.wrappingAdd(1, ordering: .relaxed).newValue }

    func tell(of overlay: TraceRecorder.Overlay) {
        for recorder in recorders { recorder.overlay(overlay) }
    }

    /// Records, once, that an overlay came to an end in a function.
    func tell(of failure: inout WorkerFailure, in function: FunctionPlan, instance: UInt32) {
        guard !failure.isRecorded else { return }
        failure.isRecorded = true
        let breakdown = TraceRecorder.Breakdown(
            clause: failure.clause + (failure.isUntouched ? " before the call reached it" : ""),
            lastService: failure.lastService ?? "", words: failure.words ?? "")
        for recorder in recorders { recorder.breakdown(breakdown, in: function, instance: instance) }
    }

    /// Makes a call through a function pointer, and records it. `values` is as for the other `carry`.
    @inline(__always)
    func carry(
        _ function: FunctionPlan, to code: UnsafeRawPointer, isFromOverlay: Bool, target: UInt32,
        instance: UInt32, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ values: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ result: UnsafeMutableRawPointer
    ) {
        let call = nextCall(isFromOverlay: isFromOverlay, target: target, overlay: 0)
        carry(call, function, instance: instance, arguments, values, result) {
            function.call(code, values, result)
        }
    }

    /// A number for the next call.
    func nextCall(isFromOverlay: Bool, target: UInt32, overlay: UInt32) -> TraceRecorder.Call {
        TraceRecorder.Call(
            number: calls.wrappingAdd(1, ordering: .relaxed).newValue, isFromOverlay: isFromOverlay,
            target: target, overlay: overlay)
    }

    /// Records a call that `make` makes.
    ///
    /// - Parameters:
    ///   - arguments: the arguments as the caller gave them.
    ///   - values: room for 16 addresses, filled with those of the arguments that the callee is to get; sinks are put in here.
    ///   - instance: the number of the instance, for an argument or result that is one.
    @inline(__always)
    func carry<Failure: Error>(
        _ call: TraceRecorder.Call, _ function: FunctionPlan, instance: UInt32,
        _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ values: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ result: UnsafeMutableRawPointer,
        _ make: () throws(Failure) -> Void
    ) throws(Failure) {
        try withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 16) { (sinks) throws(Failure) in
            try withUnsafeTemporaryAllocation(of: Unmanaged<SinkTap>?.self, capacity: 16) {
                (taken) throws(Failure) in
                guard let numbers = sinks.baseAddress else { return }
                for index in 0..<function.arguments.count {
                    numbers[index] = 0
                    (taken.baseAddress.map { $0 + index })?.initialize(to: nil)
                    guard function.arguments[index].kind == OVL_KIND_SINK, let value = arguments[index],
                        let sink = value.load(as: UnsafeRawPointer?.self)
                    else { continue }
                    numbers[index] = nextNumber()
                    guard
                        let tap = tap(
                            function.arguments[index].recordIndex, sink, numbers[index],
                            isFromOverlay: !call.isFromOverlay)
                    else { continue }
                    values[index] = tap.cell
                    taken[index] = Unmanaged.passRetained(tap)
                }
                for recorder in recorders {
                    recorder.call(call, function, arguments, sinks: numbers, instance: instance)
                }
                defer {
                    for recorder in recorders {
                        recorder.answer(call, function, arguments, result, instance: instance)
                    }
                    for index in 0..<function.arguments.count {
                        if let tap = taken[index] { giveBack(tap.takeRetainedValue()) }
                    }
                }
                try make()
            }
        }
    }

    /// Records a call that a target makes on its own. Its sinks are not recorded.
    func trace<Failure: Error>(
        _ call: TraceRecorder.Call, _ function: FunctionPlan, instance: UInt32,
        _ arguments: UnsafePointer<UnsafeMutableRawPointer?>, _ result: UnsafeMutableRawPointer,
        _ make: () throws(Failure) -> Void
    ) throws(Failure) {
        try withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 16) { (sinks) throws(Failure) in
            sinks.initialize(repeating: 0)
            guard let numbers = sinks.baseAddress else { return }
            for recorder in recorders {
                recorder.call(call, function, arguments, sinks: numbers, instance: instance)
            }
            defer {
                for recorder in recorders {
                    recorder.answer(call, function, arguments, result, instance: instance)
                }
            }
            try make()
        }
    }

    // MARK: sinks

    /// A sink that takes the place of `sink`; nil for one that cannot be called, an error that the callee is left to detect.
    private func tap(_ record: Int, _ sink: UnsafeRawPointer, _ number: UInt32, isFromOverlay: Bool)
        -> SinkTap?
    {
        guard record >= 0 else { return nil }
        let known = taps.withLock { $0[record]?.popLast() }
        let tap = known ?? SinkTap(self, ContractPlans.shared.records[record])
        guard tap.open(sink, number, isFromOverlay: isFromOverlay) else {
            giveBack(tap)
            return nil
        }
        return tap
    }

    private func giveBack(_ tap: SinkTap) {
        tap.close()
        taps.withLock { $0[tap.plan.index, default: []].append(tap) }
    }
}

/// A sink that reports each call and passes it on. It is used again and again, with its own token each time.
///
/// Unchecked: set up and closed by the call it belongs to; between, it is only read.
final class SinkTap: CallTarget, @unchecked Sendable {
    let plan: RecordPlan
    /// Holds the pointer to the sink, as an argument does.
    let cell: UnsafeMutableRawPointer
    private let sink: UnsafeMutableRawPointer
    private unowned let interposer: Interposer
    private let context: UnsafeMutablePointer<UInt>
    private var original: UnsafeRawPointer?
    private var token: UInt = 0
    private var number: UInt32 = 0
    private var isFromOverlay = false

    init(_ interposer: Interposer, _ plan: RecordPlan) {
        self.interposer = interposer
        self.plan = plan
        sink = .allocate(byteCount: plan.room, alignment: 8)
        cell = .allocate(byteCount: 8, alignment: 8)
        cell.storeBytes(of: sink, as: UnsafeMutableRawPointer.self)
        context = .allocate(capacity: 1)
        context.initialize(to: 0)
    }

    deinit {
        sink.deallocate()
        cell.deallocate()
        context.deallocate()
    }

    /// Takes the place of a sink until `close`. False for one without its function.
    func open(_ sink: UnsafeRawPointer, _ number: UInt32, isFromOverlay: Bool) -> Bool {
        let size = min(Int(sink.loadUnaligned(as: UInt32.self)), plan.size)
        guard let function = plan.functions.first ?? nil, function.offset + 8 <= size,
            let code = sink.loadUnaligned(fromByteOffset: function.offset, as: UnsafeRawPointer?.self)
        else { return false }
        memcpy(self.sink, sink, size)
        if size < plan.size { memset(self.sink + size, 0, plan.size - size) }
        self.sink.storeBytes(of: UInt32(size), as: UInt32.self)
        original = code
        self.number = number
        self.isFromOverlay = isFromOverlay
        token = TokenTable.shared.add(self)
        for field in TraceShapes.all[plan.index].fields where field.end <= size {
            if field.kind == OVL_KIND_CONTEXT {
                context.pointee = sink.loadUnaligned(fromByteOffset: field.offset, as: UInt.self)
                self.sink.storeBytes(of: token, toByteOffset: field.offset, as: UInt.self)
            } else if field.kind == OVL_KIND_FUNCTION, field.function >= 0 {
                self.sink.storeBytes(
                    of: plan.functions[field.function]?.code, toByteOffset: field.offset,
                    as: UnsafeRawPointer?.self)
            }
        }
        return true
    }

    /// Lets go of the sink: it leads nowhere from now on.
    func close() {
        if token != 0 { TokenTable.shared.remove(token) }
        token = 0
        original = nil
    }

    func invoke(
        _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer
    ) {
        guard let original else { return function.fail(OVL_WRONG_STATE, nil, arguments, result) }
        withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: 16) { values in
            guard let values = values.baseAddress else { return }
            for index in 0..<function.arguments.count { (values + index).initialize(to: arguments[index]) }
            values[0] = UnsafeMutableRawPointer(context)
            interposer.carry(
                function, to: original, isFromOverlay: isFromOverlay, target: number, instance: 0, arguments,
                values, result)
        }
    }
}
