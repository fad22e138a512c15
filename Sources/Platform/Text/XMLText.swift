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
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result.append(contentsOf: "&amp;".unicodeScalars)
            case "<": result.append(contentsOf: "&lt;".unicodeScalars)
            case ">": result.append(contentsOf: "&gt;".unicodeScalars)
            case "\"" where quotes != .none: result.append(contentsOf: "&quot;".unicodeScalars)
            case "'" where quotes == .all: result.append(contentsOf: "&#39;".unicodeScalars)
            case "\n" where whiteSpace: result.append(contentsOf: "&#10;".unicodeScalars)
            case "\t" where whiteSpace: result.append(contentsOf: "&#9;".unicodeScalars)
            case "\r": result.append(contentsOf: "&#13;".unicodeScalars)
            case _ where isAllowed(scalar): result.append(scalar)
            default: if let forbidden { result.append(forbidden) }
            }
        }
        return String(result)
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
