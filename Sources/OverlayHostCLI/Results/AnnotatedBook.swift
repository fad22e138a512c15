import FoundationEssentials
import JSON
import OverlayHost
import Platform

/// A book with its reader's annotations, in the forms for `annotations`.
struct AnnotatedBook {
    /// The reader app.
    var app: String
    var book: BookRecord

    /// The documented members; missing values are left out.
    var json: JSONValue {
        .document([
            "app": .string(app), "path": .string(book.path), "title": book.title.map { .string($0) },
            "authors": book.authors.map { .texts($0) },
            "annotations": .array(book.annotations.map(BookDocument.annotation)),
        ])
    }
}

/// A list of annotated books as text in a format. The texts of books and readers cannot change the structure.
enum AnnotationsText {
    /// The annotations of one book, in the forms that a backup stores.
    static func ofBook(_ book: BookRecord, _ app: String) -> (markdown: String, json: String) {
        let book = AnnotatedBook(app: app, book: book)
        return (markdown([book]), JSONValue.document(["books": .array([book.json])]).text(.indented))
    }

    // MARK: Markdown

    /// Markdown: a heading for each book, an item for each bookmark, and a quotation for each marked text.
    static func markdown(_ books: [AnnotatedBook]) -> String {
        books.map { entry in
            var blocks = ["# " + inMarkdown(BookDocument.title(entry.book))]
            let authors = entry.book.authors ?? []
            blocks.append(
                "*" + inMarkdown((authors.isEmpty ? [] : [authors.joined(separator: ", ")]).joined())
                    + (authors.isEmpty ? "" : ", ") + inMarkdown(entry.app) + "*")
            for annotation in entry.book.annotations {
                blocks.append("## " + inMarkdown(heading(annotation)))
                if let text = annotation.text { blocks.append(quotation(text)) }
                if let note = annotation.note { blocks.append(paragraph(note)) }
            }
            return blocks.joined(separator: "\n\n")
        }.joined(separator: "\n\n")
    }

    private static let kinds = ["highlight": "Highlight", "note": "Note", "bookmark": "Bookmark"]

    /// A heading such as `Highlight, yellow, chapter 3, 2024-05-01`.
    private static func heading(_ annotation: Annotation) -> String {
        let kind = annotation.kind.map { kinds[$0] ?? $0 } ?? "Annotation"
        let day = annotation.modified.map { String(BookDocument.timestamp($0).prefix(10)) }
        return
            ([kind]
            + [annotation.color, annotation.location, day, annotation.author].compactMap { $0 }).joined(
                separator: ", ")
    }

    private static func quotation(_ text: String) -> String {
        lines(text).map { "> " + inMarkdown($0) }.joined(separator: "\n")
    }

    private static func paragraph(_ text: String) -> String {
        // Two spaces at the end of a line keep its break.
        lines(text).map(inMarkdown).joined(separator: "  \n")
    }

    /// One line of text, escaped for Markdown.
    static func inMarkdown(_ text: String) -> String {
        let line = TerminalText.sanitized(text).trimmed { $0.isWhitespace && !$0.isNewline }
        // By scalars, because a character with a combining mark keeps its meaning in Markdown.
        var escaped = "".unicodeScalars
        for scalar in line.unicodeScalars {
            if "\\`*_[]<>&|~#$^".unicodeScalars.contains(scalar) { escaped.append("\\") }
            escaped.append(scalar)
        }
        // At the start of a line, these characters begin a list, a rule or the underline of a heading.
        if let first = escaped.first, "+-=:".unicodeScalars.contains(first) { return "\\" + String(escaped) }
        let number = escaped.prefix { ("0"..."9").contains($0) }
        let rest = escaped.dropFirst(number.count)
        if !number.isEmpty, let mark = rest.first, ".)".unicodeScalars.contains(mark) {
            return String(number) + "\\" + String(rest)
        }
        return String(escaped)
    }

    // MARK: CSV

    /// CSV (RFC 4180): a header, and a row for each annotation. An apostrophe precedes text that a spreadsheet would
    /// take for a formula.
    static func csv(_ books: [AnnotatedBook]) -> String {
        let header = [
            "app", "title", "authors", "kind", "text", "note", "color", "location", "modified", "path",
            "author",
        ]
        return CSVText.table(
            header,
            books.lazy.flatMap { entry in
                entry.book.annotations.map { annotation in
                    [
                        entry.app, entry.book.title, entry.book.authors?.joined(separator: " & "),
                        annotation.kind, annotation.text, annotation.note, annotation.color,
                        annotation.location, annotation.modified.map(BookDocument.timestamp), entry.book.path,
                        annotation.author,
                    ].map { CSVText.Field.text($0) }
                }
            })
    }

    // MARK: HTML

    /// A complete HTML document without scripts, styles or links.
    static func html(_ books: [AnnotatedBook]) -> String {
        var page = """
            <!DOCTYPE html>
            <html>
            <head><meta charset="utf-8"><title>Annotations</title></head>
            <body>

            """
        for entry in books {
            let authors = (entry.book.authors ?? []).joined(separator: ", ")
            page += "<section>\n<h1>\(inHTML(BookDocument.title(entry.book)))</h1>\n"
            page += "<p>\(inHTML(authors.isEmpty ? entry.app : "\(authors), \(entry.app)"))</p>\n"
            for annotation in entry.book.annotations {
                page += "<article>\n<h2>\(inHTML(heading(annotation)))</h2>\n"
                if let text = annotation.text { page += "<blockquote>\(inHTML(text))</blockquote>\n" }
                if let note = annotation.note { page += "<p>\(inHTML(note))</p>\n" }
                page += "</article>\n"
            }
            page += "</section>\n"
        }
        return page + "</body>\n</html>"
    }

    private static func inHTML(_ text: String) -> String {
        lines(text).map { XMLText.escaped(TerminalText.sanitized($0), quotes: .all) }
            .joined(separator: "<br>\n")
    }

    /// The lines of a text with any kind of line end.
    private static func lines(_ text: String) -> [String] {
        text.split(omittingEmptySubsequences: false) { $0.isNewline }.map { String($0) }
    }
}
