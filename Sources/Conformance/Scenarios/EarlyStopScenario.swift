import OverlayABI
import OverlayHost

/// Sinks that ask to stop when they receive the first item.
struct EarlyStopScenario {
    let bench: CheckEnvironment

    func run() throws(HostError) {
        let trial = try Trial(bench, .stopping)
        defer { trial.end() }
        guard trial.initialize(.ignored), trial.attach(.ignored) else { return }
        var path: String?
        if bench.overlay.methods.books != nil {
            let list = trial.attempt("books") { () throws(HostError) in try trial.instance.books() }
            if case .success(let books)? = list { path = books.first?.path }
            trial.watch.order { $0.stops = true }
            _ = trial.attempt("books") { () throws(HostError) in try trial.instance.books() }
        }
        trial.watch.order { $0.stops = true }
        guard bench.overlay.methods.get_file != nil, let path else { return }
        _ = trial.attempt("get_file") { () throws(HostError) in try trial.instance.getFile(path) { _ in } }
    }
}
