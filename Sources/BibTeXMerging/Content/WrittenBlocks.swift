import BibTeX

extension BibTeXBlock {
    /// The names of the readable fields, in lower case and in order.
    var fieldNames: [String] { fields.filter(\.isReadable).map(name) }

    /// A text in the block's encoding; nil if that lacks a letter.
    func encodedBody(_ text: String) -> [UInt8]? { encoding.bytes(text) }

    /// The block with another body after the same leading text; nil if the result is not a block of the same kind.
    func replacingBody(_ body: [UInt8]) -> BibTeXBlock? {
        replacing(leading.end..<bytes.count, with: body)
    }
}

extension BibTeXDocument {
    /// Adds blocks unchanged, readable or not, with the comments before them. The file's header before the first
    /// block is left out.
    mutating func addWhole(_ blocks: [BibTeXBlock]) {
        let lineEnd = lineEnd
        let head = Set(self.blocks.first.map { TextLines.filled($0.text($0.leading)) } ?? [])
        func written(_ text: String) -> String {
            text.replacing("\r\n", with: "\n").replacing("\r", with: "\n").replacing("\n", with: lineEnd)
        }
        add(
            blocks.map { block in
                var comment = block.text(block.leading)
                if !head.isDisjoint(with: TextLines.filled(comment)) {
                    // Keep empty lines, so that the next merge produces the same text.
                    comment = comment.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
                        .filter { !head.contains(String($0)) }.joined(separator: "\n")
                }
                let isComment = comment.contains { !$0.isWhitespace }
                let text = comment.drop { $0.isNewline }
                return (Array(written(block.bodyText).utf8), isComment ? written(String(text)) : "")
            })
    }
}
