import OverlayHost

/// The result of a check.
public struct ConformanceReport: Sendable {
    /// The file that was checked.
    public let file: String
    /// The overlay's description; nil if it could not be loaded.
    public let descriptor: OverlayDescription?
    /// One result for each rule, in the order of the catalog.
    public let results: [RuleResult]
    /// What prevented the trials, so that most rules could not be tested; nil if nothing did.
    public let obstacle: String?
    /// How long the check took.
    public let duration: Duration

    /// The conclusion of the check.
    public enum Verdict: String, Sendable {
        /// No rule is broken, and nothing prevented the trials.
        case conforms
        /// A rule is broken.
        case breaks
        /// Too little could be tried: none of the rules, or the overlay never got to work with a device.
        case undecided
    }

    /// The conclusion of the check.
    public var verdict: Verdict {
        if results.contains(where: { $0.isBroken }) { return .breaks }
        return obstacle == nil && results.contains { $0.outcome == .pass } ? .conforms : .undecided
    }

    /// How many rules have the outcome with this word.
    public func count(_ word: String) -> Int { results.count { $0.outcome.word == word } }
}

/// The result of one rule.
public struct RuleResult: Sendable {
    /// The rule.
    public let rule: ConformanceRule
    /// Its result.
    public let outcome: Outcome
    /// The findings in order; empty unless the rule is broken.
    public let findings: [Finding]

    /// The possible outcomes for a rule.
    public enum Outcome: Sendable, Equatable {
        /// It was tried and is not broken.
        case pass
        /// It is broken.
        case fail
        /// The overlay crashed or ended its process.
        case crash
        /// The overlay did not return in time.
        case timeout
        /// It could not be tried; includes the reason.
        case skip(SkipReason)

        /// The word in reports.
        public var word: String {
            switch self {
            case .pass: "pass"
            case .fail: "fail"
            case .crash: "crash"
            case .timeout: "timeout"
            case .skip: "skip"
            }
        }
    }

    /// Whether the rule is broken.
    public var isBroken: Bool {
        switch outcome {
        case .pass, .skip: false
        case .fail, .crash, .timeout: true
        }
    }
}

/// Why a rule could not be tried.
public struct SkipReason: Sendable, Equatable {
    /// The reason, as a sentence.
    public let text: String
    /// The methods that the rule concerns, if the overlay implements none of them; otherwise empty.
    public let methods: [String]
}

/// An observation that breaks a rule.
public struct Finding: Sendable, Equatable {
    /// The kind of breach.
    public let outcome: RuleResult.Outcome
    /// The scenario, and the method if one was running.
    public let situation: String
    /// The observation, as a sentence.
    public let seen: String
}
