import OverlayABI
import OverlayHost

/// A host without one of its services, a different one each time, and a host with only the functions of version 1.0.
struct MissingServiceScenario {
    let bench: CheckEnvironment

    func run() throws(HostError) {
        // Services that were never requested during the whole course are not missed.
        for service in bench.observations.services.sorted() {
            try run(
                "without \(service)", BoundaryWatch.Orders(withheld: service), RuleCatalog.serviceWithheld)
        }
        try run("with small tables", BoundaryWatch.Orders(shortens: true), RuleCatalog.serviceSize)
    }

    /// The overlay may fail because a service is missing, but it must not crash.
    private func run(
        _ what: String, _ orders: BoundaryWatch.Orders, _ crash: ConformanceRule
    ) throws(HostError) {
        let trial = try Trial(bench, .withholding, orders, crash: crash)
        defer { trial.end() }
        guard trial.initialize(.ignored), trial.attach(.ignored) else { return }
        let instance = trial.instance
        let books = trial.attempt("books \(what)") { () throws(HostError) in try instance.books() }
        if case .success(let list)? = books, let path = list.first?.path {
            _ = trial.attempt("get_file \(what)") { () throws(HostError) in
                try instance.getFile(path) { _ in }
            }
        }
        guard orders.shortens, bench.overlay.methods.delete_books != nil else { return }
        guard bench.overlay.methods.upload_books != nil, FaultedWork.delete.prepare(trial) else { return }
        _ = FaultedWork.delete.run(trial)
    }
}
