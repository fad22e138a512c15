import Glibc
import OverlayABI
import OverlayCalls
import Synchronization

/// Passes calls between the host and its overlays in both directions, and reports each to recorders: methods,
/// services and sinks.
///
/// It treats all functions alike, according to their plans. It does not change the data; only the pointers to tables
/// and sinks are replaced.
package final class Interposer: Sendable {
    private let recorders: [TraceRecorder]
    private let calls = Atomic<UInt32>(0)
    private let numbers = Atomic<UInt32>(0)
    private let overlays = Atomic<UInt32>(0)
    private let taps = Mutex<[Int: [SinkTap]]>([:])

    /// Creates an interposer that reports to these recorders.
    package init(_ recorders: [TraceRecorder]) { self.recorders = recorders }

    /// The number for an overlay that participates from now on.
    func nextOverlay() -> UInt32 { overlays.wrappingAdd(1, ordering: .relaxed).newValue }

    /// A number for an instance or a sink; never 0.
    func nextNumber() -> UInt32 { numbers.wrappingAdd(1, ordering: .relaxed).newValue }

    func report(_ overlay: TraceRecorder.Overlay) {
        for recorder in recorders { recorder.overlay(overlay) }
    }

    /// Records once that an overlay ended in a function.
    func report(_ failure: inout WorkerFailure, in function: FunctionPlan, instance: UInt32) {
        guard !failure.isRecorded else { return }
        failure.isRecorded = true
        let breakdown = TraceRecorder.Breakdown(
            clause: failure.clause + (failure.isUntouched ? " before the call reached it" : ""),
            lastService: failure.lastService ?? "", words: failure.words ?? "")
        for recorder in recorders { recorder.breakdown(breakdown, in: function, instance: instance) }
    }

    /// Calls a function pointer and records the call. `values` is as for the other `carry`.
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

    /// Makes a call with the next number.
    func nextCall(isFromOverlay: Bool, target: UInt32, overlay: UInt32) -> TraceRecorder.Call {
        TraceRecorder.Call(
            number: calls.wrappingAdd(1, ordering: .relaxed).newValue, isFromOverlay: isFromOverlay,
            target: target, overlay: overlay)
    }

    /// Runs a call with `make` and records it.
    ///
    /// - Parameters:
    ///   - arguments: the arguments from the caller.
    ///   - values: space for 16 addresses, filled with those of the arguments for the callee, with sinks replaced.
    ///   - instance: the number of the instance, if an argument or the result is one.
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

    /// Records a call that a target makes itself. Its sinks are not recorded.
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

    /// A sink that replaces `sink`; nil if that cannot be called, an error that the callee must detect.
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

/// A sink that reports each call and passes it on. It is reused, with a new token each time.
///
/// Unchecked: the call that owns it opens and closes it; in between it is only read.
final class SinkTap: CallTarget, @unchecked Sendable {
    let plan: RecordPlan
    /// The memory with the pointer to the sink, as in an argument.
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

    /// Replaces a sink until `close`. Returns false if the sink does not have its function.
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

    /// Releases the sink; further calls have no effect.
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
