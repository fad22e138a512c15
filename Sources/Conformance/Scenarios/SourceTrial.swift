import OverlayBridge
import OverlayHost

/// A folder that the overlay syncs in both directions: as a dry run, then for real, then once more.
struct SourceTrial {
    private let trial: Trial

    private typealias Rules = RuleCatalog

    init(_ trial: Trial) { self.trial = trial }

    func run() {
        guard trial.instance.syncsSource else { return }
        let source = trial.value("a folder to sync") { () throws(HostError) in try trial.bench.source()
        }
        guard let source, sync(source, "sync_source as a dry run", isDryRun: true) != nil else { return }
        trial.tries(Rules.sourceDryRun, Rules.sourcePlan, Rules.sourceOrder)
        guard sync(source, "sync_source") != nil, let again = sync(source, "sync_source once more") else {
            return
        }
        let busy = again.plan.first { ![.keep, .onlyOnDevice, .conflict].contains($0.action) }
        trial.expect(
            busy == nil, Rules.sourceSettled,
            "The second sync has a row \(busy?.action.rawValue ?? "") for \(busy?.item ?? busy?.path ?? "").")
    }

    private func sync(_ source: GrantedFolder, _ what: String, isDryRun: Bool = false) -> OverlaySync? {
        return trial.value(what) { () throws(HostError) in
            let sync = trial.instance.syncSource(
                source, state: trial.bench.states, SourceSyncOptions(isDryRun: isDryRun))
            if let failure = sync.failure { throw failure }
            return sync
        }
    }
}
