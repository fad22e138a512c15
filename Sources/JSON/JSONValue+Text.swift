import Platform

extension JSONValue {
    /// The layout of JSON text.
    public enum Layout: Sendable {
        /// One line, with a space after each `:` and `,`.
        case line
        /// One member or element per line, indented by two spaces per level.
        case indented
    }

    /// The JSON text, without a line end after it.
    public func text(_ layout: Layout = .line) -> String {
        var text = JSONText()
        write(into: &text, layout, level: 0)
        return text.string
    }

    fileprivate func write(into text: inout JSONText, _ layout: Layout, level: Int) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .number(let value): text += value.literal
        case .string(let value): Self.quote(value, into: &text)
        case .array(let values):
            Self.enclose("[", "]", values, into: &text, layout, level: level) { value, text in
                value.write(into: &text, layout, level: level + 1)
            }
        case .object(let object):
            Self.enclose("{", "}", object.members, into: &text, layout, level: level) { member, text in
                Self.quote(member.name, into: &text)
                text += ": "
                member.value.write(into: &text, layout, level: level + 1)
            }
        }
    }

    private static func enclose<Element>(
        _ opening: String, _ closing: String, _ elements: [Element], into text: inout JSONText,
        _ layout: Layout,
        level: Int, _ write: (Element, inout JSONText) -> Void
    ) {
        text += opening
        for index in elements.indices {
            switch layout {
            case .line: if index > 0 { text += ", " }
            case .indented:
                text += index == 0 ? "\n" : ",\n"
                text.indent(level + 1)
            }
            write(elements[index], &text)
        }
        if case .indented = layout, !elements.isEmpty {
            text += "\n"
            text.indent(level)
        }
        text += closing
    }

    fileprivate static func quote(_ value: String, into text: inout JSONText) {
        text += "\""
        // Most texts need no escapes.
        if value.utf8.contains(where: mayBeEscaped) {
            var start = value.startIndex
            for index in value.unicodeScalars.indices {
                guard let escape = escape(value.unicodeScalars[index]) else { continue }
                text += value[start..<index]
                text += escape
                start = value.unicodeScalars.index(after: index)
            }
            text += value[start...]
        } else {
            text += value
        }
        text += "\""
    }

    /// Whether a byte may belong to a character that is escaped. Such characters beyond ASCII begin with 0xC2 or
    /// 0xE2.
    private static func mayBeEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F
            || byte == 0xC2 || byte == 0xE2
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "\"": "\\\""
        case "\\": "\\\\"
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        case "\u{08}": "\\b"
        case "\u{0C}": "\\f"
        // Escape control characters and bidirectional marks, so that a terminal shows them.
        case ..<" ", "\u{7F}"..."\u{9F}", "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}":
            "\\u" + Hex.text(UInt16(truncatingIfNeeded: scalar.value))
        default: nil
        }
    }
}

extension JSONObject {
    /// Writes the indented JSON text of the object in pieces, with an array as an additional last member. The
    /// elements are produced one after another, so that a long array is never in memory as a whole.
    ///
    /// - Parameter layout: the layout of each element, which begins on a line of its own.
    public func write(
        array name: String, of elements: some Sequence<JSONValue>, _ layout: JSONValue.Layout = .indented,
        to output: (String) -> Void
    ) {
        var text = JSONText()
        text += "{"
        for member in members {
            text += "\n  "
            JSONValue.quote(member.name, into: &text)
            text += ": "
            member.value.write(into: &text, .indented, level: 1)
            text += ","
        }
        text += "\n  "
        JSONValue.quote(name, into: &text)
        text += ": ["
        var isEmpty = true
        for element in elements {
            text += isEmpty ? "\n    " : ",\n    "
            isEmpty = false
            element.write(into: &text, layout, level: 2)
            output(text.string)
            text.removeAll()
        }
        text += isEmpty ? "]\n}" : "\n  ]\n}"
        output(text.string)
    }
}

/// A text in construction. Appending bytes is faster than appending to a `String`, so a piece is collected as bytes.
private struct JSONText {
    /// The bytes after which a piece is appended to the text.
    private static let pieceSize = 16 << 10

    private var done = ""
    private var piece: [UInt8] = []

    /// The text.
    var string: String {
        mutating get {
            endPiece()
            return done
        }
    }

    static func += (text: inout JSONText, addition: String) { text.append(addition.utf8) }
    static func += (text: inout JSONText, addition: Substring) { text.append(addition.utf8) }

    private mutating func append(_ bytes: some Sequence<UInt8>) {
        // A piece ends where an addition ends, and so never inside a character.
        if piece.count >= Self.pieceSize { endPiece() }
        piece.append(contentsOf: bytes)
    }

    private mutating func endPiece() {
        done += String(decoding: piece, as: UTF8.self)
        piece.removeAll(keepingCapacity: true)
    }

    /// Appends two spaces for each level.
    mutating func indent(_ level: Int) { append(repeatElement(UInt8(ascii: " "), count: 2 * level)) }

    /// Removes the text.
    mutating func removeAll() {
        done = ""
        piece.removeAll(keepingCapacity: true)
    }
}
