/// Parses one block with known bounds. It never fails: it records what it cannot read and skips it.
struct BlockParser {
    private let bytes: [UInt8]
    private let start: Int
    private let end: Int
    private var position: Int
    private var fields: [BibTeXField] = []
    private var diagnostics: [BibTeXDiagnostic] = []

    private init(_ bytes: [UInt8], start: Int, position: Int, end: Int) {
        self.bytes = bytes
        self.start = start
        self.position = position
        self.end = end
    }

    /// A block without an `@`.
    static func text(_ bytes: ArraySlice<UInt8>, _ encoding: BibTeXEncoding = .utf8) -> BibTeXBlock {
        var block = BibTeXBlock(
            kind: .text, bytes: bytes, leading: BibTeXSpan(0..<bytes.count), typeName: .none, keyName: .none,
            content: .none, fields: [], diagnostics: [])
        block.encoding = encoding
        return block
    }

    /// Parses the block from `start` to `end`, with its `@` and type at `header`.
    static func block(
        _ bytes: [UInt8], from start: Int, _ header: BlockSplitter.Header, end: Int, isCut: Bool
    ) -> BibTeXBlock {
        var parser = BlockParser(bytes, start: start, position: header.open.map { $0 + 1 } ?? end, end: end)
        var key: Range<Int>?
        let content = header.open.map { $0 + 1 } ?? header.type.upperBound
        var contentEnd = end
        if header.open != nil {
            contentEnd = parser.findClosing(header, isCut)
            switch header.kind {
            case .entry, .info:
                key = parser.key(contentEnd, isEntry: header.kind == .entry)
                parser.readFields(contentEnd)
            case .string: parser.readFields(contentEnd)
            case .preamble: parser.readPreamble(contentEnd)
            case .comment, .text: break
            }
        }
        if header.kind == .entry { parser.noteRepeatedFields() }
        return BibTeXBlock(
            kind: header.kind, bytes: bytes[start..<end], leading: BibTeXSpan(0..<(header.at - start)),
            typeName: parser.span(header.type), keyName: key.map(parser.span) ?? .none,
            content: parser.span(content..<contentEnd), fields: parser.fields,
            diagnostics: parser.diagnostics)
    }

    private func span(_ range: Range<Int>) -> BibTeXSpan {
        BibTeXSpan((range.lowerBound - start)..<(range.upperBound - start))
    }

    private mutating func note(
        _ severity: BibTeXDiagnostic.Severity, _ message: String, at place: Int? = nil
    ) {
        // A damaged block of many megabytes must not give endless diagnostics. The first error is always recorded,
        // because it makes the block opaque.
        let isFirstError = severity == .error && diagnostics.allSatisfy { $0.severity != .error }
        guard diagnostics.count < 100 || isFirstError else { return }
        diagnostics.append(
            BibTeXDiagnostic(severity: severity, message: message, offset: (place ?? position) - start))
    }

    /// The position of the closing delimiter, or the end if there is none.
    private mutating func findClosing(_ header: BlockSplitter.Header, _ isCut: Bool) -> Int {
        guard let open = header.open, end - 1 > open else { return end }
        let isBrace = bytes[open] == BibTeXBytes.openBrace
        let wanted = isBrace ? BibTeXBytes.closeBrace : BibTeXBytes.closeParenthesis
        let other = isBrace ? BibTeXBytes.closeParenthesis : BibTeXBytes.closeBrace
        if bytes[end - 1] == wanted, !isCut { return end - 1 }
        if bytes[end - 1] == other, header.kind != .comment {
            note(
                .warning, "The block is closed by another delimiter than the one that opens it.", at: end - 1)
            return end - 1
        }
        note(.error, "The closing delimiter is missing.", at: header.at)
        return end
    }

    // MARK: the parts of an entry

    /// Skips white space and comments.
    private mutating func skipSpace(_ limit: Int) {
        while position < limit {
            let byte = bytes[position]
            if byte == BibTeXBytes.percent {
                position = BlockSplitter.endOfLine(bytes, from: position, limit: limit)
            } else if BibTeXBytes.isSpace(byte) {
                position += 1
            } else {
                return
            }
        }
    }

