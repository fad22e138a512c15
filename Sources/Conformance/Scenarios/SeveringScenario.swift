import OverlayABI
import OverlayHost

/// The cable is pulled while the device answers a request of its file service: unlike a device that vanishes between two calls of a
/// service, this one may have answered a part.
struct SeveringScenario {
    private let base: FaultScenario

    init(_ bench: CheckBench) {
        base = FaultScenario(bench: bench, scenario: .severing, crash: RuleCatalog.vanishCrash)
    }

    private var bench: CheckBench { base.bench }

    func run() throws(HostError) {
        // Whoever does not hear of a device that has vanished does not hear of one that vanishes, either.
        guard
            !bench.notebook.hasFound([
                RuleCatalog.vanishStatus, RuleCatalog.vanishRows, RuleCatalog.vanishCrash,
            ])
        else { return }
        for work in FaultedWork.all(bench, try base.somePath()) + FaultedWork.changing(bench) {
            try run(work)
        }
    }

    private func run(_ work: FaultedWork) throws(HostError) {
        let (files, paths) = (bench.files(), try base.paths())
        var requests = 0
        let whole = try base.attached { trial -> FaultedWork.Yield? in
            guard work.prepare(trial) else { return nil }
            bench.cable.arm()
            let yield = work.run(trial)
            requests = bench.cable.requests
            return trial.isSound ? yield : nil
        }
        if work.changesBooks { try base.restore(files, paths) }
        guard let whole, whole.error == nil, whole.failures.isEmpty else { return }
        // Each of them takes a new connection to the device.
        for point in FaultPoints.spread(over: requests, most: (bench.options.faultPoints + 2) / 3) {
            let isUsable: Bool? = try base.attached { trial in
                guard work.prepare(trial) else { return false }
                bench.cable.arm(cutsAt: point)
                let yield = work.run(trial)
                if let yield { judge(trial, work, yield, whole, "request \(point) of \(requests)") }
                _ = trial.note(.yanked)
                trial.cleanUp()
                return trial.isSound
            }
            try bench.reconnect()
            if work.changesBooks { try base.restore(files, paths) }
            guard isUsable == true else { return }
        }
    }

    private func judge(
        _ trial: Trial, _ work: FaultedWork, _ yield: FaultedWork.Yield, _ whole: FaultedWork.Yield,
        _ place: String
    ) {
        guard bench.cable.isCut else { return }
        trial.tries(RuleCatalog.cutStatus, RuleCatalog.vanishCrash)
        let status = trial.watch.status
        let what = "The cable was pulled at \(place) of \(work.method.rawValue)"
        if status == OVL_OK {
            let isWhole = yield.amount + UInt64(yield.failures.count) >= whole.amount
            return trial.expect(
                isWhole, RuleCatalog.cutStatus,
                "\(what), which succeeded with \(yield.amount) instead of \(whole.amount).")
        }
        trial.expect(
            [OVL_DEVICE_GONE, OVL_CANCELLED, OVL_STOPPED].contains(status), RuleCatalog.cutStatus,
            "\(what), which returned \(HostError.Code(status: status)).")
    }
}
