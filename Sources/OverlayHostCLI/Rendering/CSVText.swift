/// A table as CSV (RFC 4180): a header, and lines that end in CR and LF but for the last.
///
/// A text that a spreadsheet would take for a formula gets an apostrophe before it.
enum CSVText {
    /// What a field holds.
    enum Field {
        /// Words of books and people; nil is an empty field.
        case text(String?)
        /// A number or another value whose form the host decides.
        case plain(String?)
    }

    /// The text of a table; every row has as many fields as the header.
    static func table(_ header: [String], _ rows: some Sequence<[Field]>) -> String {
        var text = ""
        write(header, rows) { text += $0 }
        return text
    }

    /// Hands over the text of a table line by line.
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
        if let first = text.unicodeScalars.first, "=+-@\t\n".unicodeScalars.contains(first) {
            text = "'" + text
        }
        // A mark that combines with a comma or a quotation mark does not keep it from being one.
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
