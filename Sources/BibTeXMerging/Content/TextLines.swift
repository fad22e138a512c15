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
