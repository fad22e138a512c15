/// The references of XML that need no declaration.
enum CharacterReferences {
    /// The text with numbers and the five predefined names replaced; any other entity stays as written.
    static func resolved(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        var result = ""
        var rest = text[...]
        while let ampersand = rest.firstIndex(of: "&") {
            result += rest[..<ampersand]
            let after = rest.index(after: ampersand)
            if let end = rest[after...].prefix(12).firstIndex(of: ";"), let scalar = scalar(rest[after..<end])
            {
                result.unicodeScalars.append(scalar)
                rest = rest[rest.index(after: end)...]
            } else {
                result += "&"
                rest = rest[after...]
            }
        }
        return result + rest
    }

    private static func scalar(_ name: Substring) -> Unicode.Scalar? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        if name.hasPrefix("#x") { return UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init) }
        if name.hasPrefix("#") { return UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init) }
        return nil
    }
}
