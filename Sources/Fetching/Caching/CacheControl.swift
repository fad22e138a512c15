/// The directives of `Cache-Control` that a private cache heeds (RFC 9111 section 5.2.2).
struct CacheControl: Equatable {
    var noStore = false
    var noCache = false
    var mustRevalidate = false
    /// Seconds; a value that is no number counts as 0, that is as expired.
    var maxAge: Int64?

    init(_ text: String?) {
        for directive in Self.split(text ?? "") {
            let parts = directive.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? ASCII.trimmed(parts[1]).filter { $0 != "\"" } : nil
            switch ASCII.lowercased(ASCII.trimmed(parts[0])) {
            case "no-store": noStore = true
            // With field names it forbids only those fields; being careful costs one question.
            case "no-cache": noCache = true
            case "must-revalidate": mustRevalidate = true
            case "max-age":
                let seconds = value.map { Self.seconds($0) } ?? 0
                // Of several the shortest holds.
                maxAge = min(maxAge ?? seconds, seconds)
            default: break
            }
        }
    }

    /// Numbers too large to keep are "for ever".
    private static func seconds(_ text: String) -> Int64 {
        guard !text.isEmpty, text.utf8.allSatisfy(ASCII.isDigit) else { return 0 }
        return min(Int64(text) ?? .max, Int64(Int32.max))
    }

    /// The elements of the list; commas inside quotes separate nothing.
    private static func split(_ text: String) -> [String] {
        var elements = [""]
        var isQuoted = false
        for character in text {
            if character == "\"" { isQuoted.toggle() }
            if character == ",", !isQuoted {
                elements.append("")
            } else {
                elements[elements.count - 1].append(character)
            }
        }
        return elements.filter { !ASCII.trimmed($0).isEmpty }
    }
}
