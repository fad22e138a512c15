/// The text before a block, or after the last one, in the encoding of its block.
struct LeadingText {
    let bytes: [UInt8]
    let encoding: BibTeXEncoding

    init(before block: BibTeXBlock) {
        bytes = Array(block.bytes(block.leading))
        encoding = block.encoding
    }

    /// Whether there is only white space.
    var isBlank: Bool { bytes.allSatisfy(BibTeXBytes.isSpace) }

    /// The text as letters.
    var text: String { encoding.text(bytes) }

    /// The bytes in another encoding. Letters that it lacks become TeX commands. If a letter does not have a command,
    /// the bytes are unchanged.
    func bytes(in other: BibTeXEncoding) -> [UInt8] {
        guard encoding != other, bytes.contains(where: { $0 >= 0x80 }) else { return bytes }
        return BlockParser.text([], other).encoded(text) ?? bytes
    }

    /// The text divided into the part of the file and the part of the block. BibDesk's header, and all text that an
    /// empty line separates from the block, belong to the file.
    var parts: (file: String, block: String) {
        let text = text
        var file = text.startIndex
        var position = text.startIndex
        var isEmptyLine = false
        while position < text.endIndex {
            let end = text[position...].firstIndex(where: \.isNewline) ?? text.endIndex
            let next = end < text.endIndex ? text.index(after: end) : end
            let line = text[position..<end]
            isEmptyLine = line.allSatisfy(\.isWhitespace)
            // The first line may begin with a byte order mark.
            if isEmptyLine && position > text.startIndex || Self.isHeader(line.drop { $0 == "\u{FEFF}" }) {
                file = next
            }
            position = next
        }
        return (String(text[..<file]), String(text[file...]))
    }

    /// Whether a line is one of the header that BibDesk writes.
    static func isHeader(_ line: some StringProtocol) -> Bool {
        ["%% Created for ", "%% Saved with string encoding ", "%% This BibTeX bibliography file was created"]
            .contains { line.hasPrefix($0) }
    }
}

extension BibTeXBlock {
    /// The block with the texts of removed blocks before it, in its own encoding.
    func following(_ texts: [LeadingText]) -> BibTeXBlock {
        let text = texts.reduce(into: []) { $0 += $1.bytes(in: encoding) }
        let rest = bytes(leading)
        if kind == .text { return BlockParser.text((text + rest)[...], encoding) }
        return leading(rest.allSatisfy(BibTeXBytes.isSpace) ? text : text + rest)
    }
}
