/// The references of XML that need no declaration.
package enum CharacterReferences {
    /// The text with numbers and the five predefined names replaced; any other reference stays as written.
    ///
    /// - Parameter names: further names and what they stand for.
    package static func resolved(_ text: String, names: [String: Unicode.Scalar] = [:]) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        var result = ""
        var rest = text[...]
        while let ampersand = rest.firstIndex(of: "&") {
            result += rest[..<ampersand]
            let after = rest.index(after: ampersand)
            if let end = rest[after...].prefix(12).firstIndex(of: ";"),
                let scalar = scalar(rest[after..<end]) ?? names[String(rest[after..<end])]
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
        guard name.hasPrefix("#") else { return nil }
        let digits = name.dropFirst()
        let isHexadecimal = digits.first == "x" || digits.first == "X"
        // Control characters other than blanks are in no document (XML 1.0 section 2.2).
        guard let value = UInt32(isHexadecimal ? digits.dropFirst() : digits, radix: isHexadecimal ? 16 : 10),
            value >= 0x20 || [0x09, 0x0A, 0x0D].contains(value)
        else { return nil }
        return Unicode.Scalar(value)
    }
}
