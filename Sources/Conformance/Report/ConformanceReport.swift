import OverlayHost

/// The result of a check.
public struct ConformanceReport: Sendable {
    /// The file that was checked.
    public let file: String
    /// The overlay's description; nil if it could not be loaded.
    public let descriptor: OverlayDescription?
    /// One for each rule, in the order of the catalog.
    public let results: [RuleResult]
    /// What prevented the trials, so that most rules could not be tested; nil: nothing.
    public let obstacle: String?
    /// How long it took.
    public let duration: Duration

    /// What the check says of the overlay.
    public enum Verdict: String, Sendable {
        /// No rule is broken, and nothing stood in the way.
        case conforms
        /// A rule is broken.
        case breaks
        /// Too little could be tried: none of the rules, or the overlay never came to work with a device.
        case undecided
    }

    /// What the check says of the overlay.
    public var verdict: Verdict {
        if results.contains(where: { $0.isBroken }) { return .breaks }
        return obstacle == nil && results.contains { $0.outcome == .pass } ? .conforms : .undecided
    }

    /// How many rules came to this word.
    public func count(_ word: String) -> Int { results.count { $0.outcome.word == word } }
}

/// The result of one rule.
public struct RuleResult: Sendable {
    /// The rule.
    public let rule: ConformanceRule
    /// Its result.
    public let outcome: Outcome
    /// What was seen, first to last; empty unless the rule is broken.
    public let findings: [Finding]

    /// What can come of a rule.
    public enum Outcome: Sendable, Equatable {
        /// It was tried and is kept.
        case pass
        /// It is broken.
        case fail
        /// The overlay crashed or ended its process.
        case crash
        /// The overlay did not return in time.
        case timeout
        /// It could not be tried: why.
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
    /// One sentence.
    public let text: String
    /// The methods that the rule is about, if the overlay implements none of them; else empty.
    public let methods: [String]
}

/// One thing that was seen and breaks a rule.
public struct Finding: Sendable, Equatable {
    /// How bad.
    public let outcome: RuleResult.Outcome
    /// Where: the scenario, and the method if one ran.
    public let situation: String
    /// What was seen: one sentence.
    public let seen: String
}
