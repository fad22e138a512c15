import OverlayABI
import OverlayCalls
import Platform

/// Shows values and calls of a recording as text for people.
package struct TraceText: Sendable {
    /// How much of a value is shown.
    package struct Amount: Sendable {
        /// The most bytes of a text or of content.
        package var bytes: Int
        /// The most elements of a list.
        package var elements: Int

        /// An amount that suits readable lines.
        package static let usual = Amount(bytes: 100, elements: 4)
        /// Everything that was recorded.
        package static let whole = Amount(bytes: .max, elements: .max)
    }

    private let amount: Amount
    /// Names of fields whose texts are replaced by their lengths.
    private let hidden: Set<String>

    /// - Parameter hiding: the names of fields of which only the length is shown.
    package init(_ amount: Amount = .usual, hiding: Set<String> = []) {
        self.amount = amount
        hidden = hiding
    }

    /// A call without its result: `books(options: {…}, books: sink 4)`.
    package func call(_ function: FunctionPlan, _ values: [TraceValue?]?) -> String {
        guard let values else { return function.displayName + "(…)" }
        let names = TraceShapes.argumentNames(function)
        var parts: [String] = []
        for (index, value) in values.enumerated() where index < names.count {
            guard let value, value != .context else { continue }
            if case .instance = value { continue }
            // The destination of an error is not worth the space.
            if case .sink = value, names[index] == "error" { continue }
            parts.append("\(names[index]): \(text(value, names[index]))")
        }
        return "\(function.displayName)(\(parts.joined(separator: ", ")))"
    }

    /// The result of a call: `OVL_OK, index: 3`; empty if it has none.
    package func answer(_ function: FunctionPlan, _ result: TraceValue?, _ written: [TraceValue?]) -> String {
        var parts: [String] = []
        if let result {
            switch (function.result, result) {
            case (OVL_KIND_STATUS, .signed(let status)): parts.append(StatusName.of(status))
            case (OVL_KIND_TABLE, .presence(let isThere)): parts.append(isThere ? "a table" : "null")
            default: parts.append(text(result, ""))
            }
        }
        let names = TraceShapes.argumentNames(function)
        for (index, value) in written.enumerated() where index < names.count {
            if let value { parts.append("\(names[index]): \(text(value, names[index]))") }
        }
        return parts.joined(separator: ", ")
    }

    /// A value; `name` is that of its field or argument.
    package func text(_ value: TraceValue, _ name: String) -> String {
        switch value {
        case .null: "null"
        case .absent: "absent"
        case .signed(let number): name == "status" ? StatusName.of(number) : String(number)
        case .unsigned(let number): number == .max ? "unknown" : String(number)
        case .number(let number): String(number)
        case .text(let bytes), .bytes(let bytes):
            hidden.contains(name) ? "(\(bytes.size) bytes)" : text(bytes)
        case .list(let values): list(values, name)
        case .record(let record): text(record)
        case .sink(let number): number == 0 ? "null" : "sink \(number)"
        case .instance(let number): number == 0 ? "none" : "instance \(number)"
        case .presence(let isThere): isThere ? "here" : "null"
        case .context: "context"
        case .impossible(let size): "impossible (\(size))"
        }
    }

    private func list(_ values: [TraceValue], _ name: String) -> String {
        var parts = values.prefix(amount.elements).map { text($0, name) }
        if values.count > amount.elements { parts.append("\(values.count - amount.elements) more") }
        return "[\(parts.joined(separator: ", "))]"
    }

    private func text(_ record: TraceRecordValue) -> String {
        let shape = TraceShapes.all[record.plan.index]
        var parts: [String] = []
        for (index, value) in record.values.enumerated() {
            guard let value, value != .absent, value != .context, record.counts(index) else { continue }
            let field = shape.fields[index]
            // Zero and empty values are not informative.
            if value == .unsigned(0) || value == .signed(0) && field.name != "status" { continue }
            if case .presence = value { continue }
            if case .list(let values) = value, values.isEmpty { continue }
            if case .unsigned(let flags) = value, field.kind == OVL_KIND_FLAGS {
                parts.append("flags: 0x\(String(flags, radix: 16))")
            } else {
                parts.append("\(field.name): \(text(value, field.name))")
            }
        }
        return "{\(parts.joined(separator: ", "))}"
    }

    private func text(_ bytes: TraceBytes) -> String {
        let shown = bytes.kept.prefix(amount.bytes)
        var text: String
        if let whole = Self.readable(shown) {
            text = "\"" + Self.escaped(whole) + "\""
        } else {
            text = Hex.text(shown.prefix(max(amount.bytes / 4, 1)))
        }
        if UInt64(shown.count) < bytes.size { text += "… (\(bytes.size) bytes" }
        if let digest = bytes.digest {
            text += ", SHA-256 " + Hex.text(digest.prefix(8)) + "…"
        }
        return UInt64(shown.count) < bytes.size ? text + ")" : text
    }

    /// The bytes as text, if they are; a character that is cut off at the end is ignored.
    static func readable(_ bytes: some Collection<UInt8>) -> String? {
        var bytes = Array(bytes)
        for _ in 0..<4 {
            if let text = String(validating: bytes, as: UTF8.self) {
                let isPlain = text.unicodeScalars.allSatisfy {
                    $0.value >= 32 || $0 == "\n" || $0 == "\t" || $0 == "\r"
                }
                return isPlain ? text : nil
            }
            guard bytes.count > 3 else { return nil }
            bytes.removeLast()
        }
        return nil
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
