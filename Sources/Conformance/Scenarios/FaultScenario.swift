import OverlayABI
import OverlayHost

/// The common part of scenarios with faults: some work is done without a fault, and then repeated with a fault at a
/// different point each time.
struct FaultScenario {
    let bench: CheckEnvironment
    let scenario: Scenario
    /// The rule that a crash breaks.
    let crash: ConformanceRule

    /// Runs `body` with an attached instance; nil if the instance cannot be attached.
    func attached<Value>(
        _ orders: BoundaryWatch.Orders = .init(), _ body: (Trial) -> Value?
    ) throws(HostError) -> Value? {
        let trial = try Trial(bench, scenario, orders, crash: crash)
        defer {
            bench.faults.disarm()
            trial.end()
        }
        guard trial.initialize(.ignored), trial.attach(.ignored) else { return nil }
        return body(trial)
    }

    /// The path of a book in the app; nil if there is none.
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

    /// Removes the files that an upload may have left on the device.
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

extension FaultScenario {
    /// A way to lose the device at a request, with a count of requests.
    struct Loss {
        /// What happens, such as `The device vanished`.
        let clause: String
        /// The rule that an overlay reports the loss, or has done everything.
        let status: ConformanceRule
        /// Returns at which of so many requests to try it.
        let points: (Int) -> [Int]
        /// Restarts the count; the device is lost at one request, or not at all.
        let arm: (Int?) -> Void
        /// Returns the number of requests since `arm`.
        let requests: () -> Int
        /// Whether the device has been lost.
        let isLost: () -> Bool
        /// Ends the loss within a trial, before the trial cleans up.
        var recover: () -> Void = {}
        /// Ends the loss after a trial.
        var reconnect: () throws(HostError) -> Void = { () throws(HostError) in }
    }

    /// Does each piece of work completely, then loses the device at one request after the other, until there is a
    /// finding.
    ///
    /// - Parameter judge: makes further checks besides the status; it receives what happened and where, for its
    ///   message.
    func losing(
        _ loss: Loss, judge: (Trial, FaultedWork.WorkOutcome, String) -> Void = { _, _, _ in }
    ) throws(HostError) {
        for work in FaultedWork.all(bench, try somePath()) + FaultedWork.changing(bench) {
            try losing(loss, in: work, judge)
        }
    }

    private func losing(
        _ loss: Loss, in work: FaultedWork, _ judge: (Trial, FaultedWork.WorkOutcome, String) -> Void
    ) throws(HostError) {
        let (files, paths) = (bench.files(), try paths())
        var requests = 0
        let whole = try attached { trial -> FaultedWork.WorkOutcome? in
            guard work.prepare(trial) else { return nil }
            loss.arm(nil)
            let workOutcome = work.run(trial)
            requests = loss.requests()
            return trial.isSound ? workOutcome : nil
        }
        if work.changesBooks { try restore(files, paths) }
        guard let whole, whole.error == nil, whole.failures.isEmpty else { return }
        for point in loss.points(requests) {
            let isUsable: Bool? = try attached { trial in
                guard work.prepare(trial) else { return false }
                loss.arm(point)
                if let workOutcome = work.run(trial), loss.isLost() {
                    let what = "\(loss.clause) at request \(point) of \(requests) of \(work.method.rawValue)"
                    judge(trial, workOutcome, what)
                    judgeStatus(trial, workOutcome, whole, loss.status, what)
                }
                _ = trial.note(.yanked)
                loss.recover()
                trial.cleanUp()
                return trial.isSound
            }
            try loss.reconnect()
            if work.changesBooks { try restore(files, paths) }
            guard isUsable == true else { return }
        }
    }

    private func judgeStatus(
        _ trial: Trial, _ workOutcome: FaultedWork.WorkOutcome, _ whole: FaultedWork.WorkOutcome,
        _ rule: ConformanceRule,
        _ what: String
    ) {
        trial.tries(rule, crash)
        let status = trial.watch.status
        if status == OVL_OK {
            let isWhole = workOutcome.amount + UInt64(workOutcome.failures.count) >= whole.amount
            return trial.expect(
                isWhole, rule,
                "\(what), which succeeded with \(workOutcome.amount) instead of \(whole.amount).")
        }
        trial.expect(
            [OVL_DEVICE_GONE, OVL_CANCELLED, OVL_STOPPED].contains(status), rule,
            "\(what), which returned \(HostError.Code(status: status)).")
    }
}

/// Selects the points at which a fault is tried: the first ones, then fewer and fewer, and the last.
enum FaultPoints {
    /// At most `most` of the numbers from 1 to `count`; always the same ones.
    static func chosen(of count: Int, most: Int) -> [Int] {
        guard count > most else { return count > 0 ? Array(1...count) : [] }
        guard most > 1 else { return most == 1 ? [1] : [] }
        var points: Set<Int> = []
        for step in 0..<most {
            // With squares, half of the points are in the first quarter.
            points.insert(1 + (count - 1) * step * step / ((most - 1) * (most - 1)))
        }
        return points.sorted()
    }

    /// At most `most` of the numbers from 1 to `count`, evenly spread and neither the first nor the last.
    static func spread(over count: Int, most: Int) -> [Int] {
        guard count > 0, most > 0 else { return [] }
        return Set((1...most).map { max(1, count * $0 / (most + 1)) }).sorted()
    }
}
