import OverlayHost

/// What came of a check.
public struct ConformanceReport: Sendable {
    /// The file that was checked.
    public let file: String
    /// What the overlay says of itself; nil if it could not be loaded.
    public let descriptor: OverlayDescriptor?
    /// One for each rule, in the order of the catalog.
    public let results: [RuleResult]
    /// What stood in the way of the trials, so that most rules could not be tried; nil: nothing.
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
