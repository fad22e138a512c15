/// Checks btparse's grammar, which BibDesk and its app use. It accepts or refuses a block and does not repair it.
struct AppGrammar {
    private let bytes: [UInt8]
    private var position: Int
    private let end: Int

    /// A refusal at an offset.
    private struct Refusal: Error {
        let offset: Int
        let message: String
        /// Whether the bytes ended inside an unfinished block.
        let isAtEnd: Bool
    }

    /// Why btparse refuses a range of a file that is one whole block; nil if it does not.
    static func problem(_ bytes: [UInt8], _ range: Range<Int>) -> (Int, String)? {
        refusal(bytes, range).map { ($0.offset, $0.message) }
    }

    /// Whether the bytes end inside a block, as those of a truncated file do.
    static func isCutOff(_ bytes: [UInt8]) -> Bool { refusal(bytes, 0..<bytes.count)?.isAtEnd ?? false }

    private static func refusal(_ bytes: [UInt8], _ range: Range<Int>) -> Refusal? {
        var grammar = AppGrammar(bytes: bytes, position: range.lowerBound, end: range.upperBound)
        do throws(Refusal) {
            while try grammar.isAtEntry() { try grammar.entry() }
            return nil
        } catch {
            return error
        }
    }

    private func refusal(_ message: String, at offset: Int? = nil) -> Refusal {
        Refusal(offset: offset ?? position, message: message, isAtEnd: position >= end)
    }

    // MARK: text between entries

    /// Moves after the next `@` outside comments. A comment begins with a `%` after white space and ends with its
    /// line.
    private mutating func isAtEntry() throws(Refusal) -> Bool {
        while position < end {
            let byte = bytes[position]
            if BibTeXBytes.isSpace(byte) {
                position += 1
            } else if byte == BibTeXBytes.at {
                position += 1
                return true
            } else if !takeComment() {
                while position < end, bytes[position] != BibTeXBytes.at, !BibTeXBytes.isSpace(bytes[position])
                {
                    position += 1
                }
            }
        }
        return false
    }

    /// Skips a comment. One without a line end is the last line of the file and does not count as a comment.
    private mutating func takeComment() -> Bool {
        guard position < end, bytes[position] == BibTeXBytes.percent else { return false }
        let lineEnd = BlockSplitter.endOfLine(bytes, from: position, limit: bytes.count)
        guard lineEnd < bytes.count else { return false }
        position = min(lineEnd, end)
        return true
    }

    // MARK: entries

    private mutating func skipSpace() {
        while position < end {
            if BibTeXBytes.isSpace(bytes[position]) {
                position += 1
            } else if !takeComment() {
                return
            }
        }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard position < end, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    /// Reads a name; `what` describes it in the error.
    private mutating func name(_ what: String, mayBeNumber: Bool) throws(Refusal) -> ArraySlice<UInt8> {
        skipSpace()
        let start = position
        while position < end, BibTeXBytes.isNameByte(bytes[position]) { position += 1 }
        let name = bytes[start..<position]
        if position < end, bytes[position] >= 0x80 {
            throw refusal("Expected \(what) of ASCII letters, digits and signs.")
        }
        guard !name.isEmpty else { throw refusal("Expected \(what).") }
        if !mayBeNumber, let first = name.first, BibTeXBytes.isDigit(first) {
            throw refusal("Expected \(what), which must not begin with a digit.", at: start)
        }
        return name
    }

    private mutating func entry() throws(Refusal) {
        let type = BibTeXBytes.lowered(try name("the type of an entry", mayBeNumber: false))
        skipSpace()
        let isInBraces = take(BibTeXBytes.openBrace)
        guard isInBraces || take(BibTeXBytes.openParenthesis) else {
            throw refusal("Expected { or ( after the entry type.")
        }
        if type.elementsEqual("comment".utf8) { return try comment(isInBraces) }
        if type.elementsEqual("preamble".utf8) {
            try value()
            return try close("the preamble")
        }
        if !type.elementsEqual("string".utf8) {
            _ = try name("a cite key", mayBeNumber: true)
            guard take(BibTeXBytes.comma) else {
                throw refusal("Expected a comma after the cite key.")
            }
        }
        try fields()
    }

    private mutating func fields() throws(Refusal) {
        while true {
            skipSpace()
            if isAtClose { return try close("the entry") }
            _ = try name("the name of a field", mayBeNumber: false)
            guard take(BibTeXBytes.equals) else { throw refusal("Expected = behind the name of the field.") }
            try value()
            if take(BibTeXBytes.comma) { continue }
            guard isAtClose else { throw refusal("Expected a comma or the end of the entry.") }
        }
    }

    private var isAtClose: Bool {
        position < end
            && (bytes[position] == BibTeXBytes.closeBrace || bytes[position] == BibTeXBytes.closeParenthesis)
    }

    private mutating func close(_ what: String) throws(Refusal) {
        skipSpace()
        guard isAtClose else { throw refusal("Expected the end of \(what).") }
        position += 1
    }

    private mutating func value() throws(Refusal) {
        repeat {
            skipSpace()
            guard position < end else { throw refusal("Expected a value.") }
            switch bytes[position] {
            case BibTeXBytes.openBrace: try braces()
            case BibTeXBytes.quote: try quotes()
            default:
                let start = position
                while position < end, BibTeXBytes.isNameByte(bytes[position]) { position += 1 }
                guard position > start else { throw refusal("Expected a value.") }
            }
            skipSpace()
        } while take(BibTeXBytes.hash)
    }

    private mutating func braces() throws(Refusal) {
        let start = position
        var depth = 0
        while position < end {
            if bytes[position] == BibTeXBytes.openBrace { depth += 1 }
            if bytes[position] == BibTeXBytes.closeBrace { depth -= 1 }
            position += 1
            if depth == 0 { return }
        }
        throw refusal("The braces of this value do not balance.", at: start)
    }

    private mutating func quotes() throws(Refusal) {
        let start = position
        var depth = 0
        position += 1
        while position < end {
            let byte = bytes[position]
            if byte == BibTeXBytes.openBrace { depth += 1 }
            if byte == BibTeXBytes.closeBrace { depth -= 1 }
            guard depth >= 0 else { throw refusal("This closing brace has no opening brace.") }
            position += 1
            if byte == BibTeXBytes.quote, depth == 0 { return }
        }
        throw refusal("The closing quote of this value is missing.", at: start)
    }

    /// Reads the rest of a comment after its opening delimiter.
    private mutating func comment(_ isInBraces: Bool) throws(Refusal) {
        position -= 1
        if isInBraces { return try braces() }
        let start = position
        var depth = 0
        var braces = 0
        while position < end {
            switch bytes[position] {
            case BibTeXBytes.openBrace: braces += 1
            case BibTeXBytes.closeBrace: braces -= 1
            case BibTeXBytes.openParenthesis: depth += 1
            case BibTeXBytes.closeParenthesis: depth -= 1
            default: break
            }
            position += 1
            guard braces >= 0 else {
                throw refusal("This closing brace has no opening brace.", at: position - 1)
            }
            if depth == 0 {
                guard braces == 0 else {
                    throw refusal("The braces of this comment do not balance.", at: start)
                }
                return
            }
        }
        throw refusal("The end of this comment is missing.", at: start)
    }
}
