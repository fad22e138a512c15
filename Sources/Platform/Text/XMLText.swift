/// Texts in XML and HTML documents.
package enum XMLText {
    /// The quotation marks that are written as entities.
    package enum Quotes: Sendable {
        /// None: the text is between tags.
        case none
        /// `"`.
        case double
        /// `"` and `'`.
        case all
    }

    /// The text with the characters that mean something in a document as entities.
    ///
    /// - Parameters:
    ///   - quotes: the quotation marks that end the value if the text is in an attribute.
    ///   - whiteSpace: whether tabs and line feeds are references, because parsers replace them in attributes. A
    ///     carriage return always is one.
    ///   - forbidden: replaces each character that XML does not allow; nil leaves it out.
    package static func escaped(
        _ text: String, quotes: Quotes = .none, whiteSpace: Bool = false, forbidden: Unicode.Scalar? = nil
    ) -> String {
        guard text.utf8.contains(where: isSuspicious) else { return text }
        var text = text
        return text.withUTF8 { source in
            var result: [UInt8] = []
            result.reserveCapacity(source.count + source.count / 4 + 16)
            var place = 0
            while place < source.count {
                let byte = source[place]
                var count = 1
                switch byte {
                case UInt8(ascii: "&"): result += "&amp;".utf8
                case UInt8(ascii: "<"): result += "&lt;".utf8
                case UInt8(ascii: ">"): result += "&gt;".utf8
                case UInt8(ascii: "\"") where quotes != .none: result += "&quot;".utf8
                case UInt8(ascii: "'") where quotes == .all: result += "&#39;".utf8
                case UInt8(ascii: "\n") where whiteSpace: result += "&#10;".utf8
                case UInt8(ascii: "\t") where whiteSpace: result += "&#9;".utf8
                case UInt8(ascii: "\r"): result += "&#13;".utf8
                case UInt8(ascii: "\n"), UInt8(ascii: "\t"): result.append(byte)
                case ..<0x20:
                    if let forbidden { result += String(forbidden).utf8 }
                // U+FFFE is EF BF BE, and U+FFFF is EF BF BF.
                case 0xEF where source[place + 1] == 0xBF && source[place + 2] >= 0xBE:
                    count = 3
                    if let forbidden { result += String(forbidden).utf8 }
                default: result.append(byte)
                }
                place += count
            }
            return String(decoding: result, as: UTF8.self)
        }
    }

    /// Whether XML 1.0 allows the character in a document, as itself or as a reference.
    package static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\t", "\n", "\r": true
        case ..<" ", "\u{FFFE}", "\u{FFFF}": false
        default: true
        }
    }

    /// Whether a byte may be part of a character that is not written as it is.
    private static func isSuspicious(_ byte: UInt8) -> Bool {
        switch byte {
        case ..<0x20, UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""),
            UInt8(ascii: "'"):
            true
        // The first byte of U+FFFE and U+FFFF.
        case 0xEF: true
        default: false
        }
    }

    /// The references that `plain` replaces, and the character of each.
    private static let references: [(name: String, character: UInt8)] = [
        ("&amp;", UInt8(ascii: "&")), ("&lt;", UInt8(ascii: "<")), ("&gt;", UInt8(ascii: ">")),
        ("&quot;", UInt8(ascii: "\"")), ("&apos;", UInt8(ascii: "'")), ("&#39;", UInt8(ascii: "'")),
        ("&#9;", 0x09), ("&#10;", 0x0A), ("&#13;", 0x0D),
    ]

    /// The text of a document with the entities of XML, and the references that `escaped` writes, as characters.
    /// Other references stay.
    package static func plain(_ text: some StringProtocol) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return String(text) }
        var rest = Array(text.utf8)[...]
        var plain: [UInt8] = []
        while let mark = rest.firstIndex(of: UInt8(ascii: "&")) {
            plain += rest[..<mark]
            rest = rest[mark...]
            let reference = references.first { rest.starts(with: $0.name.utf8) }
            plain.append(reference?.character ?? UInt8(ascii: "&"))
            rest = rest.dropFirst(reference?.name.utf8.count ?? 1)
        }
        return String(decoding: plain + rest, as: UTF8.self)
    }
}
