import Diagnostics
import Glibc
import OverlayABI
import OverlayCalls
import Synchronization

/// Replays one instance of a recording: it calls the overlay's methods as recorded and gives the recorded answers to
/// its calls, until the overlay does something else.
///
/// Unchecked: the replaying thread uses it. Calls of other threads of the overlay use only constants, values behind
/// locks, and memory of their own.
final class ReplayPlayer: @unchecked Sendable {
    /// A call of the host to the overlay that is running.
    private struct Frame {
        let call: Recording.Call
        /// The calls of services expected from the overlay, in this order.
        let expected: [Recording.Call]
        var next = 0
    }

    private let recorded: Recording.Instance
    private let limits: TraceLimits
    private let overlay: any OverlayFactory
    /// The overlay's id, used in messages.
    private let id: String
    private let progress: ReplayProgress
    /// Functions and arguments that may differ.
    private let ignored: Set<String>
    private let thread = pthread_self()
    private let text = TraceText(TraceText.Amount(bytes: 200, elements: 4))

    /// The rows expected in one sink of the host.
    private struct Rows {
        var expected: [Recording.Call] = []
        var next = 0
    }

    private var instance: (any OverlayTarget)?
    /// By the number of the sink. The timing of rows relative to other calls is not compared, because a worker sends
    /// several together.
    private var rows: [UInt32: Rows] = [:]
    private var frames: [Frame] = []
    private let report = Mutex(ReplayReport())
    private let isOver = Atomic<Bool>(false)
    private var host: ReplayTable?
    /// The memory to which the host's table points.
    private var hostMemory: ReplayMemory?
    private let services = Mutex<[Int: ReplayTable]>([:])
    private let answers: UnorderedAnswers

    init(
        _ recorded: Recording.Instance, limits: TraceLimits, overlay: any OverlayFactory, id: String,
        ignoring ignored: Set<String>, progress: ReplayProgress
    ) {
        self.progress = progress
        self.ignored = ignored
        self.recorded = recorded
        self.limits = limits
        self.overlay = overlay
        self.id = id
        answers = UnorderedAnswers(recorded)
    }

    /// Replays everything, on the thread that must call the overlay.
    func run() -> ReplayReport {
        for call in recorded.calls {
            if call.function.name == "destroy" || isOver.load(ordering: .relaxed) || progress.isStopped {
                break
            }
            perform(call)
        }
        end()
        return report.withLock { $0 }
    }

    /// Ends the instance in any state.
    private func end() {
        let isGood = !isOver.exchange(true, ordering: .relaxed)
        if let instance, let destroy = ContractPlans.shared.record("ovl_entry")?.function("destroy") {
            let arguments = CallArguments()
            arguments.add(0)
            var result: UInt64 = 0
            do throws(WorkerFailure) {
                try instance.call(destroy, arguments.values, &result)
                if isGood { report.withLock { $0.methods += 1 } }
            } catch  where isGood {
                let seen = error.message(overlay: id)
                report.withLock {
                    $0.methods += 1
                    $0.difference = .init(
                        method: "destroy", call: 0, function: "destroy", place: nil, expected: "a return",
                        seen: seen)
                }
            } catch {
                // The replay has already ended with a difference.
            }
            withExtendedLifetime(arguments) {}
        }
        host?.close()
        for table in services.withLock({ $0 }).values { table.close() }
    }

    // MARK: the host calls

    /// Calls a method as recorded.
    private func perform(_ call: Recording.Call) {
        let function = call.function
        guard overlay.implements(function) else {
            return stop(call, nil, expected: "a call of \(function.name)", seen: "it is not implemented")
        }
        let isCreate = function.name == "create"
        guard isCreate == (instance == nil) else {
            return obstacle(
                call, isCreate ? "Its instance already exists." : "Its instance has not been created.", nil)
        }
        report.withLock { $0.methods += 1 }
        let memory = ReplayMemory()
        guard let values = arguments(call, first: 0, memory) else { return }
        if isCreate { prepareHost(values, memory) }
        rows = [:]
        collectRows(call)
        progress.runs(function.name)
        play(call, values) { (result) throws(WorkerFailure) in
            if let instance {
                try instance.call(function, values, result)
            } else {
                instance = try overlay.create(function, UnsafePointer(values), result, context)
            }
        }
        progress.runs(nil)
        withExtendedLifetime(memory) {}
    }

