/// Splits the bytes of a file into blocks, in one pass and without loss.
///
/// An entry ends when its braces balance. If braces are still open at the end of the file, an entry has lost its
/// closing brace: it is cut before the next line that begins like an entry, so that it does not swallow the rest of
/// the library.
struct BlockSplitter {
    private let bytes: [UInt8]
    private var position = 0
    /// The open braces that are never closed, counted without regard to quotes and comments. Nil until one is
    /// suspected, so only damaged files pay for the count, and only once; the total time stays linear.
    private var unclosed: Set<Int>?
    /// Whether an earlier block in parentheses did not end.
    private var hasOpenParenthesis = false

    /// The beginning of a block, before its content.
    struct Header {
        let at: Int
        let type: Range<Int>
        /// The opening delimiter; nil for a comment without one.
        let open: Int?
        let kind: BibTeXBlock.Kind
    }

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The blocks of a file.
    static func blocks(_ bytes: [UInt8]) -> [BibTeXBlock] {
        var splitter = BlockSplitter(bytes)
        var blocks: [BibTeXBlock] = []
        var start = 0
        let lineEnd = BibTeXBlock.LineEnd(in: bytes) ?? .lineFeed
        if bytes.count < BibTeXBlock.largestFile {
            while let header = splitter.nextHeader() {
                let (end, isCut) = splitter.end(of: header)
                var block = BlockParser.block(bytes, from: start, header, end: end, isCut: isCut)
                block.lineEnd = lineEnd
                blocks.append(block)
                start = end
                splitter.position = end
            }
        }
        if start < bytes.count { blocks.append(BlockParser.text(bytes[start...])) }
        return blocks
    }

    // MARK: beginnings

    /// The header of the next block. Lines whose first character is `%` are comments; the rest of a line after a
    /// block counts as a line.
    private mutating func nextHeader() -> Header? {
        var isBlank = true
        if position == 0, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        while position < bytes.count {
            let byte = bytes[position]
            if byte == BibTeXBytes.at {
                if let header = header(at: position) { return header }
                isBlank = false
            } else if byte == BibTeXBytes.percent, isBlank {
                position = Self.endOfLine(bytes, from: position, limit: bytes.count)
                continue
            } else if BibTeXBytes.isLineEnd(byte) {
                isBlank = true
            } else if !BibTeXBytes.isSpace(byte) {
                isBlank = false
            }
            position += 1
        }
        return nil
    }

    /// The header that an `@` begins; nil if the `@` is part of a text.
    private func header(at: Int) -> Header? {
        var index = at + 1
        while index < bytes.count, BibTeXBytes.isSpace(bytes[index]) { index += 1 }
        let start = index
        while index < bytes.count, BibTeXBytes.isWideNameByte(bytes[index]) { index += 1 }
        guard index > start else { return nil }
        let type = start..<index
        let kind = Self.kind(BibTeXBytes.lowered(bytes[type]))
        while index < bytes.count {
            if bytes[index] == BibTeXBytes.percent, kind != .comment {
                index = Self.endOfLine(bytes, from: index, limit: bytes.count)
            } else if BibTeXBytes.isSpace(bytes[index]) {
                index += 1
            } else {
                break
            }
        }
        if index < bytes.count,
            bytes[index] == BibTeXBytes.openBrace || bytes[index] == BibTeXBytes.openParenthesis
        {
            return Header(at: at, type: type, open: index, kind: kind)
        }
        return kind == .comment ? Header(at: at, type: type, open: nil, kind: kind) : nil
    }

    private static func kind(_ type: [UInt8]) -> BibTeXBlock.Kind {
        switch type.count {
        case 6 where type.elementsEqual("string".utf8): .string
        case 7 where type.elementsEqual("comment".utf8): .comment
        case 8 where type.elementsEqual("preamble".utf8): .preamble
        case 12 where type.elementsEqual("bibdesk_info".utf8): .info
        default: .entry
        }
    }

    static func endOfLine(_ bytes: [UInt8], from start: Int, limit: Int) -> Int {
        var index = start
        while index < limit, !BibTeXBytes.isLineEnd(bytes[index]) { index += 1 }
        return index
    }

    /// Whether a `%` after the first letter of a cite key belongs to the key, as in BibTeX, instead of beginning a
    /// comment: it does if a comma follows without white space in between.
    static func isInKey(_ bytes: [UInt8], _ percent: Int, limit: Int) -> Bool {
        var index = percent + 1
        while index < limit {
            switch bytes[index] {
            case BibTeXBytes.comma: return true
            case BibTeXBytes.equals, BibTeXBytes.openBrace, BibTeXBytes.closeBrace: return false
            case let byte where BibTeXBytes.isSpace(byte): return false
            default: index += 1
            }
        }
        return false
    }

    // MARK: ends

