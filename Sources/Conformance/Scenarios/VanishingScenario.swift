import OverlayHost

/// The device vanishes at one of the requests that a method causes.
struct VanishingScenario {
    private let bench: CheckBench

    init(_ bench: CheckBench) { self.bench = bench }

    func run() throws(HostError) {
        let (faults, bench) = (bench.faults, bench)
        let loss = FaultScenario.Loss(
            clause: "The device vanished", status: RuleCatalog.vanishStatus,
            points: { FaultPoints.chosen(of: $0, most: bench.options.faultPoints) },
            arm: { faults.arm(vanishesAt: $0) }, requests: { faults.requests }, isLost: { faults.isGone },
            recover: { faults.disarm() })
        try FaultScenario(bench: bench, scenario: .vanishing, crash: RuleCatalog.vanishCrash).losing(loss) {
            trial, workOutcome, what in
            if let code = workOutcome.failures.first(where: { $0 != .deviceGone && $0 != .cancelled }) {
                trial.expect(false, RuleCatalog.vanishRows, "\(what), and a row failed with \(code).")
            } else if !workOutcome.failures.isEmpty {
                trial.tries(RuleCatalog.vanishRows)
            }
        }
    }
}
