import BibTeX

/// Lines of the text between blocks.
enum TextLines {
    /// The lines that contain more than white space.
    static func filled(_ text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).filter { line in line.contains { !$0.isWhitespace } }
            .map(String.init)
    }

    /// Whether BibDesk rewrites the line each time it saves the file.
    static func isHeader(_ line: String) -> Bool {
        BibTeXDocument.isHeader(line)
    }
}

extension BibTeXDocument {
    /// The lines between its blocks that contain more than white space.
    var lines: Set<String> { Set(blocks.flatMap { TextLines.filled($0.text($0.leading)) }) }
}

extension BibTeXBlock {
    /// The block with the text before a version of it, without lines that came from before other blocks.
    ///
    /// - Parameter others: lines that the file contains elsewhere. They are left out unless the block also has them.
    /// - Returns: the same block if its encoding lacks a letter of the text.
    func withText(of version: BibTeXBlock, besides others: Set<String>) -> BibTeXBlock {
        withText(
            of: version, besides: others,
            own: Dictionary(TextLines.filled(text(leading)).map { ($0, 1) }, uniquingKeysWith: +))
    }

    /// The block without lines of the text before it that are elsewhere in the file.
    func withoutText(_ others: Set<String>) -> BibTeXBlock { withText(of: self, besides: others, own: [:]) }

    private func withText(
        of version: BibTeXBlock, besides others: Set<String>, own: [String: Int]
    ) -> BibTeXBlock {
        var own = own
        // Text that moved with the block precedes the block's own text.
        var kept: [Substring] = []
        for line in version.text(version.leading)
            .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).reversed()
        {
            let count = own[String(line), default: 0]
            own[String(line)] = count - 1
            if count > 0 || !others.contains(String(line)) { kept.append(line) }
        }
        let text = kept.reversed().joined(separator: "\n")
        let end = text.contains { !$0.isWhitespace } ? text.drop(while: \.isNewline) : text[...]
        let gap = text.prefix { $0.isNewline }.prefix(2)
        return encodedBody(String(gap + end)).map(leading) ?? self
    }
}
