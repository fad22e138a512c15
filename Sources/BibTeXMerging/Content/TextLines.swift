/// Lines of the text between blocks.
enum TextLines {
    /// The lines that contain more than white space.
    static func filled(_ text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).filter { line in line.contains { !$0.isWhitespace } }
            .map(String.init)
    }

    /// Whether BibDesk rewrites the line each time it saves the file.
    static func isHeader(_ line: String) -> Bool {
        ["%% Created for ", "%% Saved with string encoding ", "%% This BibTeX bibliography file was created"]
            .contains { line.hasPrefix($0) }
    }
}