    private mutating func key(_ limit: Int, isEntry: Bool) -> Range<Int>? {
        skipSpace(limit)
        let first = position
        while position < limit, !BibTeXBytes.isSpace(bytes[position]), bytes[position] != BibTeXBytes.comma,
            bytes[position] != BibTeXBytes.equals, bytes[position] != BibTeXBytes.openBrace,
            bytes[position] != BibTeXBytes.closeBrace,
            bytes[position] != BibTeXBytes.percent
                || (position > first && BlockSplitter.isInKey(bytes, position, limit: limit))
        {
            position += 1
        }
        var last = position
        skipSpace(limit)
        if position < limit, bytes[position] == BibTeXBytes.equals {
            // The supposed key is in fact the name of the first field.
            if isEntry { note(.error, "The entry has no cite key.", at: first) }
            position = first
            return nil
        }
        if position < limit, bytes[position] != BibTeXBytes.comma {
            note(
                isEntry ? .error : .warning,
                "The cite key contains a space or a character that is not allowed.",
                at: first)
            // If the key has no comma on its line, the first field would become a part of it.
            while position < limit, bytes[position] != BibTeXBytes.comma,
                !BibTeXBytes.isLineEnd(bytes[position])
            {
                position += 1
            }
            last = position
            while last > first, BibTeXBytes.isSpace(bytes[last - 1]) { last -= 1 }
        } else if last == first {
            if isEntry { note(.error, "The entry has no cite key.", at: first) }
        } else if let odd = (first..<last).first(where: { !BibTeXBytes.isNameByte(bytes[$0]) }), isEntry {
            note(.warning, "The cite key has a character that some programs do not accept.", at: odd)
        }
        if position < limit, bytes[position] == BibTeXBytes.comma {
            position += 1
        } else if isEntry, last > first {
            note(.warning, "A comma is missing after the cite key.", at: last)
        }
        return first..<last
    }

    private mutating func readFields(_ limit: Int) {
        var isBehindValue = false
        while true {
            skipSpace(limit)
            guard position < limit else { return }
            if bytes[position] == BibTeXBytes.comma {
                if !isBehindValue { note(.warning, "There is an extra comma.") }
                isBehindValue = false
                position += 1
                continue
            }
            if isBehindValue {
                guard isName(limit) else {
                    noteTextBehindValue()
                    extendLastField(limit)
                    continue
                }
                note(.error, "A comma is missing before this field.")
            }
            readField(limit)
            isBehindValue = true
        }
    }

    private mutating func readField(_ limit: Int) {
        let first = position
        while position < limit, BibTeXBytes.isWideNameByte(bytes[position]) { position += 1 }
        let name = first..<position
        skipSpace(limit)
        guard !name.isEmpty, position < limit, bytes[position] == BibTeXBytes.equals else {
            note(.error, "Expected a field: a name, an equals sign and a value.", at: first)
            return takeUnreadable(first..<first, from: first, limit)
        }
        if BibTeXBytes.isDigit(bytes[first]) {
            note(.error, "The name of a field must not begin with a digit.", at: first)
        } else if let odd = name.first(where: { !BibTeXBytes.isNameByte(bytes[$0]) }) {
            note(.warning, "The field's name has a character that some programs do not accept.", at: odd)
        }
        position += 1
        skipSpace(limit)
        let value = position
        guard let valueEnd = readValue(limit) else { return takeUnreadable(name, from: value, limit) }
        fields.append(
            BibTeXField(
                name: span(name), value: span(value..<valueEnd),
                isReadable: !BibTeXBytes.isDigit(bytes[first])))
    }

    /// Notes fields that a later field with the same name overrides.
    private mutating func noteRepeatedFields() {
        var seen: Set<[UInt8]> = []
        for field in fields where field.isReadable {
            let first = start + field.name.start
            let name = BibTeXBytes.lowered(bytes[first..<(start + field.name.end)])
            if !seen.insert(name).inserted {
                note(
                    .warning,
                    "The entry has this field already. BibDesk takes the last one, BibTeX the first.",
                    at: first)
            }
        }
    }