    /// A context whose host only checks whether the replay continues.
    private var context: CreationContext {
        var context = CreationContext()
        context.isCancelled = { [progress] in progress.isStopped }
        return context
    }

    private func collectRows(_ call: Recording.Call) {
        for child in call.children {
            if child.event.isFromOverlay, child.function.isSink {
                rows[child.event.target, default: Rows()].expected.append(child)
            }
            collectRows(child)
        }
    }

    /// The first expected row that has not come.
    private var missingRow: Recording.Call? {
        rows.values.compactMap { $0.next < $0.expected.count ? $0.expected[$0.next] : nil }
            .min { $0.event.call < $1.event.call }
    }

    /// Restores the recorded host, with functions that answer from the recording.
    private func prepareHost(
        _ values: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ memory: ReplayMemory
    ) {
        guard let plan = ContractPlans.shared.record("ovl_host") else { return }
        let contents = values[0]?.load(as: UnsafeRawPointer?.self)
        let table = ReplayTable(plan, self, contents: contents)
        (host, hostMemory) = (table, memory)
        values[0]?.storeBytes(of: table.pointer, as: UnsafeRawPointer.self)
    }

    /// The arguments of a call of the host; nil if they were not recorded.
    private func arguments(_ call: Recording.Call, first: UInt, _ memory: ReplayMemory)
        -> UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    {
        guard let values = call.values else {
            obstacle(call, "The recording ends while its arguments were being written.", nil)
            return nil
        }
        do throws(TraceError) {
            return try memory.arguments(call.function, values, first: first) {
                (index, number) throws(TraceError) in
                let place = call.function.arguments[index].recordIndex
                guard place >= 0 else { return nil }
                let plan = ContractPlans.shared.records[place]
                let sink = try memory.allocate(plan.room)
                sink.storeBytes(of: UInt32(plan.size), as: UInt32.self)
                ReplayTable.fill(sink, plan, memory.token(ReplaySink(self, number)))
                return UnsafeRawPointer(sink)
            }
        } catch {
            obstacle(call, error.message, error.hint)
            return nil
        }
    }

    /// Makes a call and compares its result.
    private func play(
        _ call: Recording.Call, _ values: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
        _ make: (UnsafeMutableRawPointer) throws(WorkerFailure) -> Void
    ) {
        frames.append(
            Frame(call: call, expected: call.children.filter { $0.event.isFromOverlay && Self.isStrict($0) }))
        var result: UInt64 = 0
        var failure: String?
        do throws(WorkerFailure) {
            try withUnsafeMutablePointer(to: &result) { (result) throws(WorkerFailure) in
                try make(UnsafeMutableRawPointer(result))
            }
        } catch {
            failure = error.message(overlay: id)
        }
        report.withLock { $0.calls += 1 }
        let frame = frames.removeLast()
        guard !isOver.load(ordering: .relaxed) else { return }
        if let failure {
            // If a worker has ended, the call also returns.
            guard call.hasReturned, call.result != .signed(Int64(OVL_CONTRACT_BROKEN)) else {
                return note(
                    "It stopped in \(call.function.displayName), as in the recording: \(failure)")
            }
            return stop(call, nil, expected: "a return", seen: failure)
        }
        let missing =
            frame.next < frame.expected.count
            ? frame.expected[frame.next] : frames.isEmpty ? missingRow : nil
        if let missing {
            return stop(
                missing, nil, expected: "a call of " + text.call(missing.function, missing.values),
                seen: "\(call.function.displayName) returned")
        }
        guard call.hasReturned else {
            return note("The recording ends in \(call.function.displayName), which has now returned.")
        }
        compareResult(call, result, values)
    }

    private func compareResult(
        _ call: Recording.Call, _ result: UInt64,
        _ values: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) {
        if let breakdown = call.breakdown {
            return stop(
                call, nil, expected: "the overlay \(breakdown)", seen: "\(call.function.displayName) returned"
            )
        }
        let space = MemorySpace()
        withUnsafePointer(to: result) {
            TraceEncoder(space: space, limits: limits).results(
                call.function, values, UnsafeRawPointer($0), instance: 1)
        }
        var decoder = TraceDecoder(space.bytes(), sizes: Self.sizes)
        do throws(TraceError) {
            let (seen, written) = try decoder.results(call.function)
            if let seen, let expected = call.result, seen != expected {
                return stop(
                    call, "the result", expected: text.answer(call.function, expected, []),
                    seen: text.answer(call.function, seen, []))
            }
            if let difference = TraceDifference.first(call.function, expected: call.written, seen: written) {
                stop(call, difference)
            }
        } catch {
            obstacle(call, error.message, error.hint)
        }
    }

