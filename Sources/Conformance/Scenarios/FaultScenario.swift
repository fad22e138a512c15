import OverlayABI
import OverlayHost

/// What the scenarios with faults share: a piece of work without a fault, and then with one at a different point each time.
struct FaultScenario {
    let bench: CheckBench
    let scenario: Scenario
    /// The rule of a crash.
    let crash: ConformanceRule

    /// Runs `body` with an instance that is attached; nil when it cannot be.
    func attached<Value>(
        _ orders: BoundaryWatch.Orders = .init(), _ body: (Trial) -> Value?
    ) throws(HostError) -> Value? {
        let trial = try Trial(bench, scenario, orders, crash: crash)
        defer {
            bench.faults.disarm()
            trial.end()
        }
        guard trial.initialize(nil), trial.attach(nil) else { return nil }
        return body(trial)
    }

    /// The path of a book that the app has; nil if it has none.
    func somePath() throws(HostError) -> String? {
        guard bench.overlay.methods.books != nil else { return nil }
        return try attached { trial in
            let books = trial.attempt("books") { () throws(HostError) in
                try trial.instance.books().first?.path
            }
            if case .success(let path)? = books { return path }
            return nil
        }
    }

    /// Takes off the device again what an upload may have left there.
    func restore(_ files: [String: Int], _ paths: Set<String>) throws(HostError) {
        guard bench.isActive else { return bench.removeFiles(besides: files) }
        guard bench.overlay.methods.books != nil, bench.overlay.methods.delete_books != nil else { return }
        _ = try attached { trial -> Void? in
            let books = trial.attempt("books") { () throws(HostError) in Array(try trial.instance.books()) }
            guard case .success(let list)? = books else { return nil }
            let added = list.map(\.path).filter { !paths.contains($0) }
            if !added.isEmpty { _ = trial.attemptRows("delete_books") { trial.instance.deleteBooks(added) } }
            return ()
        }
    }

    /// The paths of all books.
    func paths() throws(HostError) -> Set<String> {
        guard bench.overlay.methods.books != nil else { return [] }
        let found: Set<String>? = try attached { trial in
            let books = trial.attempt("books") { () throws(HostError) in
                Set(try trial.instance.books().map(\.path))
            }
            if case .success(let paths)? = books { return paths }
            return nil
        }
        return found ?? []
    }
}