    /// Records a field that cannot be read; its value is everything up to the next comma. Without an equals sign, the
    /// field has no name.
    private mutating func takeUnreadable(_ name: Range<Int>, from value: Int, _ limit: Int) {
        skipToComma(limit)
        fields.append(
            BibTeXField(
                name: span(name), value: span(value..<max(value, position)), isReadable: false))
    }

    /// Marks the last field as unreadable and extends it to the next comma.
    private mutating func extendLastField(_ limit: Int) {
        skipToComma(limit)
        guard let field = fields.popLast() else { return }
        fields.append(
            BibTeXField(
                name: field.name, value: span((start + field.value.start)..<position), isReadable: false))
    }

    private mutating func noteTextBehindValue() {
        let isAccent =
            position >= 2 && bytes[position - 1] == BibTeXBytes.quote
            && bytes[position - 2] == UInt8(ascii: "\\")
        note(
            .error,
            isAccent
                ? "The value ends at an accent's quotation mark. To include it, put the value in braces."
                : "Unexpected text after the value.")
    }

    /// Moves to the next comma outside braces.
    private mutating func skipToComma(_ limit: Int) {
        var depth = 0
        while position < limit {
            switch bytes[position] {
            case BibTeXBytes.openBrace: depth += 1
            case BibTeXBytes.closeBrace: depth -= 1
            case BibTeXBytes.comma where depth <= 0: return
            default: break
            }
            position += 1
        }
    }

    /// Whether a name and an equals sign follow.
    private func isName(_ limit: Int) -> Bool {
        var index = position
        while index < limit, BibTeXBytes.isWideNameByte(bytes[index]) { index += 1 }
        guard index > position else { return false }
        while index < limit, BibTeXBytes.isSpace(bytes[index]) { index += 1 }
        return index < limit && bytes[index] == BibTeXBytes.equals
    }

    // MARK: values

    private mutating func readPreamble(_ limit: Int) {
        skipSpace(limit)
        guard position < limit else { return }
        guard readValue(limit) != nil else { return }
        skipSpace(limit)
        if position < limit { note(.error, "Unexpected text after the value.") }
    }

    /// Skips a value and returns its end; nil if there is no value or it does not end.
    private mutating func readValue(_ limit: Int) -> Int? {
        while true {
            guard readPiece(limit) else { return nil }
            let end = position
            skipSpace(limit)
            guard position < limit, bytes[position] == BibTeXBytes.hash else {
                // Comments after the value do not belong to it.
                return end
            }
            position += 1
            skipSpace(limit)
        }
    }

    private mutating func readPiece(_ limit: Int) -> Bool {
        guard position < limit else {
            note(.error, "The value is missing.")
            return false
        }
        let first = position
        switch bytes[position] {
        case BibTeXBytes.openBrace:
            var depth = 0
            while position < limit {
                if bytes[position] == BibTeXBytes.openBrace { depth += 1 }
                if bytes[position] == BibTeXBytes.closeBrace { depth -= 1 }
                position += 1
                if depth == 0 { return true }
            }
            note(.error, "The braces of the value do not balance.", at: first)
        case BibTeXBytes.quote:
            var depth = 0
            position += 1
            while position < limit {
                let byte = bytes[position]
                position += 1
                if byte == BibTeXBytes.openBrace { depth += 1 }
                if byte == BibTeXBytes.closeBrace { depth -= 1 }
                if depth < 0 { break }
                if depth == 0, byte == BibTeXBytes.quote { return true }
            }
            note(.error, "The closing quote of the value is missing.", at: first)
        default:
            while position < limit, BibTeXBytes.isWideNameByte(bytes[position]) { position += 1 }
            if position > first { return true }
            note(.error, "The value is missing.")
        }
        position = first
        return false
    }
}
