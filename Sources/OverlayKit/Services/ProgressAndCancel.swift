import OverlayABI
import OverlayBridge

/// The progress of the running method. [device thread] Without a progress service, nothing is reported.
///
/// ```swift
/// for book in 0..<12 { host.progress.report(book, of: 12, phase: "Reading books") }
/// ```
public struct ProgressService {
    private let table: ovl_progress_service

    /// Creates the service for a table of the host. The table need not contain all functions.
    package init(_ table: ovl_progress_service) { self.table = table }

    /// Reports that `completed` of `total` items (nil: unknown) are done in `phase`: a few words that begin with a
    /// capital letter, which the host displays unchanged.
    ///
    /// The number may decrease. The host displays the bytes of transfers without a report.
    public func report(_ completed: Int, of total: Int?, phase: String? = nil) {
        guard let report = table.report else { return }
        let done = UInt64(max(0, completed))
        let all = total.map { UInt64(max(0, $0)) } ?? .max
        guard let phase else {
            report(table.ctx, done, all, nil)
            return
        }
        let arena = Arena()
        var view = arena.text(phase)
        withExtendedLifetime(arena) { report(table.ctx, done, all, &view) }
    }
}

/// Cancellation and deadline of the running method.
///
/// Every blocking function of the transport observes both. An overlay needs to check them only during long work
/// without such functions.
///
/// ```swift
/// let answer = "/Documents/answer.xml"
/// while case .failure = try host.transport.stat(.documents, [answer])[0] {
///     try host.cancellation.wait(for: .milliseconds(200))
/// }
/// ```
public struct CancelService: @unchecked Sendable {
    // `@unchecked`: a constant copy of a table. Its functions, except `wait`, may be called from any thread.
    private let table: ovl_cancel_service

    /// Creates the service for a table of the host. The table need not contain all functions.
    package init(_ table: ovl_cancel_service) { self.table = table }

    /// Whether the running method was cancelled, has passed its deadline, or has lost its device. [any thread]
    public var isCancelled: Bool {
        guard let isCancelled = table.is_cancelled else { return false }
        return isCancelled(table.ctx) != 0
    }

    /// The time left for the running method; nil if there is no limit. [any thread]
    public var timeLeft: Duration? {
        guard let timeLeft = table.time_left else { return nil }
        let nanoseconds = timeLeft(table.ctx)
        return nanoseconds == .max ? nil : .nanoseconds(Int64(clamping: nanoseconds))
    }

    /// Waits for a time. Use this for polling. [device thread]
    ///
    /// - Throws: `cancelled`, `timedOut` or `deviceGone`, before the time is over.
    public func wait(for duration: Duration) throws(OverlayError) {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let nanoseconds = overflow ? Int64.max : whole.addingReportingOverflow(attoseconds / 1_000_000_000).0
        try ServiceCall.perform(table.wait, "cancel.wait") { wait, error in
            wait(table.ctx, UInt64(max(0, nanoseconds)), error)
        }
    }

    /// Throws an error if the running method was cancelled, has passed its deadline, or has lost its device. [device
    /// thread]
    ///
    /// - Throws: `cancelled`, `timedOut` or `deviceGone`.
    public func check() throws(OverlayError) {
        guard isCancelled else { return }
        // Only `wait` returns which of the three is the case.
        if table.wait != nil { try wait(for: .zero) }
        throw OverlayError(.cancelled, "The operation was cancelled.")
    }
}
