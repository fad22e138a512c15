import OverlayABI
import OverlayHost

/// The device vanishes at one of the requests that a method causes.
struct VanishingScenario {
    private let base: FaultScenario

    init(_ bench: CheckBench) {
        base = FaultScenario(bench: bench, scenario: .vanishing, crash: RuleCatalog.vanishCrash)
    }

    private var bench: CheckBench { base.bench }

    func run() throws(HostError) {
        for work in FaultedWork.all(bench, try base.somePath()) + FaultedWork.changing(bench) {
            try run(work)
        }
    }

    private func run(_ work: FaultedWork) throws(HostError) {
        let (files, paths) = (bench.files(), try base.paths())
        var requests = 0
        let whole = try base.attached { trial -> FaultedWork.Yield? in
            guard work.prepare(trial) else { return nil }
            bench.faults.arm()
            let yield = work.run(trial)
            requests = bench.faults.requests
            return trial.isSound ? yield : nil
        }
        if work.changesBooks { try base.restore(files, paths) }
        guard let whole, whole.error == nil, whole.failures.isEmpty else { return }
        for point in FaultPoints.chosen(of: requests, most: bench.options.faultPoints) {
            let isUsable: Bool? = try base.attached { trial in
                guard work.prepare(trial) else { return false }
                bench.faults.arm(vanishesAt: point)
                let yield = work.run(trial)
                if let yield { judge(trial, work, yield, whole, "request \(point) of \(requests)") }
                _ = trial.note(.yanked)
                bench.faults.disarm()
                trial.cleanUp()
                return trial.isSound
            }
            if work.changesBooks { try base.restore(files, paths) }
            // One finding tells enough.
            guard isUsable == true else { return }
        }
    }

    private func judge(
        _ trial: Trial, _ work: FaultedWork, _ yield: FaultedWork.Yield, _ whole: FaultedWork.Yield,
        _ place: String
    ) {
        guard bench.faults.isGone else { return }
        trial.tries(RuleCatalog.vanishStatus, RuleCatalog.vanishCrash)
        let status = trial.watch.status
        let name = work.method.rawValue
        if let code = yield.failures.first(where: { $0 != .deviceGone && $0 != .cancelled }) {
            trial.expect(
                false, RuleCatalog.vanishRows,
                "The device vanished at \(place) of \(name), and a row failed with \(code).")
        } else if !yield.failures.isEmpty {
            trial.tries(RuleCatalog.vanishRows)
        }
        if status == OVL_OK {
            let isWhole = yield.amount + UInt64(yield.failures.count) >= whole.amount
            trial.expect(
                isWhole, RuleCatalog.vanishStatus,
                "The device vanished at \(place) of \(name), which succeeded with \(yield.amount) instead of "
                    + "\(whole.amount).")
            return
        }
        let isTold = [OVL_DEVICE_GONE, OVL_CANCELLED, OVL_STOPPED].contains(status)
        trial.expect(
            isTold, RuleCatalog.vanishStatus,
            "The device vanished at \(place) of \(name), which returned \(HostError.Code(status: status)).")
    }
}
