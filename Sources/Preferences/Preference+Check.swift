import HostErrors
import JSON
import Platform

extension Preference {
    /// The requirement for a value, which completes the sentence `it must be …`.
    public var expectation: String {
        switch type {
        case .bool: "true or false"
        case .integer: "a whole number" + rangeText
        case .number: "a number" + rangeText
        case .text: holdsPaths ? "an absolute path" : allowedText.map { "one of \($0)" } ?? "text"
        case .texts:
            holdsPaths
                ? "a list of absolute paths"
                : "a list of strings" + (allowedText.map { ", each one of \($0)" } ?? "")
        case .object: "a JSON object"
        }
    }

    private var rangeText: String {
        guard let range else { return "" }
        return " from \(Self.plain(range.lowerBound)) to \(Self.plain(range.upperBound))"
    }

    private var allowedText: String? {
        guard let allowed, !allowed.isEmpty else { return nil }
        return allowed.map { "\"\($0)\"" }.joined(separator: ", ")
    }

    private static func plain(_ value: Double) -> String {
        Int64(exactly: value).map { String($0) } ?? value.description
    }

    /// Whether a value in a file is valid.
    func accepts(_ value: JSONValue) -> Bool { fits(value, checkingAllowed: !allowsOthersInFile) }

    /// Whether a value may be stored now.
    package func acceptsNew(_ value: JSONValue) -> Bool { fits(value, checkingAllowed: true) }

    private func fits(_ value: JSONValue, checkingAllowed: Bool) -> Bool {
        func inRange(_ number: Double) -> Bool { range.map { $0.contains(number) } ?? true }
        func isAllowed(_ text: String) -> Bool {
            !checkingAllowed || allowed.map { $0.contains(text) } ?? true
        }
        switch type {
        case .bool: return value.bool != nil
        case .integer: return value.integer.map { inRange(Double($0)) } ?? false
        case .number: return value.double.map { inRange($0) } ?? false
        case .text: return value.string.map { isAllowed($0) && isPlace($0) } ?? false
        // A relative folder in a file is not an error: the search ignores it and uses the others.
        case .texts:
            return value.strings.map { $0.allSatisfy { isAllowed($0) && (!checkingAllowed || isPlace($0)) } }
                ?? false
        case .object: return value.object != nil
        }
    }

    /// Whether a text is valid as a path. An empty text means that there is no path.
    private func isPlace(_ text: String) -> Bool {
        !holdsPaths || text.isEmpty || text.isAbsolutePath || text.utf8.starts(with: "~/".utf8)
    }

    /// Parses and checks a value from the command line.
    ///
    /// Booleans may also be yes, no, on, off, 1 and 0. Lists are in JSON or separated by commas, and keep each text
    /// once. Surrounding space is removed, except from paths. Numbers are stored in a form that every reader of the
    /// file understands.
    /// - Parameter folder: the absolute path of the folder for relative paths; nil to refuse them.
    package func value(fromText text: String, relativeTo folder: String? = nil) throws(HostError) -> JSONValue
    {
        var value = try parsed(text)
        if holdsPaths, let folder { value = absolute(value, folder) }
        guard acceptsNew(value) else { throw invalid(value) }
        return normal(value)
    }

    /// The stored form of a valid value: 100 for 100.0, and each text of a list once.
    private func normal(_ value: JSONValue) -> JSONValue {
        switch type {
        case .integer: return value.integer.map { .integer($0) } ?? value
        case .number: return value.double.flatMap { JSONNumber($0) }.map { .number($0) } ?? value
        case .texts:
            var seen: Set<String> = []
            return .texts((value.strings ?? []).filter { seen.insert($0).inserted })
        case .bool, .text, .object: return value
        }
    }

    /// The value with its relative paths made absolute. Leading `..` are resolved textually, which is correct for the
    /// working directory because its path does not contain symbolic links.
    private func absolute(_ value: JSONValue, _ folder: String) -> JSONValue {
        func joined(_ path: String) -> String {
            guard !isPlace(path) else { return path }
            var (above, below) = (folder.pathNames[...], path.pathParts[...])
            while let first = below.first, first.isEmpty || first == "." || first == ".." {
                if first == ".." { above = above.dropLast() }
                below.removeFirst()
            }
            return "/" + (above + below).joined(separator: "/")
        }
        if let text = value.string { return .string(joined(text)) }
        return value.strings.map { .texts($0.map(joined)) } ?? value
    }

    private func parsed(_ text: String) throws(HostError) -> JSONValue {
        switch type {
        case .bool:
            switch text.lowercased() {
            case "true", "yes", "on", "1": return .bool(true)
            case "false", "no", "off", "0": return .bool(false)
            default: throw invalid(.string(text))
            }
        case .integer, .number: return try json(text)
        case .text: return .string(holdsPaths ? text : spelled(text.trimmed { $0 == " " }))
        case .texts:
            if text.hasPrefix("[") {
                let value = try json(text)
                return value.strings.map { .texts($0.map(spelled)) } ?? value
            }
            let parts = text.split(separator: ",").map { spelled($0.trimmed { $0 == " " }) }
            return .texts(parts.filter { !$0.isEmpty })
        case .object: return try json(text)
        }
    }

    private func json(_ text: String) throws(HostError) -> JSONValue {
        do {
            return try JSONValue(parsing: text)
        } catch {
            var failure = invalid(.string(text))
            failure.underlying = error
            throw failure
        }
    }

    /// The allowed or known text that differs from `text` only in case, or otherwise `text`.
    private func spelled(_ text: String) -> String {
        guard let allowed = allowed ?? known, !allowed.contains(text) else { return text }
        return allowed.first { $0.lowercased() == text.lowercased() } ?? text
    }

    /// The error for an invalid value, which is in `file` if that is specified.
    func invalid(_ value: JSONValue, in file: String? = nil) -> HostError {
        let shown = value.text()
        let short = shown.count > 60 ? String(shown.prefix(59)) + "…" : shown
        let hints = [
            meant(by: value),
            file.map {
                "Change it with 'overlayhost prefs set \(key) VALUE', or edit \($0)."
            },
        ].compactMap { $0 }
        return HostError(
            .prefsInvalidValue, "The value must be \(expectation), not \(short).", subject: key,
            hint: hints.isEmpty ? nil : hints.joined(separator: " "),
            hintCode: file == nil ? nil : .preference)
    }

    /// The allowed text that resembles the first invalid one.
    private func meant(by value: JSONValue) -> String? {
        guard let allowed,
            let wrong = (value.strings ?? [value.string ?? ""]).first(where: { !allowed.contains($0) })
        else { return nil }
        return NearestName.find(wrong, in: allowed).map { "Did you mean '\($0)'?" }
    }
}
