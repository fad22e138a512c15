/// Tracks the progress of an operation. Used by the thread that runs it.
final class ProgressMeter {
    private let report: (@Sendable (TransferProgress) -> Void)?
    private var reported: TransferProgress?
    private var current: TransferProgress
    /// The acknowledged progress at the last report.
    private var acknowledged: TransferProgress?
    private var next = ContinuousClock.now.advanced(by: pace)

    init(_ context: OperationContext, items: Int) {
        report = context.progress
        current = TransferProgress(bytes: 0, totalBytes: nil, items: 0, totalItems: items)
    }

    /// Adds content bytes that were moved and acknowledged. The count is negative when an item begins again.
    func moved(_ count: Int, of item: Int) {
        if count > 0 { current.item = item }
        current.bytes = UInt64(clamping: Int64(clamping: current.bytes) + Int64(count))
    }

    /// Adds content bytes that will be moved, as sizes become known. The count is negative if there will be fewer.
    func expects(_ count: Int64) {
        let (sum, overflow) = Int64(clamping: current.totalBytes ?? 0).addingReportingOverflow(count)
        // A device may announce any size, so the total is clamped.
        current.totalBytes = overflow ? UInt64(Int64.max) : UInt64(clamping: sum)
    }

    func itemDone() { current.items += 1 }

    /// Reports to the receiver if anything has changed.
    ///
    /// - Parameter underWay: the number of bytes in requests that were not acknowledged yet. They show that a slow
    ///   transfer is still moving. If only they have changed, there are at most ten reports a second.
    func notify(underWay: Int = 0) {
        guard let report else { return }
        var shown = current
        shown.bytes += UInt64(clamping: underWay)
        if let total = shown.totalBytes { shown.bytes = min(shown.bytes, max(total, current.bytes)) }
        guard shown != reported else { return }
        let now = ContinuousClock.now
        let isAcknowledged = acknowledged != current
        guard isAcknowledged || now >= next else { return }
        (reported, acknowledged, next) = (shown, current, now.advanced(by: Self.pace))
        report(shown)
    }

    /// The shortest time between two reports of unacknowledged bytes.
    private static let pace = Duration.milliseconds(100)
}
