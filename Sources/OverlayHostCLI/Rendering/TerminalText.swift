import CSystemShims

/// Measures and cuts text by the cells that it takes on a terminal, and makes text from devices safe to print.
enum TerminalText {
    /// The cells that `text` takes. A grapheme cluster takes the cells of its widest scalar; an emoji presentation
    /// takes two.
    static func width(of text: String) -> Int {
        if isPlain(text) { return text.utf8.count }
        return text.reduce(0) { $0 + cells(of: $1) }
    }

    /// `text` cut to at most `cells` cells; if anything was cut, the last one is an ellipsis.
    static func truncated(_ text: String, to cells: Int) -> String {
        guard width(of: text) > cells else { return text }
        guard cells > 1 else { return cells == 1 ? "…" : "" }
        var kept = ""
        var used = 0
        for character in text {
            let next = self.cells(of: character)
            if used + next > cells - 1 { break }
            kept.append(character)
            used += next
        }
        return kept + "…"
    }

    /// `text` as lines of at most `cells` cells, wrapped between words; a longer word gets its own, wider line. There
    /// is always at least one line.
    ///
    /// - Parameter keepsSpaces: whether several spaces between words stay, as they must in names.
    static func wrapped(_ text: String, to cells: Int, keepsSpaces: Bool = false) -> [String] {
        var lines: [String] = []
        var line = ""
        var (used, isFirst) = (0, true)
        for word in text.split(separator: " ", omittingEmptySubsequences: !keepsSpaces) {
            let taken = width(of: String(word))
            if !isFirst, used + 1 + taken > cells {
                lines.append(line)
                (line, used, isFirst) = ("", 0, true)
            }
            line += (isFirst ? "" : " ") + word
            used += (isFirst ? 0 : 1) + taken
            isFirst = false
        }
        return lines + [line]
    }

    /// A line as lines of at most `cells` cells, wrapped between words. They begin with the spaces of the line, and
    /// those after the first with at least two. A line that fits stays as it is.
    static func indented(_ line: String, to cells: Int) -> [String] {
        guard width(of: line) > cells else { return [line] }
        let indent = String(line.prefix { $0 == " " })
        let below = indent.count < 2 ? "  " : indent
        let text = String(line.dropFirst(indent.count))
        return wrapped(text, to: max(16, cells - below.count), keepsSpaces: true).enumerated().map {
            ($0 == 0 ? indent : below) + $1
        }
    }

    /// The same as `wrapped`, but a word longer than a line is broken at the end of the line.
    static func broken(_ text: String, to cells: Int) -> [String] {
        wrapped(text, to: cells).flatMap { line -> [String] in
            guard width(of: line) > cells else { return [line] }
            var lines: [String] = []
            var rest = ""
            var used = 0
            for character in line {
                let next = self.cells(of: character)
                if used > 0, used + next > cells {
                    lines.append(rest)
                    (rest, used) = ("", 0)
                }
                rest.append(character)
                used += next
            }
            return lines + [rest]
        }
    }

    /// `text` followed, or preceded, by spaces up to `cells` cells.
    static func padded(_ text: String, to cells: Int, alignment: TextTable.Alignment) -> String {
        let gap = String(repeating: " ", count: max(0, cells - width(of: text)))
        return alignment == .left ? text + gap : gap + text
    }

    /// `text` on one line without control characters, so that a title cannot control the terminal or forge a table
    /// row.
    static func sanitized(_ text: String) -> String {
        if isPlain(text) { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .lineSeparator, .paragraphSeparator: result.append(" ")
            case .control:
                result.append(scalar == "\n" || scalar == "\t" || scalar == "\r" ? " " : "\u{FFFD}")
            // Bidirectional overrides and isolates could reorder the rest of the line.
            case .format
            where (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value):
                result.append("\u{FFFD}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// Whether the text has only visible ASCII characters and spaces, as most texts do: each takes one cell, and none
    /// controls a terminal.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { (UInt8(ascii: " ")...UInt8(ascii: "~")).contains($0) }
    }

    private static func cells(of character: Character) -> Int {
        var widest = 0
        for scalar in character.unicodeScalars {
            if scalar.value == 0xFE0F { return 2 }
            widest = max(widest, Int(shim_terminal_cells(scalar.value)))
        }
        return widest
    }
}
