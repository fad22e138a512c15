import CSystemShims
import Glibc
import OverlayABI
import OverlayCalls
import Platform
import Synchronization

/// Records the calls between host and overlays. Any thread.
///
/// Each record is complete before its call is made, and nothing is buffered: after a crash, the last record is that
/// of the call that crashed.
package final class TraceRecorder: Sendable {
    /// An overlay in a recording.
    package struct Overlay: Sendable, Equatable {
        /// Its number in the recording, from 1.
        package var number: UInt32
        /// Its id, from the descriptor.
        package var id: String
        package var name: String
        package var version: String
        /// The path of its file.
        package var file: String
        /// Where it runs: `worker` or `in-process`.
        package var isolation: String
        /// The minor version of the contract that it was built with.
        package var minor: UInt32

        /// Creates the record of an overlay.
        package init(
            number: UInt32, id: String, name: String, version: String, file: String, isolation: String,
            minor: UInt32
        ) {
            self.number = number
            self.id = id
            self.name = name
            self.version = version
            self.file = file
            self.isolation = isolation
            self.minor = minor
        }
    }

    /// An unexpected end of an overlay.
    package struct Breakdown: Sendable, Equatable {
        /// What happened, as the end of a sentence about the overlay, such as `crashed with SIGSEGV, …`.
        package var clause: String
        /// The last service that it called; empty if there was none in this call.
        package var lastService: String
        /// The last text that it printed; empty if there is none.
        package var words: String

        /// Creates a breakdown with these values.
        package init(clause: String, lastService: String, words: String) {
            self.clause = clause
            self.lastService = lastService
            self.words = words
        }
    }

    /// How a recording ended, as stored in its last record.
    enum End: UInt32 {
        case closed = 0
        case diskFull = 1
    }

    private struct State: Sendable {
        var threads: [UInt] = []
        var isEnded = false
        var notesCrashes = false
    }

    private let space: RecordBuffer
    private let limits: TraceLimits
    private let began = SystemClock.monotonic
    private let state = Mutex(State())
    /// Receives each record when it is written; the space is then reused. Nil keeps the records.
    private let take: (@Sendable (UnsafeRawBufferPointer) -> Void)?
    /// Called once with the system's reason if recording stops because the file cannot grow.
    private let stopped: (@Sendable (String) -> Void)?

    /// Records into a file, replacing an earlier recording with its name.
    ///
    /// - Parameters:
    ///   - host: the name and version of this program.
    ///   - stopped: called once, on any thread, if the file cannot grow; the program continues without recording.
    package convenience init(
        path: String, host: String, limits: TraceLimits = .usual,
        stopped: (@Sendable (String) -> Void)? = nil
    ) throws(TraceError) {
        try self.init(file: try TraceFile(path: path), host: host, limits: limits, stopped: stopped)
    }

    init(
        file: TraceFile, host: String, limits: TraceLimits, stopped: (@Sendable (String) -> Void)?
    ) throws(TraceError) {
        space = file
        self.limits = limits
        self.stopped = stopped
        take = nil
        writeHeader(host)
        guard !file.isFull else {
            throw TraceError.notCreated(file.problem)
        }
    }

    /// Passes each record to `take`, on the thread of the call, one at a time.
    package init(limits: TraceLimits, take: @escaping @Sendable (UnsafeRawBufferPointer) -> Void) {
        space = MemorySpace()
        self.limits = limits
        self.take = take
        stopped = nil
    }

    deinit { close() }

    // MARK: the file

    private func writeHeader(_ host: String) {
        let encoder = TraceEncoder(space: space, limits: .usual)
        TraceFormat.mark.withUnsafeBytes { bytes in
            if let base = bytes.baseAddress { encoder.bytes(base, bytes.count) }
        }
        encoder.word32(TraceFormat.version)
        encoder.word32(0)
        encoder.word32(OVL_ABI_MAJOR)
        encoder.word32(OVL_ABI_MINOR)
        encoder.word64(TraceFormat.identity)
        encoder.word64(SystemClock.wall)
        encoder.word64(limits.bytes)
        let records = ContractPlans.shared.records
        encoder.word32(UInt32(records.count))
        encoder.word32(0)
        encoder.text(host)
        for record in records {
            encoder.text(record.name)
            encoder.word32(UInt32(record.size))
            encoder.word32(UInt32(record.functions.count))
            for function in record.functions { encoder.text(function?.name ?? "") }
        }
        encoder.align()
        guard !space.isFull else { return }
        (space.base + 12).storeBytes(of: UInt32(space.count).littleEndian, as: UInt32.self)
    }

    /// From now on, if this program crashes before the recording ends, records the signal.
    package func noteCrashes() {
        state.withLock { state in
            guard !state.isEnded, space is TraceFile else { return }
            state.notesCrashes = true
            shim_note_crash((space.base + TraceFormat.signalPlace).assumingMemoryBound(to: UInt32.self))
        }
    }

    /// Ends the recording; later calls are not recorded.
    package func close() {
        state.withLock { state in
            guard !state.isEnded else { return }
            if state.notesCrashes { shim_note_crash(nil) }
            state.isEnded = true
            end(.closed)
        }
    }

    private func end(_ reason: End) {
        guard let file = space as? TraceFile else { return }
        let encoder = TraceEncoder(space: file, limits: limits)
        file.releaseLastRecord()
        let start = begin(
            .end, flags: 0, thread: 0, call: 0, target: 0, record: 0, function: 0, extra: 0)
        encoder.word32(reason.rawValue)
        finish(start, encoder)
        file.finish()
    }

    // MARK: records

    /// Records that an overlay participates from now on.
    package func overlay(_ overlay: Overlay) {
        write(.overlay, flags: 0, call: 0, target: overlay.number, record: 0, function: 0, extra: 0) {
            $0.text(overlay.id)
            $0.text(overlay.name)
            $0.text(overlay.version)
            $0.text(overlay.file)
            $0.text(overlay.isolation)
            $0.word32(overlay.minor)
        }
    }

    /// The properties of a call besides its values.
    struct Call {
        var number: UInt32
        var isFromOverlay: Bool
        /// The number of the instance or sink.
        var target: UInt32
        /// The number of the overlay, for `create`.
        var overlay: UInt32 = 0
    }

    /// Records a call that is about to be made.
    func call(
        _ call: Call, _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        sinks: UnsafePointer<UInt32>, instance: UInt32
    ) {
        write(
            .call, flags: call.isFromOverlay ? TraceFormat.fromOverlay : 0, call: call.number,
            target: call.target, record: UInt16(function.record.index), function: UInt16(function.index),
            extra: call.overlay
        ) { $0.arguments(function, arguments, sinks: sinks, instance: instance) }
    }

    /// Records that a call has returned.
    func answer(
        _ call: Call, _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeRawPointer, instance: UInt32
    ) {
        write(
            .answer, flags: call.isFromOverlay ? TraceFormat.fromOverlay : 0, call: call.number,
            target: call.target, record: UInt16(function.record.index), function: UInt16(function.index),
            extra: call.overlay
        ) { $0.results(function, arguments, result, instance: instance) }
    }

    /// Records that the overlay ended during a method, which then returns as if it had failed.
    func breakdown(_ breakdown: Breakdown, in function: FunctionPlan, instance: UInt32) {
        write(
            .breakdown, flags: 0, call: 0, target: instance, record: UInt16(function.record.index),
            function: UInt16(function.index), extra: 0
        ) {
            $0.text(breakdown.clause)
            $0.text(breakdown.lastService)
            $0.text(breakdown.words)
        }
    }

    @inline(__always)
    private func write(
        _ kind: TraceFormat.Kind, flags: UInt8, call: UInt32, target: UInt32, record: UInt16,
        function: UInt16, extra: UInt32, _ body: (TraceEncoder) -> Void
    ) {
        let problem = state.withLock { state -> Int32? in
            guard !state.isEnded else { return nil }
            let encoder = TraceEncoder(space: space, limits: limits)
            let start = begin(
                kind, flags: flags, thread: thread(&state), call: call, target: target, record: record,
                function: function, extra: extra)
            body(encoder)
            finish(start, encoder)
            if let take {
                if !space.isFull { take(UnsafeRawBufferPointer(start: space.base, count: space.count)) }
                space.isFull = false
                space.count = 0
                return nil
            }
            guard space.isFull else { return nil }
            // A half-written record is discarded.
            space.count = start
            state.isEnded = true
            if state.notesCrashes { shim_note_crash(nil) }
            let problem = (space as? TraceFile)?.problem ?? EFBIG
            end(.diskFull)
            return problem
        }
        if let problem { stopped?(systemText(problem)) }
    }

    /// Begins a record, which is marked as unfinished until `finish`.
    @inline(__always)
    private func begin(
        _ kind: TraceFormat.Kind, flags: UInt8, thread: UInt16, call: UInt32, target: UInt32,
        record: UInt16, function: UInt16, extra: UInt32
    ) -> Int {
        let start = space.count
        guard space.has(TraceFormat.recordSize) else { return start }
        let place = space.base + start
        place.storeBytes(of: TraceFormat.unfinished, as: UInt32.self)
        place.storeBytes(of: kind.rawValue, toByteOffset: 4, as: UInt8.self)
        place.storeBytes(of: flags, toByteOffset: 5, as: UInt8.self)
        place.storeBytes(of: thread.littleEndian, toByteOffset: 6, as: UInt16.self)
        place.storeBytes(of: (SystemClock.monotonic &- began).littleEndian, toByteOffset: 8, as: UInt64.self)
        place.storeBytes(of: call.littleEndian, toByteOffset: 16, as: UInt32.self)
        place.storeBytes(of: target.littleEndian, toByteOffset: 20, as: UInt32.self)
        place.storeBytes(of: record.littleEndian, toByteOffset: 24, as: UInt16.self)
        place.storeBytes(of: function.littleEndian, toByteOffset: 26, as: UInt16.self)
        place.storeBytes(of: extra.littleEndian, toByteOffset: 28, as: UInt32.self)
        space.count = start + TraceFormat.recordSize
        return start
    }

    @inline(__always)
    private func finish(_ start: Int, _ encoder: TraceEncoder) {
        encoder.align()
        guard !space.isFull else { return }
        let length = space.count - start
        // A record of 4 GiB does not fit the format; it stays unfinished, and the recording ends there.
        guard length < Int(TraceFormat.unfinished) else {
            space.isFull = true
            return
        }
        (space.base + start).storeBytes(of: UInt32(length).littleEndian, as: UInt32.self)
    }

    @inline(__always)
    private func thread(_ state: inout State) -> UInt16 {
        let own = UInt(pthread_self())
        if let place = state.threads.firstIndex(of: own) { return UInt16(truncatingIfNeeded: place + 1) }
        state.threads.append(own)
        return UInt16(truncatingIfNeeded: state.threads.count)
    }
}
