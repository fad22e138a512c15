import OverlayHost
import Synchronization

/// Collects the observations about an overlay. Any thread.
final class ObservationLog: Sendable {
    /// The most findings that are kept for one rule; more are not informative.
    private static let most = 5

    private struct State {
        var findings: [String: [Finding]] = [:]
        var counts: [String: Int] = [:]
        var returned: Set<OverlayMethod> = []
        var tried: Set<String> = []
        /// Why trials of a rule showed nothing, by its id.
        var open: [String: String] = [:]
        var services: Set<String> = []
        var hasTables = false
        var hasInstance = false
        var obstacle: String?
    }

    private let state = Mutex(State())

    /// Records that a rule is broken.
    func find(
        _ rule: ConformanceRule, _ seen: String, in situation: String,
        _ outcome: RuleResult.Outcome = .fail
    ) {
        state.withLock { state in
            state.counts[rule.id, default: 0] += 1
            let known = state.findings[rule.id, default: []]
            guard known.count < Self.most, !known.contains(where: { $0.seen == seen }) else { return }
            state.findings[rule.id, default: []].append(
                Finding(outcome: outcome, situation: situation, seen: seen))
        }
    }

    /// The number of findings so far.
    var count: Int { state.withLock { $0.counts.values.reduce(0, +) } }

    /// Whether one of these rules is known to be broken.
    func hasFound(_ rules: [ConformanceRule]) -> Bool {
        state.withLock { state in rules.contains { state.counts[$0.id, default: 0] > 0 } }
    }

    /// Records that a method has returned.
    func returned(_ method: OverlayMethod) { state.withLock { _ = $0.returned.insert(method) } }

    /// Records that a rule has been put to the test.
    func tries(_ rule: ConformanceRule) { state.withLock { _ = $0.tried.insert(rule.id) } }

    /// Records that the trials of a rule do not show whether it is broken.
    func leavesOpen(_ rule: ConformanceRule, _ reason: String) {
        state.withLock { $0.open[rule.id] = reason }
    }

    /// Records that the overlay has requested a service.
    func asked(for service: String) { state.withLock { _ = $0.services.insert(service) } }

    /// The services that the overlay has requested.
    var services: Set<String> { state.withLock { $0.services } }

    /// Records that the tables could be read.
    func hasTables() { state.withLock { $0.hasTables = true } }

    /// Records that there was an instance.
    func hasInstance() { state.withLock { $0.hasInstance = true } }

    /// Records why no further trial is possible. The first reason is kept.
    func stops(_ reason: String) { state.withLock { $0.obstacle = $0.obstacle ?? reason } }

    /// Why no further trial is possible; nil if trials can continue.
    var obstacle: String? { state.withLock { $0.obstacle } }

    /// The result for a rule, for an overlay that implements these methods.
    func result(_ rule: ConformanceRule, implemented: Set<OverlayMethod>) -> RuleResult {
        state.withLock { state in
            let findings = state.findings[rule.id] ?? []
            if let worst = findings.map(\.outcome).max(by: { $0.weight < $1.weight }) {
                return RuleResult(rule: rule, outcome: worst, findings: findings)
            }
            if let reason = state.open[rule.id] {
                return RuleResult(
                    rule: rule, outcome: .skip(SkipReason(text: reason, methods: [])), findings: [])
            }
            if let reason = Self.untried(rule, state, implemented) {
                return RuleResult(rule: rule, outcome: .skip(reason), findings: [])
            }
            return RuleResult(rule: rule, outcome: .pass, findings: [])
        }
    }

    private static func untried(
        _ rule: ConformanceRule, _ state: State, _ implemented: Set<OverlayMethod>
    ) -> SkipReason? {
        let obstacle = SkipReason(text: state.obstacle ?? "Not tested.", methods: [])
        switch rule.need {
        case .file: return nil
        case .tables: return state.hasTables ? nil : obstacle
        // If there is an obstacle, rules that are watched all the time were not watched to the end.
        case .instance: return state.hasInstance && state.obstacle == nil ? nil : obstacle
        case .methods(let methods):
            return state.returned.isDisjoint(with: methods) ? without(methods, state, implemented) : nil
        case .trial(let methods):
            return state.tried.contains(rule.id) ? nil : without(methods, state, implemented)
        }
    }

    private static func without(
        _ methods: [OverlayMethod], _ state: State, _ implemented: Set<OverlayMethod>
    ) -> SkipReason {
        guard state.hasTables, implemented.isDisjoint(with: methods) else {
            let text = state.obstacle ?? "This device and app offer nothing to test them with."
            return SkipReason(text: text, methods: [])
        }
        let names = methods.map(\.rawValue)
        return SkipReason(
            text: "The overlay does not implement \(names.joined(separator: ", ")).", methods: names)
    }
}

extension RuleResult.Outcome {
    /// Worse outcomes have a higher weight.
    fileprivate var weight: Int {
        switch self {
        case .skip: 0
        case .pass: 1
        case .fail: 2
        case .timeout: 3
        case .crash: 4
        }
    }
}
