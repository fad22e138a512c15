import DeviceTransport
import OverlayABI
import OverlayCalls
import OverlayHost

/// An instance on the device under test, and the calls to it.
final class Trial {
    let bench: CheckEnvironment
    let instance: OverlayInstance
    let watch: BoundaryWatch
    let cancellation = Cancellation()
    private let scenario: Scenario
    /// The rule that a crash breaks in this scenario; nil means the rule for that kind of crash.
    private let crashRule: ConformanceRule?
    /// The book that the trial added, if any.
    var path: String?
    /// That book with a change to write.
    var book: BookRecord?
    /// Whether the overlay's process has ended, or there is no instance.
    private(set) var isBroken = false
    private var hasEnded = false

    init(
        _ bench: CheckEnvironment, _ scenario: Scenario, _ orders: BoundaryWatch.Orders = .init(),
        crash: ConformanceRule? = nil
    ) throws(HostError) {
        self.bench = bench
        self.scenario = scenario
        crashRule = crash
        watch = BoundaryWatch(bench.observations, orders, cancellation, situation: scenario.rawValue)
        bench.workers.begin(watch)
        instance = try bench.instance(watch, cancellation)
    }

    /// Whether the overlay's behaviour still counts: it runs and has not broken a rule.
    var isSound: Bool { !isBroken && bench.workers.isSound }

    /// Whether it makes sense to call the overlay again.
    var goesOn: Bool { !isBroken }

    // MARK: calls

    /// Calls the overlay. Nil if its process has ended; an error is the overlay's own.
    func attempt<Value>(
        _ what: String, _ body: () throws(HostError) -> Value
    ) -> Result<Value, HostError>? {
        guard !isBroken else { return nil }
        begin(what)
        do throws(HostError) {
            return .success(try body())
        } catch {
            return took(error, what) ? nil : .failure(error)
        }
    }

    /// Runs a method for many items. Nil if the overlay's process has ended.
    func attemptRows(_ what: String, _ body: () -> OverlayRows) -> OverlayRows? {
        guard !isBroken else { return nil }
        begin(what)
        let rows = body()
        if let failure = rows.failure, took(failure, what) { return nil }
        return rows
    }

    private func begin(_ what: String) {
        let situation = "\(scenario.rawValue): \(what)"
        watch.begin(situation)
        bench.workers.begin(situation)
    }

    /// Records the end of the overlay's process, if the error reports one.
    private func took(_ error: HostError, _ what: String) -> Bool {
        guard error.code == .overlayBroke else { return false }
        isBroken = true
        guard let failure = error.underlying as? WorkerFailure else {
            // An overlay in this process cannot be ended.
            let rule =
                what.hasPrefix(OverlayMethod.postYankCleanup.rawValue)
                ? RuleCatalog.timeCleanup : RuleCatalog.processReturns
            watch.find(rule, error.message, .timeout)
            stop(error.message)
            return true
        }
        let (rule, outcome) = ConformanceRule.ended(
            failure.end, in: failure.method, memory: bench.options.memory)
        var seen = "The overlay \(failure.clause)"
        if let method = failure.method { seen += ", in \(method)" }
        if let service = failure.lastService { seen += ", after calling \(service)" }
        seen += "."
        if let words = failure.words { seen += " It wrote: \(words)" }
        watch.find(outcome == .crash ? crashRule ?? rule : rule, seen, outcome)
        stop(seen)
        return true
    }

    private func stop(_ reason: String) {
        if scenario == .course { bench.observations.stops("The course ended early. \(reason)") }
    }

    // MARK: judging

    /// Records a finding unless the condition is true, or the overlay has already broken another rule that may be the
    /// cause.
    func expect(_ condition: Bool, _ rule: ConformanceRule, _ seen: @autoclosure () -> String) {
        bench.observations.tries(rule)
        guard !condition, isSound else { return }
        watch.find(rule, seen())
    }

    /// Records that these rules are put to the test.
    func tries(_ rules: ConformanceRule...) { for rule in rules { bench.observations.tries(rule) } }

