import OverlayLoading

extension ConformanceReport {
    /// The report for people: the broken rules with advice, then the rules that could not be tried, then a summary.
    public func text(withAll: Bool = false) -> String {
        var lines: [String] = []
        for result in results where result.isBroken {
            lines.append("\(result.outcome.word.uppercased())  \(result.rule.id)")
            lines.append("    clause   \(result.rule.clause) (\(result.rule.place))")
            for finding in result.findings {
                lines.append("    seen     \(finding.seen) [\(finding.situation)]")
            }
            lines.append("    do       \(result.rule.advice)")
            lines.append("")
        }
        if withAll {
            for result in results where !result.isBroken {
                var line = "\(result.outcome.word)  \(result.rule.id)"
                if case .skip(let reason) = result.outcome { line += ": \(reason.text)" }
                lines.append(line)
            }
            lines.append("")
        } else {
            lines += untried
            if !untried.isEmpty { lines.append("") }
        }
        lines.append(summary)
        return lines.joined(separator: "\n")
    }

    /// The number of rules that could not be tried, one line for each reason, and a single line for all methods that
    /// are not implemented.
    private var untried: [String] {
        var reasons: [(text: String, count: Int)] = []
        var methods: [String] = []
        var without = 0
        for result in results {
            guard case .skip(let reason) = result.outcome else { continue }
            if !reason.methods.isEmpty {
                without += 1
                methods += reason.methods.filter { !methods.contains($0) }
            } else if let index = reasons.firstIndex(where: { $0.text == reason.text }) {
                reasons[index].count += 1
            } else {
                reasons.append((reason.text, 1))
            }
        }
        if without > 0 {
            let names = methods.joined(separator: ", ")
            reasons.append(("The overlay does not implement their methods: \(names).", without))
        }
        return reasons.map { "SKIP  \($0.count) \($0.count == 1 ? "rule" : "rules"): \($0.text)" }
    }

    /// A summary in one sentence.
    public var summary: String {
        let name = descriptor.map { "\($0.name) \($0.version)" } ?? file
        let broken = results.count { $0.isBroken }
        let sum =
            switch verdict {
            case .breaks: "\(name) breaks \(broken) \(broken == 1 ? "rule" : "rules")"
            case .undecided: "The check could not determine whether \(name) follows the contract"
            case .conforms where results.count < RuleCatalog.all.count: "\(name) follows the selected rules"
            case .conforms: "\(name) follows the contract"
            }
        return "\(sum): \(count("pass")) passed, \(broken) failed, \(count("skip")) skipped (\(seconds) s)."
    }

    /// The duration with one decimal.
    private var seconds: String {
        let tenths =
            duration.components.seconds * 10 + duration.components.attoseconds / 100_000_000_000_000_000
        return "\(tenths / 10).\(tenths % 10)"
    }
}
