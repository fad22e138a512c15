import OverlayCalls
import HostContent
import DeviceTransport
import HostContract
import HostErrors
import Libraries
import OverlayBridge

/// The result of a sync by an overlay that syncs in both directions.
package struct OverlaySync: Sendable {
    /// The plan.
    package var plan: [SyncPlanRow]
    /// The results for the rows of the plan; nil for a row without a result.
    package var results: [OverlayRow?]
    /// The error of the complete method.
    package var failure: HostError?
}

extension OverlayInstance {
    /// Whether the overlay syncs folders in both directions.
    package var syncsSource: Bool { overlay.implements(.syncSource) }

    /// Lets the overlay sync a folder and the app in both directions.
    ///
    /// - Parameters:
    ///   - folder: the granted folder.
    ///   - state: the host's folder for states.
    ///   - options: the user's options.
    ///   - reported: called with each row of the plan and its result, on the device thread.
    package func syncSource(
        _ folder: GrantedFolder, state: String, _ options: SourceSyncOptions,
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
            if !options.isDryRun { progress.expect(bytes: row.bytes) }
        }
        plan = collector
        frame.rows = results
        frame.plan = collector
        let (udid, app) = (
            context.environment.roots.device.device.udid, context.environment.roots.app.bundleID
        )
        let prefix = GrantedPath.partialPrefix(of: udid, app)
        frame.source = GrantedSource(
            folder,
            state: OverlayStorage(
                state: state, overlay: name, udid: udid, appID: app, source: folder.path),
            isDryRun: options.isDryRun, partialPrefix: prefix)
        let outcome = perform(.syncSource, frame) { call, memory in
            call.add(pointerTo: options.record(in: memory))
            call.add(pointerTo: sinks.plan)
            call.add(pointerTo: sinks.result)
        } check: { () throws(ContractBreach) in
            try collector.checkComplete(isDryRun: options.isDryRun)
        }
        plan = nil
        // Remove unfinished files that were not completed in this run, because they are no longer wanted.
        if outcome.error == nil, !options.isDryRun { folder.removePartialFiles(prefix) }
        return OverlaySync(plan: collector.rows, results: results.rows, failure: outcome.error)
    }
}
