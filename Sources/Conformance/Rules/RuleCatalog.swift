/// All rules, in the order of a report.
public enum RuleCatalog {
    /// All rules.
    public static let all: [ConformanceRule] =
        loading + descriptor + records + rows + results + errors + calls + behaviour + source + faults
        + process

    /// The rule with an id; nil if there is none.
    public static func rule(_ id: String) -> ConformanceRule? { byID[id] }

    /// The rules that match a pattern: an id, a group, or either with `*` for any letters.
    public static func rules(fitting pattern: String) -> [ConformanceRule] {
        all.filter { RulePattern(pattern).fits($0) }
    }

    private static let byID = Dictionary(all.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
}

/// A pattern for the ids of rules, from a command line.
struct RulePattern {
    private let pattern: [UInt8]

    init(_ pattern: String) { self.pattern = Array(pattern.utf8) }

    /// Whether the rule's id or group fits.
    func fits(_ rule: ConformanceRule) -> Bool {
        fits(Array(rule.id.utf8)) || fits(Array(rule.group.utf8))
    }

    /// Matches each `*` with as few letters as possible, and backtracks to the last one if the rest does not match.
    private func fits(_ text: [UInt8]) -> Bool {
        var (at, letter) = (0, 0)
        var last: (star: Int, letter: Int)?
        while letter < text.count {
            if at < pattern.count, pattern[at] == UInt8(ascii: "*") {
                last = (at, letter)
                at += 1
            } else if at < pattern.count, pattern[at] == text[letter] {
                (at, letter) = (at + 1, letter + 1)
            } else if let back = last {
                last = (back.star, back.letter + 1)
                (at, letter) = (back.star + 1, back.letter + 1)
            } else {
                return false
            }
        }
        return pattern[at...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
