import CSystemShims

/// Measures and cuts text by the cells it takes on a terminal, and makes text from devices harmless to print.
enum TerminalText {
    /// Cells `text` takes. A grapheme cluster takes the cells of its widest scalar; an emoji presentation takes two.
    static func width(of text: String) -> Int {
        if isPlain(text) { return text.utf8.count }
        return text.reduce(0) { $0 + cells(of: $1) }
    }

    /// `text` cut to at most `cells` cells, the last one an ellipsis if anything was cut.
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

    /// `text` as lines of at most `cells` cells, broken between words; a longer word stands on its own line, whole.
    /// There is always a line.
    static func wrapped(_ text: String, to cells: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        var used = 0
        for word in text.split(separator: " ") {
            let taken = width(of: String(word))
            if used > 0, used + 1 + taken > cells {
                lines.append(line)
                (line, used) = ("", 0)
            }
            line += (used > 0 ? " " : "") + word
            used += (used > 0 ? 1 : 0) + taken
        }
        return lines + [line]
    }

    /// The same, but a word longer than a line is broken where the line ends.
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

    /// `text` on one line without control characters, so that a title cannot steer the terminal or forge a table row.
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

    /// Whether the text has visible characters of ASCII and blanks only, as most have: each takes one cell, and none steers a terminal.
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
