extension String {
    /// The text with the five named references of XML and numeric ones replaced by what they stand for.
    ///
    /// Writers of MOBI files copy titles out of markup without doing that. Other references stay as they are.
    var withoutReferences: String {
        guard contains("&") else { return self }
        var result = ""
        var rest = self[...]
        while let start = rest.firstIndex(of: "&") {
            result += rest[..<start]
            rest = rest[start...]
            guard let end = rest.prefix(12).firstIndex(of: ";"),
                let character = Self.character(rest[rest.index(after: start)..<end])
            else {
                result.append("&")
                rest = rest.dropFirst()
                continue
            }
            result.unicodeScalars.append(character)
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private static func character(_ name: Substring) -> Unicode.Scalar? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        case "nbsp": return "\u{A0}"
        default:
            guard name.hasPrefix("#") else { return nil }
            let digits = name.dropFirst()
            let isHexadecimal = digits.first == "x" || digits.first == "X"
            guard
                let value = UInt32(
                    isHexadecimal ? digits.dropFirst() : digits, radix: isHexadecimal ? 16 : 10),
                value >= 0x20
            else { return nil }
            return Unicode.Scalar(value)
        }
    }
}
