import Platform
import Libraries
import OverlayBridge

extension HostSession {
    /// Lets the overlay sync a folder and the app in both directions.
    ///
    /// - Throws: errors that occur before anything is known to be changed.
    func syncByOverlay(_ folder: String, _ request: SyncRequest) throws(HostError) -> SyncResult {
        guard request.search.isEmpty else {
            throw HostError(
                .usage, "--search requires a calibre library.", subject: folder,
                hint: "Leave out --search, or give the folder of a calibre library.", hintCode: .leaveOut)
        }
        guard request.prefers == nil else {
            throw HostError(
                .notSupported,
                "\(app.name) is synced both ways, and its overlay decides conflicts by its own rules.",
                subject: "prefer", hint: "Leave out --prefer.", hintCode: .leaveOut)
        }
        guard request.mostRemovals == nil else {
            throw HostError(
                .notSupported,
                "\(app.name) is synced both ways, and its overlay limits deletions by its own rules.",
                subject: "max-delete", hint: "Leave out --max-delete.", hintCode: .leaveOut)
        }
        let source = try GrantedFolder(folder, trash: self.request.paths.trash)
        if !request.isDryRun {
            let cancellation = self.request.cancellation
            try source.lock {
                self.request.notice?("Waiting for another sync of this folder to finish.")
            } isCancelled: {
                cancellation.isCancelled
            }
        }
        link.progress.begin("Syncing", counting: [.push, .pull])
        let options = SourceSyncOptions(
            isDryRun: request.isDryRun, deletes: request.deletes,
            isForced: request.mayLoseMarks || request.isComparison,
            listsOthers: request.listsOthers, wanted: request.wanted)
        let sync = link.instance.syncSource(source, state: self.request.paths.state, options)
        forgetBooks()
        if let failure = sync.failure {
            let error = settled(failure)
            guard sync.results.contains(where: { $0 != nil }) else { throw error }
            return SyncResult(
                source: folder, plan: sync.plan,
                results: BatchResult(rows: Self.rows(of: sync, error), failure: error), isTwoWay: true)
        }
        return SyncResult(
            source: folder, plan: sync.plan,
            results: request.isDryRun ? nil : BatchResult(rows: Self.rows(of: sync, nil)), isTwoWay: true)
    }

    /// The rows of the planned changes, in the order of the plan.
    private static func rows(of sync: OverlaySync, _ failure: HostError?) -> [ItemRow] {
        zip(sync.plan, sync.results).compactMap { planned, result in
            let item = planned.item ?? planned.path ?? ""
            if let result {
                var row = ItemRow(item, result)
                row.path = row.path ?? planned.path
                return row
            }
            guard planned.action.hasResult else { return nil }
            let error = failure ?? HostError(.failed, "No result was reported.")
            return unreported(item, error, again: "Run the same command again to finish.")
        }
    }
}
