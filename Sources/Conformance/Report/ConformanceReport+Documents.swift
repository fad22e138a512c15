import OverlayLoading
import JSON
import Platform

extension ConformanceReport {
    /// The report as the JSON document of `check --json`.
    public var json: JSONValue {
        object([
            ("file", .string(file)), ("overlay", descriptor.map { .string($0.id) } ?? .null),
            ("name", descriptor.map { .string($0.name) } ?? .null),
            ("version", descriptor.map { .string($0.version) } ?? .null),
            ("verdict", .string(verdict.rawValue)), ("conforms", .bool(verdict == .conforms)),
            ("obstacle", obstacle.map { .string($0) } ?? .null),
            ("seconds", JSONNumber(milliseconds / 1000).map { .number($0) } ?? .null),
            ("rules", .array(results.map(Self.document))),
        ])
    }

    private static func document(_ result: RuleResult) -> JSONValue {
        var reason = JSONValue.null
        if case .skip(let why) = result.outcome { reason = .string(why.text) }
        return object([
            ("rule", .string(result.rule.id)), ("result", .string(result.outcome.word)), ("reason", reason),
            ("clause", .string(result.rule.clause)), ("place", .string(result.rule.place)),
            ("advice", .string(result.rule.advice)),
            (
                "findings",
                .array(
                    result.findings.map {
                        object([("seen", .string($0.seen)), ("situation", .string($0.situation))])
                    })
            ),
        ])
    }

    private static func object(_ members: [(String, JSONValue)]) -> JSONValue {
        var object = JSONObject()
        for (name, value) in members { object[name] = value }
        return .object(object)
    }

    private func object(_ members: [(String, JSONValue)]) -> JSONValue { Self.object(members) }

    /// The duration in milliseconds.
    var milliseconds: Double {
        Double(duration.components.seconds) * 1000
            + Double(duration.components.attoseconds / 1_000_000_000_000_000)
    }
}

extension ConformanceReport {
    /// The report as JUnit XML for build servers: a suite for the overlay, and a case for each rule.
    public var junit: String {
        let errors = count("crash") + count("timeout")
        var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>"]
        let name = Self.escaped(descriptor?.id ?? file)
        lines.append(
            "<testsuite name=\"\(name)\" tests=\"\(results.count)\" failures=\"\(count("fail"))\" errors=\"\(errors)\""
                + " skipped=\"\(count("skip"))\" time=\"\(milliseconds / 1000)\">")
        for result in results { lines += Self.testCase(result, name) }
        lines.append("</testsuite>")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func testCase(_ result: RuleResult, _ suite: String) -> [String] {
        let head =
            "  <testcase classname=\"\(suite).\(escaped(result.rule.group))\" name=\"\(escaped(result.rule.id))\""
        switch result.outcome {
        case .pass: return [head + "/>"]
        case .skip(let reason):
            return [head + ">", "    <skipped message=\"\(escaped(reason.text))\"/>", "  </testcase>"]
        case .fail, .crash, .timeout:
            let element = result.outcome == .fail ? "failure" : "error"
            let seen = result.findings.map { "\($0.seen) [\($0.situation)]" }.joined(separator: "\n")
            let text =
                "\(seen)\nClause: \(result.rule.clause) (\(result.rule.place))\nDo: \(result.rule.advice)"
            return [
                head + ">",
                "    <\(element) type=\"\(result.outcome.word)\" message=\"\(escaped(result.findings.first?.seen ?? ""))\">"
                    + "\(escaped(text))</\(element)>",
                "  </testcase>",
            ]
        }
    }

    /// The text, escaped for XML. Characters that XML does not allow are shown as `\u{FFFD}`.
    static func escaped(_ text: String) -> String {
        XMLText.escaped(text, quotes: .double, forbidden: "\u{FFFD}")
    }
}
