import OverlayABI
import OverlayHost

/// A host without one of its services, a different one each time.
struct WithholdingScenario {
    let bench: CheckBench

    private static let services = [
        OVL_SERVICE_LOG, OVL_SERVICE_PREFS, OVL_SERVICE_PROGRESS, OVL_SERVICE_CANCEL, OVL_SERVICE_TRANSPORT,
        OVL_SERVICE_STORAGE, OVL_SERVICE_CALLS, OVL_SERVICE_SNIFF, OVL_SERVICE_FETCH, OVL_SERVICE_METADATA,
    ]

    func run() throws(HostError) {
        for service in Self.services {
            let trial = try Trial(
                bench, .withholding, BoundaryWatch.Orders(withheld: service),
                crash: RuleCatalog.serviceWithheld)
            // That it cannot work is no fault of the overlay; that it breaks down is one.
            if trial.initialize(nil), trial.attach(nil) {
                let instance = trial.instance
                let books = trial.attempt("books without \(service)") { () throws(HostError) in
                    try instance.books()
                }
                if case .success(let list)? = books, let path = list.first?.path {
                    _ = trial.attempt("get_file without \(service)") { () throws(HostError) in
                        try instance.getFile(path) { _ in }
                    }
                }
            }
            trial.end()
        }
    }
}
