import OverlayHost

/// What came of a check.
public struct ConformanceReport: Sendable {
    /// The file that was checked.
    public let file: String
    /// What the overlay says of itself; nil if it could not be loaded.
    public let descriptor: OverlayDescriptor?
    /// One for each rule, in the order of the catalog.
    public let results: [RuleResult]
    /// How long it took.
    public let duration: Duration

    /// Whether no rule is broken.
    public var conforms: Bool { !results.contains { $0.isBroken } }

    /// How many rules came to this word.
    public func count(_ word: String) -> Int { results.count { $0.outcome.word == word } }
}
