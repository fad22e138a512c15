/// The lines of the text between blocks.
enum TextLines {
    /// Those that have more than white space.
    static func filled(_ text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).filter { line in line.contains { !$0.isWhitespace } }
            .map(String.init)
    }

    /// Whether BibDesk writes a line anew whenever it saves the file.
    static func isHeader(_ line: String) -> Bool {
        ["%% Created for ", "%% Saved with string encoding ", "%% This BibTeX bibliography file was created"]
            .contains { line.hasPrefix($0) }
    }
}