    // MARK: the overlay calls

    /// Answers a call of the overlay. Any thread.
    ///
    /// - Parameter sink: the number of the called sink of the host; nil for a service.
    func answer(
        _ function: FunctionPlan, sink: UInt32?, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer
    ) {
        if progress.isStopped { isOver.store(true, ordering: .relaxed) }
        guard !isOver.load(ordering: .relaxed) else { return refuse(function, arguments, result) }
        if sink == nil, Self.isUnordered(function) {
            return answerUnordered(function, arguments, result)
        }
        guard pthread_equal(thread, pthread_self()) != 0, !frames.isEmpty else {
            return refuse(function, arguments, result)
        }
        report.withLock { $0.calls += 1 }
        let top = frames.count - 1
        let running = frames[top].call
        guard let seen = values(function, arguments) else { return refuse(function, arguments, result) }
        guard let expected = next(sink, top) else {
            // The recording does not contain what follows its end.
            guard running.hasReturned else {
                obstacle(running, "The recording ends in it.", nil)
                return refuse(function, arguments, result)
            }
            stop(
                running, nil,
                expected: running.breakdown.map { "the overlay \($0)" }
                    ?? "\(running.function.displayName) returns",
                seen: "a call of " + text.call(function, seen))
            return refuse(function, arguments, result)
        }
        guard expected.function === function else {
            stop(
                expected, nil, expected: "a call of " + text.call(expected.function, expected.values),
                seen: "a call of " + text.call(function, seen))
            return refuse(function, arguments, result)
        }
        if let values = expected.values,
            let difference = TraceDifference.first(function, expected: values, seen: seen, ignoring: ignored)
        {
            stop(expected, difference)
            return refuse(function, arguments, result)
        }
        give(expected, arguments, result, isNested: true)
    }

    /// The next expected call of a sink, or of services; nil if there is none.
    private func next(_ sink: UInt32?, _ top: Int) -> Recording.Call? {
        guard let sink else {
            guard frames[top].next < frames[top].expected.count else { return nil }
            defer { frames[top].next += 1 }
            return frames[top].expected[frames[top].next]
        }
        guard let known = rows[sink], known.next < known.expected.count else { return nil }
        rows[sink]?.next += 1
        return known.expected[known.next]
    }

    /// Repeats the host's actions: puts into the overlay's sinks, writes, and returns.
    private func give(
        _ call: Recording.Call, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer, isNested: Bool
    ) {
        for child in call.children where !child.event.isFromOverlay {
            put(child, call, arguments, isNested: isNested)
            if isOver.load(ordering: .relaxed) { return refuse(call.function, arguments, result) }
        }
        guard call.hasReturned else {
            note("The recording ends in \(call.function.displayName).")
            return refuse(call.function, arguments, result)
        }
        call.answer(arguments, result) { service(call.function, arguments) }
    }

    /// Puts a recorded row into a sink of the overlay.
    private func put(
        _ row: Recording.Call, _ call: Recording.Call,
        _ arguments: UnsafePointer<UnsafeMutableRawPointer?>, isNested: Bool
    ) {
        guard let place = call.values?.firstIndex(where: { $0 == .sink(row.event.target) }) else { return }
        guard call.function.arguments[place].recordIndex == row.function.record.index else {
            return obstacle(row, "\(call.function.displayName) does not have this sink.", nil)
        }
        guard let sink = arguments[place]?.load(as: UnsafeRawPointer?.self),
            Int(sink.load(as: UInt32.self)) >= row.function.offset + 8,
            let code = sink.load(fromByteOffset: row.function.offset, as: UnsafeRawPointer?.self)
        else { return }
        var context: UInt = 0
        for field in TraceShapes.all[row.function.record.index].fields where field.kind == OVL_KIND_CONTEXT {
            context = sink.load(fromByteOffset: field.offset, as: UInt.self)
        }
        let memory = ReplayMemory()
        defer { withExtendedLifetime(memory) {} }
        guard let values = self.arguments(row, first: context, memory) else { return }
        if isNested { return play(row, values) { row.function.call(code, values, $0) } }
        var result: UInt64 = 0
        row.function.call(code, values, &result)
    }

