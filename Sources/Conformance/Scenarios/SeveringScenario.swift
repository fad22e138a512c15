import OverlayHost

/// The cable is pulled while the device answers a request of its file service: unlike a device that vanishes between two calls of a
/// service, this one may have answered a part.
struct SeveringScenario {
    private let bench: CheckBench

    init(_ bench: CheckBench) { self.bench = bench }

    func run() throws(HostError) {
        // Whoever does not hear of a device that has vanished does not hear of one that vanishes, either.
        guard
            !bench.observations.hasFound([
                RuleCatalog.vanishStatus, RuleCatalog.vanishRows, RuleCatalog.vanishCrash,
            ])
        else { return }
        let (cable, bench) = (bench.cable, bench)
        try FaultScenario(bench: bench, scenario: .severing, crash: RuleCatalog.vanishCrash).losing(
            .init(
                clause: "The cable was pulled", status: RuleCatalog.cutStatus,
                // Each of them takes a new connection to the device.
                points: { FaultPoints.spread(over: $0, most: (bench.options.faultPoints + 2) / 3) },
                arm: { cable.arm(cutsAt: $0) }, requests: { cable.requests }, isLost: { cable.isCut },
                reconnect: { () throws(HostError) in try bench.reconnect() }))
    }
}
