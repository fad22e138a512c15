extension ConformanceReport {
    /// The report for a person: what is broken, with what to do; then what could not be tried; then the sum.
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
                if case .skip(let reason) = result.outcome { line += ": \(reason)" }
                lines.append(line)
            }
            lines.append("")
        }
        lines.append(summary)
        return lines.joined(separator: "\n")
    }

    /// One sentence about all.
    public var summary: String {
        let name = descriptor.map { "\($0.name) \($0.version)" } ?? file
        let broken = results.count { $0.isBroken }
        let sum =
            broken == 0
            ? "\(name) keeps the contract" : "\(name) breaks \(broken) \(broken == 1 ? "rule" : "rules")"
        return "\(sum): \(count("pass")) kept, \(broken) broken, \(count("skip")) not tried (\(seconds) s)."
    }

    /// The duration with one decimal.
    private var seconds: String {
        let tenths =
            duration.components.seconds * 10 + duration.components.attoseconds / 100_000_000_000_000_000
        return "\(tenths / 10).\(tenths % 10)"
    }
}
