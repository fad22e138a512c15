import HostContract
import HostErrors
import Libraries
import OverlayABI

/// How an overlay is to sync a folder both ways.
package struct SourceSyncWish: Sendable {
    /// Only plan.
    package var isDryRun: Bool
    /// Whether deletions travel.
    package var deletes: Bool
    /// Whether the person has agreed to what would otherwise be refused.
    package var isForced: Bool
    /// Whether what only the device has is listed.
    package var listsOthers: Bool
    /// What the person wants now.
    package var wanted: [String]

    /// A wish; everything is to be said.
    package init(isDryRun: Bool, deletes: Bool, isForced: Bool, listsOthers: Bool, wanted: [String]) {
        (self.isDryRun, self.deletes, self.isForced) = (isDryRun, deletes, isForced)
        (self.listsOthers, self.wanted) = (listsOthers, wanted)
    }

    fileprivate var flags: UInt32 {
        (isDryRun ? OVL_SYNC_DRY_RUN : 0) | (deletes ? OVL_SYNC_DELETES : 0)
            | (isForced ? OVL_SYNC_FORCED : 0) | (listsOthers ? OVL_SYNC_LISTS_OTHERS : 0)
    }
}

/// The result of a sync by an overlay that syncs both ways.
package struct OverlaySync: Sendable {
    /// The plan.
    package var plan: [SyncPlanRow]
    /// What was reported for each row of the plan; nil where nothing was.
    package var results: [OverlayRow?]
    /// Why the method as a whole failed.
    package var failure: HostError?
}

extension OverlayInstance {
    /// Whether the overlay syncs folders both ways.
    package var syncsSource: Bool { overlay.implements(.syncSource) }

    /// Lets the overlay sync a folder and the app both ways.
    ///
    /// - Parameters:
    ///   - folder: the folder that is lent.
    ///   - state: the host's folder for states.
    ///   - wish: what the person wants.
    ///   - reported: called with each row of the plan and its result, on the device thread.
    package func syncSource(
        _ folder: GrantedFolder, state: String, _ wish: SourceSyncWish,
        reported: ((SyncPlanRow, OverlayRow) -> Void)? = nil
    ) -> OverlaySync {
        guard overlay.implements(.syncSource) else {
            return OverlaySync(plan: [], results: [], failure: notImplemented(.syncSource))
        }
        let frame = CallFrame(.syncSource)
        var plan: PlanCollector?
        let results = RowCollector(.syncSource, count: 0) { place, row in
            if let planned = plan?.rows[place] { reported?(planned, row) }
        }
        let progress = context.environment.progress
        let collector = PlanCollector(results) { row in
            if !wish.isDryRun { progress.expect(bytes: row.bytes) }
        }
        plan = collector
        frame.rows = results
        frame.plan = collector
        let (udid, app) = (
            context.environment.roots.device.device.udid, context.environment.roots.app.bundleID
        )
        let begun = GrantedPath.begun(of: udid, app)
        frame.source = GrantedSource(
            folder,
            state: OverlayStorage(
                state: state, overlay: name, udid: udid, appID: app, source: folder.path),
            isDryRun: wish.isDryRun, begunPrefix: begun)
        let outcome = perform(.syncSource, frame) { call, memory in
            var options = ovl_sync_options.sized()
            options.flags = wish.flags
            options.wanted = memory.texts(wish.wanted)
            call.add(pointerTo: options)
            call.add(pointerTo: sinks.plan)
            call.add(pointerTo: sinks.result)
        } check: { () throws(ContractBreach) in
            try collector.checkComplete(isDryRun: wish.isDryRun)
        }
        plan = nil
        // A file that was begun and did not come in this run is not wanted any more.
        if outcome.error == nil, !wish.isDryRun { folder.removeBegun(begun) }
        return OverlaySync(plan: collector.rows, results: results.rows, failure: outcome.error)
    }
}
