import DeviceTransport
import Synchronization

/// Joins what the overlay says about items and what the transport counts in bytes into one stream of updates.
package final class ProgressMerger: Sendable {
    /// Which transfers move the books of the running command; only these count as its bytes.
    package struct Counted: OptionSet, Sendable {
        package let rawValue: Int
        /// Directions by their bits.
        package init(rawValue: Int) { self.rawValue = rawValue }
        /// Local files that go to the device.
        package static let push = Counted(rawValue: 1)
        /// Files of the device that come to this computer.
        package static let pull = Counted(rawValue: 2)
        /// Bytes that the overlay reads.
        package static let read = Counted(rawValue: 4)
    }

    private struct State {
        var update = ProgressUpdate(phase: "")
        var counted: Counted = []
        /// Bytes of transfers that have ended.
        var settled: UInt64 = 0
        /// Items of the calls before, and those of all calls, where a command is made of several.
        var earlier: (items: UInt64, total: UInt64?)?

        /// All bytes moved when the running transfer has moved `bytes`, never more than the total.
        func clamped(_ bytes: UInt64) -> UInt64 {
            let sum = settled.addingReportingOverflow(bytes)
            return min(sum.overflow ? .max : sum.partialValue, update.bytesTotal ?? .max)
        }
    }

    private let state = Mutex(State())
    private let handler: (@Sendable (ProgressUpdate) -> Void)?

    /// A merger that reports to `handler`, if there is one.
    package init(_ handler: (@Sendable (ProgressUpdate) -> Void)?) { self.handler = handler }

    /// Begins a command.
    package func begin(
        _ phase: String, items: UInt64? = nil, bytes: UInt64? = nil, counting counted: Counted = []
    ) {
        emit { state in
            state = State(
                update: ProgressUpdate(phase: phase, itemsTotal: items, bytesTotal: bytes), counted: counted)
        }
    }

    /// Begins the next call of a command that is made of several: the totals stay those of the command.
    ///
    /// - Parameters:
    ///   - items: items of the calls before.
    ///   - bytes: bytes of the calls before, also of items that were not moved.
    package func goOn(after items: UInt64, bytes: UInt64) {
        emit { state in
            state.earlier = (items, state.earlier?.total ?? state.update.itemsTotal)
            state.update.itemsDone = items
            state.update.itemsTotal = state.earlier?.total
            state.settled = bytes
            state.update.bytesDone = state.clamped(0)
        }
    }

    /// Takes the overlay's progress in items; a nil phase keeps the last one.
    package func items(_ done: UInt64, of total: UInt64?, phase: String?) {
        emit { state in
            state.update.itemsDone = done &+ (state.earlier?.items ?? 0)
            state.update.itemsTotal = state.earlier?.total ?? total
            if let phase { state.update.phase = phase }
        }
    }

    /// Counts bytes that are to be moved; the next report says so.
    func expect(bytes: UInt64) {
        guard bytes > 0 else { return }
        state.withLock { state in
            let sum = (state.update.bytesTotal ?? 0).addingReportingOverflow(bytes)
            state.update.bytesTotal = sum.overflow ? .max : sum.partialValue
        }
    }

    /// What a transfer reports to; nil without a listener, or if it does not count.
    func transfer(_ kind: Counted) -> (@Sendable (TransferProgress) -> Void)? {
        guard handler != nil, state.withLock({ $0.counted.contains(kind) }) else { return nil }
        return { [self] progress in
            emit { $0.update.bytesDone = $0.clamped(progress.bytes) }
        }
    }

    /// Ends a transfer: what it moved stays counted.
    func settle() {
        state.withLock { $0.settled = $0.update.bytesDone }
    }

    private func emit(_ change: (inout State) -> Void) {
        let update = state.withLock { state in
            change(&state)
            return state.update
        }
        handler?(update)
    }
}
