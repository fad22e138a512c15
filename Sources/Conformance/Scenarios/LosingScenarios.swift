import OverlayHost

/// The device disappears at a request that a method causes.
struct DeviceLossScenario {
    private let bench: CheckEnvironment

    init(_ bench: CheckEnvironment) { self.bench = bench }

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

/// The device is unplugged while it answers a request of its file service. A device that disappears does so between
/// two calls of a service; this one may have sent a part of its answer.
struct DisconnectScenario {
    private let bench: CheckEnvironment

    init(_ bench: CheckEnvironment) { self.bench = bench }

    func run() throws(HostError) {
        // An overlay that does not notice a missing device does not notice an unplugged one either.
        guard
            !bench.observations.hasFound([
                RuleCatalog.vanishStatus, RuleCatalog.vanishRows, RuleCatalog.vanishCrash,
            ])
        else { return }
        let (cable, bench) = (bench.cable, bench)
        try FaultScenario(bench: bench, scenario: .severing, crash: RuleCatalog.vanishCrash).losing(
            .init(
                clause: "The cable was pulled", status: RuleCatalog.cutStatus,
                // Each point takes a new connection to the device.
                points: { FaultPoints.spread(over: $0, most: (bench.options.faultPoints + 2) / 3) },
                arm: { cable.arm(cutsAt: $0) }, requests: { cable.requests }, isLost: { cable.isCut },
                reconnect: { () throws(HostError) in try bench.reconnect() }))
    }
}
