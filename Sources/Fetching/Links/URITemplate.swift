import Platform

/// A URI template (RFC 6570) for templated links. Supports simple and form-style expressions, and the other operators
/// with text values.
package struct URITemplate: Sendable {
    private enum Part {
        case literal(Substring)
        case expression(Operator, [Variable])
    }

    private struct Variable {
        let name: String
        /// The number of characters of the value to use; nil for all.
        let prefix: Int?
    }

    /// The rules for joining the values of an expression (RFC 6570 appendix A).
    private struct Operator {
        var first = ""
        var separator = ","
        var isNamed = false
        /// The text after the name of an empty value.
        var ifEmpty = ""
        var keepsReserved = false
        /// Whether the expression is part of the path, which identifies the resource.
        var isPath = true

        init?(_ mark: Character?) {
            switch mark {
            case nil: break
            case "+": keepsReserved = true
            case "#": (first, keepsReserved, isPath) = ("#", true, false)
            case ".": (first, separator) = (".", ".")
            case "/": (first, separator) = ("/", "/")
            case ";": (first, separator, isNamed) = (";", ";", true)
            case "?": (first, separator, isNamed, ifEmpty, isPath) = ("?", "&", true, "=", false)
            case "&": (first, separator, isNamed, ifEmpty, isPath) = ("&", "&", true, "=", false)
            default: return nil
            }
        }
    }

    private let parts: [Part]

    /// Parses a template. Throws if braces do not match, an operator is reserved, or a variable has no name.
    package init(_ text: String) throws(RequestProblem) {
        var parts: [Part] = []
        var rest = text[...]
        while let open = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            guard rest[open] == "{", let close = rest[open...].firstIndex(of: "}") else {
                throw RequestProblem(.template, "The braces of the template do not match.", subject: text)
            }
            if open > rest.startIndex { parts.append(.literal(rest[..<open])) }
            guard let expression = Self.expression(rest[rest.index(after: open)..<close]) else {
                throw RequestProblem(.template, "The template contains an invalid expression.", subject: text)
            }
            parts.append(expression)
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { parts.append(.literal(rest)) }
        self.parts = parts
    }

    /// The names of all variables, in order.
    package var variables: [String] {
        parts.flatMap { part -> [String] in
            if case .expression(_, let variables) = part { variables.map(\.name) } else { [] }
        }
    }

    /// The variables of the first path expression that has no value at all; nil if every one has a value.
    package func unfilledPathVariables(_ values: [String: String]) -> [String]? {
        for part in parts {
            guard case .expression(let kind, let variables) = part, kind.isPath else { continue }
            if variables.allSatisfy({ values[$0.name] == nil }) { return variables.map(\.name) }
        }
        return nil
    }

    /// The template with the values inserted, percent-encoded except for commas and colons. Names without a value are
    /// skipped, and values without a name are ignored.
    package func expanded(_ values: [String: String]) -> String {
        var result = ""
        for part in parts {
            switch part {
            case .literal(let text): result += text
            case .expression(let kind, let variables): result += Self.expanded(kind, variables, values)
            }
        }
        return result
    }

    private static func expanded(_ kind: Operator, _ variables: [Variable], _ values: [String: String])
        -> String
    {
        let kept = kind.keepsReserved ? ":/?#[]@!$&'()*+,;=" : ",:"
        let pieces = variables.compactMap { variable -> String? in
            guard var value = values[variable.name] else { return nil }
            if let prefix = variable.prefix { value = String(value.prefix(prefix)) }
            let encoded = PercentCoding.encoded(value, keeping: kept, keepsEncoded: kind.keepsReserved)
            guard kind.isNamed else { return encoded }
            return variable.name + (encoded.isEmpty ? kind.ifEmpty : "=" + encoded)
        }
        return pieces.isEmpty ? "" : kind.first + pieces.joined(separator: kind.separator)
    }

    private static func expression(_ text: Substring) -> Part? {
        let hasMark = text.first.map { !isNameCharacter($0) || $0 == "." } ?? false
        guard let kind = Operator(hasMark ? text.first : nil) else { return nil }
        var variables: [Variable] = []
        for piece in text.dropFirst(hasMark ? 1 : 0).split(separator: ",", omittingEmptySubsequences: false) {
            guard let variable = variable(piece) else { return nil }
            variables.append(variable)
        }
        return .expression(kind, variables)
    }

    private static func variable(_ text: Substring) -> Variable? {
        // The "explode" modifier has no effect on a text.
        let text = text.last == "*" ? text.dropLast() : text
        let pieces = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = pieces.first, !name.isEmpty, name.allSatisfy(isNameCharacter), name.first != "."
        else {
            return nil
        }
        guard pieces.count == 2 else { return Variable(name: String(name), prefix: nil) }
        guard let prefix = Int(pieces[1]), (1..<10_000).contains(prefix) else { return nil }
        return Variable(name: String(name), prefix: prefix)
    }

    private static func isNameCharacter(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber) || character == "_"
            || character == "%"
            || character == "."
    }
}