    /// The index after the block, and whether the block was cut because it does not end.
    private mutating func end(of header: Header) -> (Int, isCut: Bool) {
        guard let open = header.open else {
            // The type may be on a later line than the `@`.
            return (Self.endOfLine(bytes, from: header.type.upperBound, limit: bytes.count), false)
        }
        let isComment = header.kind == .comment
        if bytes[open] == BibTeXBytes.openParenthesis {
            if !hasOpenParenthesis {
                if let end = endOfParentheses(open, isComment: isComment) { return (end, false) }
                hasOpenParenthesis = true
            }
            let cut = cut(after: open)
            guard let end = endOfParentheses(open, isComment: isComment, limit: cut) else {
                return (cut, true)
            }
            return (end, false)
        }
        if unclosed == nil {
            if let end = endOfBraces(open, isRaw: isComment) { return (end, false) }
            unclosed = Self.unclosedBraces(bytes)
        }
        if unclosed?.contains(open) != true, let end = endOfBraces(open, isRaw: true) { return (end, false) }
        return (cut(after: open), true)
    }

    /// The index after the brace that closes the one at `open`. Unless `isRaw`, comments outside values are skipped.
    private func endOfBraces(_ open: Int, isRaw: Bool) -> Int? {
        var depth = 1
        var isQuoted = isRaw
        // The last character outside values: a quote begins a text only after `=` or `#`.
        var last: UInt8 = 0
        var isInKey = true
        var index = open + 1
        while index < bytes.count {
            let byte = bytes[index]
            if byte == BibTeXBytes.openBrace {
                depth += 1
            } else if byte == BibTeXBytes.closeBrace {
                depth -= 1
                if depth == 0 { return index + 1 }
            } else if depth == 1, !isRaw, !BibTeXBytes.isSpace(byte) {
                if isQuoted {
                    if byte == BibTeXBytes.quote { isQuoted = false }
                } else if byte == BibTeXBytes.quote {
                    isQuoted = last == BibTeXBytes.equals || last == BibTeXBytes.hash
                } else if byte == BibTeXBytes.percent {
                    let isKey = isInKey && last != 0 && !BibTeXBytes.isSpace(bytes[index - 1])
                    if !isKey || !Self.isInKey(bytes, index, limit: bytes.count) {
                        index = Self.endOfLine(bytes, from: index, limit: bytes.count)
                        continue
                    }
                } else if byte == BibTeXBytes.comma || byte == BibTeXBytes.equals {
                    isInKey = false
                }
                last = byte
            }
            index += 1
        }
        return nil
    }

    /// The index after the end of a block in parentheses; an extra `}` also ends it. Comments may nest parentheses.
    private func endOfParentheses(_ open: Int, isComment: Bool, limit: Int? = nil) -> Int? {
        var depth = 0
        var nested = 0
        var isQuoted = false
        var last: UInt8 = 0
        var index = open + 1
        while index < limit ?? bytes.count {
            let byte = bytes[index]
            switch byte {
            case BibTeXBytes.openBrace: depth += 1
            case BibTeXBytes.closeBrace:
                depth -= 1
                if depth < 0 { return index + 1 }
            case _ where depth > 0 || BibTeXBytes.isSpace(byte): break
            case BibTeXBytes.openParenthesis where isComment: nested += 1
            case BibTeXBytes.closeParenthesis where !isQuoted:
                nested -= 1
                if nested < 0 { return index + 1 }
            case BibTeXBytes.quote where isQuoted: isQuoted = false
            case BibTeXBytes.quote:
                isQuoted = !isComment && (last == BibTeXBytes.equals || last == BibTeXBytes.hash)
            case BibTeXBytes.percent where !isQuoted && !isComment:
                index = Self.endOfLine(bytes, from: index, limit: bytes.count)
                continue
            default: break
            }
            if depth == 0, !BibTeXBytes.isSpace(byte) { last = byte }
            index += 1
        }
        return nil
    }

    /// Where to cut a block that does not end: after the last character before the next line that begins like a
    /// block.
    private func cut(after open: Int) -> Int {
        var index = open + 1
        while index < bytes.count {
            index = Self.endOfLine(bytes, from: index, limit: bytes.count)
            let end = index
            while index < bytes.count, BibTeXBytes.isSpace(bytes[index]) { index += 1 }
            guard index < bytes.count, bytes[index] == BibTeXBytes.at, header(at: index) != nil else {
                continue
            }
            var cut = end
            while cut > open + 1, BibTeXBytes.isSpace(bytes[cut - 1]) { cut -= 1 }
            return cut
        }
        return bytes.count
    }

    private static func unclosedBraces(_ bytes: [UInt8]) -> Set<Int> {
        var open: [Int] = []
        for (index, byte) in bytes.enumerated() {
            if byte == BibTeXBytes.openBrace {
                open.append(index)
            } else if byte == BibTeXBytes.closeBrace {
                _ = open.popLast()
            }
        }
        return Set(open)
    }
}