    /// Gives the answer recorded for the same arguments, for questions that may be asked at any time and any number
    /// of times.
    private func answerUnordered(
        _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer
    ) {
        guard function.result != OVL_KIND_VOID else { return }
        guard let seen = values(function, arguments) else { return refuse(function, arguments, result) }
        let isHere = pthread_equal(thread, pthread_self()) != 0
        let method = isHere ? frames.first?.call : nil
        if let answer = answers.next(function, seen, within: method) {
            return give(answer, arguments, result, isNested: isHere && !frames.isEmpty)
        }
        switch function.result {
        case OVL_KIND_TABLE:
            result.storeBytes(of: service(function, arguments), as: UnsafeRawPointer?.self)
        case OVL_KIND_STATUS:
            if isHere, let running = frames.last?.call {
                stop(
                    running, nil, expected: "no such call",
                    seen: "a call of " + text.call(function, seen) + ", which is not in the recording")
            }
            refuse(function, arguments, result)
        default: function.store(function.result == OVL_KIND_U64 ? .max : 0, result)
        }
    }

    private func service(
        _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>
    ) -> UnsafeRawPointer? {
        guard let plan = TracedHost.plan(function, arguments) else { return nil }
        return services.withLock { services in
            if let known = services[plan.index] { return known.pointer }
            let table = ReplayTable(plan, self)
            services[plan.index] = table
            return table.pointer
        }
    }

    /// Ends a call after the end of the replay, so that the overlay returns.
    private func refuse(
        _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer
    ) {
        function.fail(
            function.isSink ? OVL_STOPPED : OVL_CANCELLED, TraceError(.notRecorded, "The replay is over."),
            arguments,
            result)
    }

    // MARK: pieces

    private static let sizes = ContractPlans.shared.records.map(\.size)

    /// Whether the function has no order relative to other calls, because any thread may call it at any time.
    static func isUnordered(_ function: FunctionPlan) -> Bool {
        !function.isSink && (function.thread == OVL_THREAD_ANY || function.result == OVL_KIND_VOID)
    }

    private static func isStrict(_ call: Recording.Call) -> Bool {
        !call.function.isSink && !isUnordered(call.function)
    }

    /// The arguments in the form of a recording.
    private func values(_ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>)
        -> [TraceValue?]?
    {
        let space = MemorySpace()
        let sinks = UnsafeMutablePointer<UInt32>.allocate(capacity: 16)
        defer { sinks.deallocate() }
        for index in 0..<16 { sinks[index] = 0 }
        for index in 0..<function.arguments.count where function.arguments[index].kind == OVL_KIND_SINK {
            sinks[index] = arguments[index]?.load(as: UInt.self) == 0 ? 0 : 1
        }
        TraceEncoder(space: space, limits: limits).arguments(function, arguments, sinks: sinks, instance: 1)
        var decoder = TraceDecoder(space.bytes(), sizes: Self.sizes)
        do throws(TraceError) {
            return try decoder.arguments(function)
        } catch {
            return nil
        }
    }

    private func stop(_ call: Recording.Call, _ difference: TraceDifference) {
        stop(
            call, difference.path, expected: text.text(difference.expected, Self.last(difference.path)),
            seen: text.text(difference.seen, Self.last(difference.path)))
    }

    /// The last name in a path, such as `status` in `results.status`; values are shown with it.
    private static func last(_ path: String) -> String {
        path.split(separator: ".").last.map { String($0.prefix { $0 != "[" }) } ?? path
    }

    private func stop(_ call: Recording.Call, _ place: String?, expected: String, seen: String) {
        guard !isOver.exchange(true, ordering: .relaxed) else { return }
        let difference = ReplayReport.Difference(
            method: (frames.first?.call ?? call).function.displayName, call: call.event.call,
            function: call.function.displayName, place: place, expected: expected, seen: seen)
        report.withLock { $0.difference = difference }
    }

    private func obstacle(_ call: Recording.Call, _ reason: String, _ hint: String?) {
        guard !isOver.exchange(true, ordering: .relaxed) else { return }
        let obstacle =
            "Cannot replay call \(call.event.call), \(call.function.displayName). \(reason)"
        report.withLock { ($0.obstacle, $0.hint) = (obstacle, hint) }
    }

    /// Ends the replay without a difference.
    private func note(_ sentence: String) {
        isOver.store(true, ordering: .relaxed)
        report.withLock { $0.notes.append(sentence) }
    }
}
