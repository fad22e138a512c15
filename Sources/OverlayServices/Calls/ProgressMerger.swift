import DeviceTransport
import Synchronization

/// Combines the overlay's progress in items and the transport's progress in bytes into one stream of updates.
package final class ProgressMerger: Sendable {
    /// The directions of transfers that move the books of the running command. Only these count as its bytes.
    package struct Counted: OptionSet, Sendable {
        package let rawValue: Int
        /// Creates a set from its bits.
        package init(rawValue: Int) { self.rawValue = rawValue }
        /// Local files that are sent to the device.
        package static let push = Counted(rawValue: 1)
        /// Files of the device that are copied to the host.
        package static let pull = Counted(rawValue: 2)
        /// Bytes that the overlay reads.
        package static let read = Counted(rawValue: 4)
    }

    private struct State {
        var update = ProgressUpdate(phase: "")
        var counted: Counted = []
        /// The bytes of completed transfers.
        var settled: UInt64 = 0
        /// The overlay's words, without the name of a file.
        var phase = ""
        /// The file whose bytes move; nil if only the overlay knows it.
        var file: String?
        /// Items that the overlay has reported.
        var reported: UInt64 = 0
        /// Files that were copied and that the overlay has not reported yet.
        var ahead: UInt64 = 0
        /// The number of items in earlier calls, and in all calls, for a command that consists of several calls.
        var earlier: (items: UInt64, total: UInt64?)?

        /// The number of bytes moved so far if a transfer that began after `base` has moved `bytes`, limited to the
        /// total.
        func clamped(_ bytes: UInt64, after base: UInt64) -> UInt64 {
            let sum = base.addingReportingOverflow(bytes)
            return min(sum.overflow ? .max : sum.partialValue, update.bytesTotal ?? .max)
        }

        /// Counts the bytes of a running transfer. The number does not decrease when a file is sent again.
        mutating func move(to bytes: UInt64, after base: UInt64) {
            update.bytesDone = max(update.bytesDone, clamped(bytes, after: base))
        }

        /// Counts the items that are done, never more than the total.
        mutating func countItems() {
            let done = reported &+ ahead &+ (earlier?.items ?? 0)
            update.itemsDone = ahead > 0 ? min(done, max(update.itemsTotal ?? .max, reported)) : done
        }

        /// Names the file after the overlay's words.
        mutating func describe() {
            guard let file, !phase.hasSuffix(": " + file) else { return update.phase = phase }
            update.phase = phase.isEmpty ? file : "\(phase): \(file)"
        }
    }

    private let state = Mutex(State())
    private let handler: (@Sendable (ProgressUpdate) -> Void)?

    /// Creates a merger that reports to `handler`.
    package init(_ handler: (@Sendable (ProgressUpdate) -> Void)?) { self.handler = handler }

    /// Starts a command.
    package func begin(
        _ phase: String, items: UInt64? = nil, bytes: UInt64? = nil, counting counted: Counted = []
    ) {
        emit { state in
            state = State(
                update: ProgressUpdate(phase: phase, itemsTotal: items, bytesTotal: bytes), counted: counted,
                phase: phase)
        }
    }

    /// Starts the next call of a command that consists of several calls. The totals remain those of the command.
    ///
    /// - Parameters:
    ///   - items: the number of items in the earlier calls.
    ///   - bytes: the number of bytes in the earlier calls, including items that were not moved.
    package func goOn(after items: UInt64, bytes: UInt64) {
        emit { state in
            state.earlier = (items, state.earlier?.total ?? state.update.itemsTotal)
            (state.reported, state.ahead) = (0, 0)
            state.update.itemsTotal = state.earlier?.total
            state.countItems()
            state.settled = bytes
            state.update.bytesDone = state.clamped(0, after: bytes)
        }
    }

    /// Updates the number of items from the overlay. If phase is nil, it does not change.
    package func items(_ done: UInt64, of total: UInt64?, phase: String?) {
        emit { state in
            state.ahead -= min(state.ahead, done > state.reported ? done - state.reported : 0)
            state.reported = done
            state.update.itemsTotal = state.earlier?.total ?? total
            state.countItems()
            guard let phase, phase != state.phase else { return }
            (state.phase, state.file) = (phase, nil)
            state.describe()
        }
    }

    /// Names the file that is copied next.
    func copying(_ file: String) {
        emit { state in
            state.file = Self.shortened(file)
            state.describe()
        }
    }

    /// Adds bytes that will be moved. The next report includes them.
    func expect(bytes: UInt64) {
        guard bytes > 0 else { return }
        state.withLock { state in
            let sum = (state.update.bytesTotal ?? 0).addingReportingOverflow(bytes)
            state.update.bytesTotal = sum.overflow ? .max : sum.partialValue
        }
    }

    /// The progress handler for a transfer; nil without a listener, or if the transfer does not count.
    func transfer(_ kind: Counted) -> (@Sendable (TransferProgress) -> Void)? {
        guard handler != nil else { return nil }
        // A short transfer, such as the renewal of a claim, may begin and end while a long one is running.
        let base = state.withLock { $0.counted.contains(kind) ? $0.settled : nil }
        guard let base else { return nil }
        return { [self] progress in
            emit { $0.move(to: progress.bytes, after: base) }
        }
    }

    /// The progress handler for a copy of several files, which names the file whose bytes move and counts copied
    /// files; nil without a listener, or if the transfer does not count.
    ///
    /// - Parameters:
    ///   - kind: the direction.
    ///   - files: the paths of the files, in order.
    func transfer(_ kind: Counted, of files: [String]) -> (@Sendable (TransferProgress) -> Void)? {
        guard handler != nil else { return nil }
        let start = state.withLock { state in
            state.counted.contains(kind) ? (ahead: state.ahead, bytes: state.settled) : nil
        }
        guard let start else { return nil }
        return { [self] progress in
            emit { state in
                state.move(to: progress.bytes, after: start.bytes)
                if let place = progress.item, files.indices.contains(place) {
                    state.file = Self.shortened(files[place])
                    state.describe()
                }
                // After a single file, the overlay reports that the file is done.
                guard files.count > 1 else { return }
                state.ahead = start.ahead &+ UInt64(clamping: progress.items)
                state.countItems()
            }
        }
    }

    /// The name of a file, cut off if it is long.
    private static func shortened(_ path: String) -> String { String(path.pathName.prefix(60)) }

    /// Ends a transfer and keeps its number of bytes.
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

/// The progress of a command: the overlay's progress in items and the transport's progress in bytes.
///
/// ```swift
/// func showProgress(_ request: inout SessionRequest) {
///     request.progress = { update in
///         print(update.phase, update.itemsDone, update.itemsTotal.map { "of \($0)" } ?? "")
///     }
/// }
/// ```
public struct ProgressUpdate: Sendable, Equatable {
    /// A short description of the current step, which begins with a capital letter.
    public var phase: String
    /// The number of completed items.
    public var itemsDone: UInt64
    /// The total number of items; nil if unknown.
    public var itemsTotal: UInt64?
    /// The number of bytes of books that were moved and acknowledged.
    public var bytesDone: UInt64
    /// The total number of bytes of books to move; nil if unknown.
    public var bytesTotal: UInt64?

    /// Creates an update.
    public init(
        phase: String, itemsDone: UInt64 = 0, itemsTotal: UInt64? = nil, bytesDone: UInt64 = 0,
        bytesTotal: UInt64? = nil
    ) {
        self.phase = phase
        self.itemsDone = itemsDone
        self.itemsTotal = itemsTotal
        self.bytesDone = bytesDone
        self.bytesTotal = bytesTotal
    }
}
