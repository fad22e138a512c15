import Platform
import OverlayABI
import OverlayHost

/// The user cancels at a progress report or service call of a method.
struct CancellingScenario {
    private let base: FaultScenario

    init(_ bench: CheckEnvironment) {
        base = FaultScenario(bench: bench, scenario: .cancelling, crash: RuleCatalog.cancelCrash)
    }

    private var bench: CheckEnvironment { base.bench }

    func run() throws(HostError) {
        for work in FaultedWork.all(bench, try base.somePath()) { try run(work) }
    }

    private func run(_ work: FaultedWork) throws(HostError) {
        let (files, paths) = (bench.files(), try base.paths())
        var points = 0
        let whole = try base.attached { trial -> FaultedWork.WorkOutcome? in
            let workOutcome = work.run(trial)
            points = trial.watch.points
            return trial.isSound ? workOutcome : nil
        }
        if work.method == .uploadBooks { try base.restore(files, paths) }
        guard let whole, whole.error == nil, whole.failures.isEmpty else { return }
        for point in FaultPoints.chosen(of: points, most: bench.options.faultPoints) {
            let isUsable: Bool? = try base.attached { trial in
                let before = bench.files()
                trial.watch.order { $0.cancelsAt = point }
                let workOutcome = work.run(trial)
                trial.watch.order { $0.cancelsAt = nil }
                guard let workOutcome else { return false }
                let place = "call or report \(point) of \(points)"
                judge(trial, work, workOutcome, whole, place)
                if work.method == .uploadBooks {
                    Leftovers(bench).judge(
                        trial, workOutcome, before, RuleCatalog.cancelLeftovers,
                        "It was cancelled at \(place)")
                }
                return trial.isSound
            }
            if work.method == .uploadBooks { try base.restore(files, paths) }
            guard isUsable == true else { return }
        }
    }

    private func judge(
        _ trial: Trial, _ work: FaultedWork, _ workOutcome: FaultedWork.WorkOutcome,
        _ whole: FaultedWork.WorkOutcome,
        _ place: String
    ) {
        guard trial.cancellation.isCancelled else { return }
        trial.tries(RuleCatalog.cancelStatus, RuleCatalog.cancelCrash, RuleCatalog.cancelHeard)
        let status = trial.watch.status
        let name = work.method.rawValue
        if status == OVL_OK {
            if let code = workOutcome.failures.first(where: { $0 != .cancelled }) {
                trial.expect(
                    false, RuleCatalog.cancelStatus,
                    "\(name) was cancelled at \(place), and a row failed with \(code).")
            }
            // If a sink has asked to stop, success means only that some of the work was done.
            let isWhole =
                workOutcome.error != nil
                || workOutcome.amount + UInt64(workOutcome.failures.count) >= whole.amount
            trial.expect(
                isWhole, RuleCatalog.cancelStatus,
                "\(name) was cancelled at \(place) and succeeded with \(workOutcome.amount) instead of \(whole.amount)."
            )
            return
        }
        trial.expect(
            status == OVL_CANCELLED || status == OVL_STOPPED, RuleCatalog.cancelStatus,
            "\(name) was cancelled at \(place) and returned \(HostError.Code(status: status)).")
    }
}
