import OverlayABI
import OverlayBridge

/// Progress of the running method. [device thread] Without a progress service nothing is reported.
///
///     for book in 0..<12 { host.progress.report(book, of: 12, phase: "Reading books") }
public struct ProgressService {
    private let table: ovl_progress_service

    /// The service that a table of the host provides. Functions may be missing in it.
    package init(_ table: ovl_progress_service) { self.table = table }

    /// Reports `completed` of `total` items (nil: unknown), doing `phase`: a few words that start with a capital, which the
    /// host shows as they are.
    ///
    /// May go backwards. The host shows the bytes of transfers without a report.
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

/// Cancel and deadline of the running method.
///
/// Every blocking function of the transport honours both; an overlay needs to ask only during its own long work.
///
///     let answer = "/Documents/answer.xml"
///     while case .failure = try host.transport.stat(.documents, [answer])[0] {
///         try host.cancellation.wait(for: .milliseconds(200))
///     }
public struct CancelService: @unchecked Sendable {
    // `@unchecked`: a constant copy of a table; its functions but `wait` may be called from any thread.
    private let table: ovl_cancel_service

    /// The service that a table of the host provides. Functions may be missing in it.
    package init(_ table: ovl_cancel_service) { self.table = table }

    /// Whether the running method is cancelled, past its deadline, or its device gone. [any thread]
    public var isCancelled: Bool {
        guard let isCancelled = table.is_cancelled else { return false }
        return isCancelled(table.ctx) != 0
    }

    /// Time left for the running method; nil: no limit. [any thread]
    public var timeLeft: Duration? {
        guard let timeLeft = table.time_left else { return nil }
        let nanoseconds = timeLeft(table.ctx)
        return nanoseconds == .max ? nil : .nanoseconds(Int64(clamping: nanoseconds))
    }

    /// Waits for a time; use it to poll. [device thread]
    ///
    /// - Throws: early, with `cancelled`, `timedOut` or `deviceGone`.
    public func wait(for duration: Duration) throws(OverlayError) {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let nanoseconds = overflow ? Int64.max : whole.addingReportingOverflow(attoseconds / 1_000_000_000).0
        try ServiceCall.perform(table.wait, "cancel.wait") { wait, error in
            wait(table.ctx, UInt64(max(0, nanoseconds)), error)
        }
    }

    /// Throws if the running method is cancelled, past its deadline, or its device gone. [device thread]
    ///
    /// - Throws: `cancelled`, `timedOut` or `deviceGone`.
    public func check() throws(OverlayError) {
        guard isCancelled else { return }
        // Only waiting tells which of the three it is.
        if table.wait != nil { try wait(for: .zero) }
        throw OverlayError(.cancelled, "The operation was cancelled.")
    }
}
