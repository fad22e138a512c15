/// The value of a field or a macro: texts, numbers and macro names, joined by `#`.
public struct BibTeXValue: Hashable, Sendable {
    /// One part of a value.
    public enum Piece: Hashable, Sendable {
        /// A text in braces or quotes, without them.
        case text(String)
        /// Digits without delimiters.
        case number(String)
        /// The name of a macro, in the spelling of the file.
        case macro(String)
    }

    /// The parts in order. A value has at least one.
    public var pieces: [Piece]

    /// Creates a value with these parts.
    public init(pieces: [Piece]) { self.pieces = pieces.isEmpty ? [.text("")] : pieces }

    /// Creates a value of one text.
    public init(_ text: String) { pieces = [.text(text)] }

    /// The text, if the value is one text; nil for numbers, macros and joined values.
    public var plainText: String? {
        if pieces.count == 1, case .text(let text) = pieces[0] { text } else { nil }
    }

    /// Whether the value is empty. BibDesk drops such a field, so it counts as missing.
    public var isEmpty: Bool { plainText?.allSatisfy(\.isWhitespace) ?? false }

    /// The names of the macros it uses, in lower case.
    public var macroNames: [String] {
        pieces.compactMap { if case .macro(let name) = $0 { name.lowercased() } else { nil } }
    }

    /// The form in which values are compared: texts without TeX's spelling, and macros in lower case.
    ///
    /// - Parameter keepsLines: whether line ends in texts count, as in notes and abstracts.
    public func canonical(keepsLines: Bool = false) -> BibTeXValue {
        BibTeXValue(
            pieces: pieces.map { piece in
                switch piece {
                case .text(let text): .text(TeXText.canonical(text, keepsLines: keepsLines))
                case .number: piece
                case .macro(let name): .macro(name.lowercased())
                }
            })
    }

    /// The value as a file contains it, with texts in braces.
    public var written: String {
        pieces.map { piece in
            switch piece {
            case .text(let text): "{" + Self.balanced(text) + "}"
            case .number(let digits): digits
            case .macro(let name): name
            }
        }.joined(separator: " # ")
    }

    /// The text with every unmatched brace replaced by its command, because braces in a file must balance.
    static func balanced(_ text: String) -> String {
        var open: [Int] = []
        var alone: Set<Int> = []
        for (place, byte) in text.utf8.enumerated() {
            if byte == UInt8(ascii: "{") { open.append(place) }
            if byte == UInt8(ascii: "}"), open.popLast() == nil { alone.insert(place) }
        }
        alone.formUnion(open)
        guard !alone.isEmpty else { return text }
        var bytes: [UInt8] = []
        for (place, byte) in text.utf8.enumerated() {
            guard alone.contains(place) else {
                bytes.append(byte)
                continue
            }
            // A backslash before the brace was meant to escape it.
            if bytes.last == UInt8(ascii: "\\") { bytes.removeLast() }
            bytes += (byte == UInt8(ascii: "{") ? "{\\textbraceleft}" : "{\\textbraceright}").utf8
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension BibTeXValue {
    /// Reads the bytes of a value that the parser accepted.
    init(_ bytes: ArraySlice<UInt8>, _ encoding: BibTeXEncoding) {
        var pieces: [Piece] = []
        var rest = bytes
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "%"): rest = rest.drop { $0 != 0x0A && $0 != 0x0D }
            case _ where Self.isBetween(byte): rest = rest.dropFirst()
            case UInt8(ascii: "{"), UInt8(ascii: "\""):
                let count = Self.lengthOfText(rest)
                pieces.append(.text(encoding.text(rest.prefix(count).dropFirst().dropLast())))
                rest = rest.dropFirst(count)
            default:
                let word = rest.prefix { !Self.isBetween($0) && $0 != UInt8(ascii: "%") }
                let isNumber = word.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
                pieces.append(isNumber ? .number(encoding.text(word)) : .macro(encoding.text(word)))
                rest = rest.dropFirst(word.count)
            }
        }
        self.init(pieces: pieces)
    }

    /// The length of the text in braces or quotes at the beginning of the bytes.
    private static func lengthOfText(_ bytes: ArraySlice<UInt8>) -> Int {
        let isQuoted = bytes.first == UInt8(ascii: "\"")
        var depth = 0
        for (place, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "{") { depth += 1 }
            if byte == UInt8(ascii: "}") { depth -= 1 }
            let isEnd = isQuoted ? place > 0 && byte == UInt8(ascii: "\"") : byte == UInt8(ascii: "}")
            if depth == 0, isEnd { return place + 1 }
        }
        return bytes.count
    }

    /// Whether the byte is white space or `#`.
    private static func isBetween(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "#") || byte == 0x20 || (byte >= 0x09 && byte <= 0x0D)
    }
}