    /// The value, if the overlay succeeded. A failure is a finding, unless the overlay cannot do this with this
    /// device.
    func value<Value>(
        _ what: String, _ rule: ConformanceRule = RuleCatalog.succeed,
        _ body: () throws(HostError) -> Value
    ) -> Value? {
        switch attempt(what, body) {
        case .success(let value)?:
            tries(rule)
            return value
        case .failure(let error)?:
            if !error.code.isInability { expect(false, rule, "\(what) failed: \(error)") }
            return nil
        case nil: return nil
        }
    }

    // MARK: life

    /// What it means that an overlay does not begin to work.
    enum Refusal {
        /// Nothing: the caller only needs an overlay that works.
        case ignored
        /// Too little can be tested: the simulated device or the preferences may lack something.
        case obstacle
        /// A finding, because the overlay began to work before.
        case breach(ConformanceRule)
    }

    /// Creates and initializes the instance. Returns false on failure.
    func initialize(_ meaning: Refusal) -> Bool {
        for (what, call) in [
            ("create", { () throws(HostError) in try self.instance.create() }),
            (
                "initialize",
                { () throws(HostError) in try self.instance.call(.initialize) }
            ),
        ] {
            switch attempt(what, call) {
            case .success?: bench.observations.hasInstance()
            case .failure(let error)?:
                refused("\(what) failed: \(error)", meaning)
                isBroken = true
                return false
            case nil: return false
            }
        }
        return true
    }

    /// Asks the overlay whether it can handle the device, and attaches it. Returns false if it cannot.
    func attach(_ meaning: Refusal) -> Bool {
        let fingerprint = bench.fingerprint
        let answer = attempt("can_handle") { () throws(HostError) in
            try self.instance.canHandle(fingerprint)
        }
        switch answer {
        case .success(let answer)?:
            guard answer.answer == .yes else {
                let words = answer.message.map { ": \($0)" } ?? "."
                // An app may have to be opened first, and the simulated device has no user to do that.
                let isFinal = answer.answer == .no
                refused(
                    isFinal
                        ? "can_handle answered no for its own app\(words)"
                        : "can_handle did not answer yes\(words)", isFinal ? meaning : meaning.withoutBreach)
                return false
            }
        case .failure(let error)?:
            refused("can_handle failed: \(error)", meaning)
            return false
        case nil: return false
        }
        return note(.attached)
    }

    private func refused(_ reason: String, _ meaning: Refusal) {
        if case .ignored = meaning { return }
        if case .breach(let rule) = meaning { expect(false, rule, reason) }
        bench.observations.stops(reason)
    }

    /// Tells the instance about a change of the device. Returns false if that is impossible in its state.
    func note(_ event: SessionState.Event) -> Bool {
        do throws(HostError) {
            try instance.note(event)
            return true
        } catch {
            return false
        }
    }

    /// Cleans up after a device.
    func cleanUp() {
        let outcome = attempt(OverlayMethod.postYankCleanup.rawValue) { () throws(HostError) in
            try self.instance.call(.postYankCleanup, within: .seconds(1))
        }
        if bench.overlay.methods.post_yank_cleanup != nil { tries(RuleCatalog.cleanupSucceeds) }
        if case .failure(let error)? = outcome {
            expect(false, RuleCatalog.cleanupSucceeds, "post_yank_cleanup failed: \(error)")
        }
    }

    /// Ends the instance from any state. A failure of `shutdown` breaks `rule`.
    func end(_ rule: ConformanceRule? = nil) {
        guard !hasEnded else { return }
        hasEnded = true
        begin("shutdown and destroy")
        guard let error = instance.destroy() else { return }
        if took(error, "shutdown") { return }
        if let rule { expect(false, rule, "shutdown failed: \(error)") }
    }
}

extension Trial.Refusal {
    /// The meaning of a refusal that is not final.
    fileprivate var withoutBreach: Trial.Refusal {
        if case .breach = self { .obstacle } else { self }
    }
}

extension HostErrorCode {
    /// Whether the error only says that something is not possible here.
    var isInability: Bool {
        self == .notSupported || self == .accessRefused || self == .appUnavailable
    }
}
