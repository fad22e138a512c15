import OverlayABI

/// Progress of the running method. [device thread] Without a progress service nothing is reported.
public struct ProgressService {
    private let table: ovl_progress_service

    /// The service behind a table of the host, whose functions may be missing.
    package init(_ table: ovl_progress_service) { self.table = table }

    /// Reports `completed` of `total` items (nil: nobody knows), doing `phase`.
    ///
    /// May go backwards. The host shows the bytes of transfers by itself.
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
