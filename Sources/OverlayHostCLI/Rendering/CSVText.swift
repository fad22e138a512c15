import Platform

/// A table as CSV (RFC 4180): a header and rows, separated by CR LF.
///
/// An apostrophe precedes text that a spreadsheet would take for a formula. Control characters are replaced, because
/// the table may be printed on a terminal.
enum CSVText {
    /// The content of a field.
    enum Field {
        /// Text from books and people; nil is an empty field.
        case text(String?)
        /// A number, or another value whose form the host determines.
        case plain(String?)
    }

    /// The text of a table; every row has as many fields as the header.
    static func table(_ header: [String], _ rows: some Sequence<[Field]>) -> String {
        var text = ""
        write(header, rows) { text += $0 }
        return text
    }

    /// Passes the text of a table to the closure line by line.
    static func write(_ header: [String], _ rows: some Sequence<[Field]>, to output: (String) -> Void) {
        output(header.joined(separator: ","))
        for row in rows { output("\r\n" + row.map(written).joined(separator: ",")) }
    }

    private static func written(_ field: Field) -> String {
        switch field {
        case .text(let text): written(text)
        case .plain(let text): text ?? ""
        }
    }

    private static func written(_ text: String?) -> String {
        guard var text = text?.replacing("\r\n", with: "\n").replacing("\r", with: "\n") else { return "" }
        text.unicodeScalars.removeAll { $0 == "\0" }
        let scalars = text.unicodeScalars.map { $0.isControl && $0 != "\n" && $0 != "\t" ? "\u{FFFD}" : $0 }
        text = String(String.UnicodeScalarView(scalars))
        if let first = text.unicodeScalars.first, "=+-@\t\n".unicodeScalars.contains(first) {
            text = "'" + text
        }
        // A comma or quotation mark with a combining mark still counts as one.
        guard text.unicodeScalars.contains(where: { ",\"\n".unicodeScalars.contains($0) }) else {
            return text
        }
        var quoted = "\"".unicodeScalars
        for scalar in text.unicodeScalars {
            if scalar == "\"" { quoted.append(scalar) }
            quoted.append(scalar)
        }
        quoted.append("\"")
        return String(quoted)
    }
}
