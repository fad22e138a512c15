import JSON

extension ConformanceReport {
    /// The report as the document that `check --json` prints.
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
