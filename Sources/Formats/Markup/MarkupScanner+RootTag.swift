extension MarkupScanner {
    /// Parses the next start tag.
    mutating func rootTag() throws(Stop) -> XmlNode {
        position += 1
        let name = try rootName()
        var attributes: [String: String] = [:]
        while true {
            skipBlanks()
            switch try peek() {
            case UInt8(ascii: ">"): return node(name, attributes)
            case UInt8(ascii: "/"): position += 1
            default:
                let (attribute, value) = try attribute()
                if attributes[attribute] == nil { attributes[attribute] = value }
            }
        }
    }

    private mutating func rootName() throws(Stop) -> String {
        let first = try peek()
        switch first {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
            UInt8(ascii: ":"), 0x80...:
            break
        default: throw .malformed
        }
        let start = position
        while try isNameByte(peek()) { position += 1 }
        let next = try peek()
        guard HTTPToken.isBlank(next) || next == UInt8(ascii: ">") || next == UInt8(ascii: "/") else {
            throw .malformed
        }
        // A colon separates prefix and name. A name must not begin or end with one.
        guard first != UInt8(ascii: ":"), bytes[position - 1] != UInt8(ascii: ":") else { throw .malformed }
        return text(start..<position)
    }

    private func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "-"),
            UInt8(ascii: "."), 0x80...:
            true
        default: false
        }
    }

    /// Parses one attribute. The value is empty if there is none.
    private mutating func attribute() throws(Stop) -> (name: String, value: String) {
        let start = position
        while true {
            let byte = try peek()
            if HTTPToken.isBlank(byte) || byte == UInt8(ascii: "=") || byte == UInt8(ascii: ">") { break }
            // If another tag or binary data begins inside this one, it is not a tag.
            guard byte != UInt8(ascii: "<"), byte != 0 else { throw .malformed }
            position += 1
        }
        let name = text(start..<position)
        skipBlanks()
        guard try peek() == UInt8(ascii: "=") else { return (name, "") }
        position += 1
        skipBlanks()
        let quote = try peek()
        let isQuoted = quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
        if isQuoted { position += 1 }
        let valueStart = position
        while true {
            let byte = try peek()
            if isQuoted ? byte == quote : HTTPToken.isBlank(byte) || byte == UInt8(ascii: ">") { break }
            position += 1
        }
        let value = text(valueStart..<position)
        if isQuoted { position += 1 }
        return (name, CharacterReferences.resolved(value))
    }

    private func node(_ name: String, _ attributes: [String: String]) -> XmlNode {
        guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            return XmlNode(tag: name, namespace: declared(attributes["xmlns"]), attributes: attributes)
        }
        let prefix = String(name[..<colon])
        return XmlNode(
            tag: String(name[name.utf8.index(after: colon)...]), prefix: prefix,
            namespace: declared(attributes["xmlns:" + prefix]), attributes: attributes)
    }

    /// An empty declaration removes the namespace (Namespaces in XML, section 6.2).
    private func declared(_ namespace: String?) -> String? {
        namespace.flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// The character references of XML that need no declaration.
package enum CharacterReferences {
    /// The text with numeric references and the five predefined names replaced. Other references stay as written.
    ///
    /// - Parameter names: additional names and their characters.
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
        // XML documents cannot contain control characters other than white space (XML 1.0 section 2.2).
        guard let value = UInt32(isHexadecimal ? digits.dropFirst() : digits, radix: isHexadecimal ? 16 : 10),
            value >= 0x20 || [0x09, 0x0A, 0x0D].contains(value)
        else { return nil }
        return Unicode.Scalar(value)
    }
}
