import Glibc
import JSON
import OverlayHost
import Platform

/// A book as JSON and as text.
enum BookDocument {
    /// The title, or a placeholder that is unlikely to be a real title. JSON has null instead.
    static func title(_ book: BookRecord) -> String {
        guard let title = book.title, title.contains(where: { !$0.isWhitespace }) else { return "(no title)" }
        return title
    }

    /// The documented members in the order of the book's fields, with the cover as an object; missing values are left
    /// out.
    static func json(_ book: BookRecord) -> JSONValue {
        var object = JSONObject()
        for field in Book.fields {
            guard field.settableWord != "cover" else {
                object["cover"] = cover(book.cover)
                continue
            }
            // The members of `extra` are added separately.
            guard field.name != "extra" else { continue }
            object[field.name] = value(of: field, in: book.book)
        }
        for member in BookExtras(book).members where object[member.name] == nil && member.name != "fields" {
            object[member.name] = member.value
        }
        return .object(object)
    }

    private static func value(of field: BookField, in book: Book) -> JSONValue? {
        switch field.value {
        case .text(let place): book[keyPath: place].map { .string($0) }
        case .texts(let place): book[keyPath: place].map { .texts($0) }
        case .number(let place): number(book[keyPath: place])
        case .count(let place): integer(book[keyPath: place])
        case .time(let place): book[keyPath: place].map { .string(timestamp($0)) }
        case .flag(let place): book[keyPath: place].map { .bool($0) }
        case .bytes: nil
        }
    }

    /// The book with everything that the reader app stores about it, and with its annotations.
    static func full(_ book: BookRecord) -> JSONValue {
        guard var document = json(book).object else { return json(book) }
        document["fields"] = BookExtras(book).fields
        document["annotations"] = .array(book.annotations.map(annotation))
        return .object(document)
    }

    /// The documented members of an annotation.
    static func annotation(_ annotation: Annotation) -> JSONValue {
        .document([
            "kind": .optional(annotation.kind), "location": annotation.location.map { .string($0) },
            "text": annotation.text.map { .string($0) }, "note": annotation.note.map { .string($0) },
            "color": annotation.color.map { .string($0) },
            "modified": annotation.modified.map { .string(timestamp($0)) },
            "author": annotation.author.map { .string($0) },
        ])
    }

    /// Every known field on its own line: `more` before the path, and the description last.
    ///
    /// - Parameters:
    ///   - width: the width of the terminal in cells, if there is one.
    ///   - indent: the number of spaces before each line.
    static func text(
        _ book: BookRecord, more: [(String, String?)] = [], width: Int? = nil, indent: Int = 0
    ) -> String {
        var fields: [(String, String?)] = [
            ("Title", book.title), ("Sorted as", book.titleSort),
            ("Authors", book.authors?.joined(separator: ", ")),
            ("Authors sorted", book.authorSort), ("Series", series(book)), ("Publisher", book.publisher),
            ("Published", book.pubdate), ("Added", book.dateAdded.map { timestamp($0) }),
            ("Tags", list(book.tags)), ("Collections", list(book.collections)),
            ("Rating", book.rating.map { "\(trimmed($0)) of 5" }),
            ("Size", book.size.map { ByteCount.text($0) }),
            ("Format", book.format), ("Cover", book.cover.map(cover)),
            ("Words", book.wordCount.map { "\($0)" }),
            ("Read", book.progress.map { "\(Int((min(max($0, 0), 1) * 100).rounded())) %" }),
            ("Locked", book.isLocked.map { $0 ? "yes" : "no" }), ("UUID", book.uuid),
        ]
        fields += BookExtras(book).lines + more
        fields.append(("Path", book.path.isEmpty ? nil : book.path))
        fields.append(("Description", book.book.plainDescription))
        return FieldText.lines(fields, width: width, indent: indent) + annotations(book)
    }

    /// The annotations, one below the other.
    private static func annotations(_ book: BookRecord) -> String {
        guard !book.annotations.isEmpty else { return "" }
        let lines = book.annotations.map { annotation -> String in
            let head = [
                annotation.kind ?? "annotation", annotation.location, annotation.modified.map(timestamp),
                annotation.author,
            ]
            var text = "  " + TerminalText.sanitized(head.compactMap { $0 }.joined(separator: ", "))
            if let marked = annotation.text {
                text += "\n    “\(TerminalText.sanitized(FieldText.limited(marked)))”"
            }
            if let note = annotation.note {
                text += "\n    \(TerminalText.sanitized(FieldText.limited(note)))"
            }
            return text
        }
        return "\n\nAnnotations\n" + lines.joined(separator: "\n")
    }

    /// The time in UTC, in RFC 3339 format.
    static func timestamp(_ seconds: Int64) -> String {
        // Years without four digits are errors of a reader app.
        CivilTime(nearestTo: seconds).text()
    }

    private static func number(_ value: Double?) -> JSONValue? {
        value.flatMap { JSONNumber($0) }.map { .number($0) }
    }

    private static func integer(_ value: UInt64?) -> JSONValue? {
        value.map { .integer(Int64(clamping: $0)) }
    }

    private static func cover(_ cover: BookCover?) -> JSONValue {
        guard let cover else { return .null }
        return .document(["media_type": .string(cover.mediaType), "size": integer(cover.size)])
    }

    private static func cover(_ cover: BookCover) -> String {
        cover.mediaType + (cover.size.map { ", \(ByteCount.text($0))" } ?? "")
    }

    private static func series(_ book: BookRecord) -> String? {
        guard let series = book.series else { return nil }
        return series + (book.seriesIndex.map { " [\(trimmed($0))]" } ?? "")
    }

    private static func list(_ texts: [String]?) -> String? {
        texts.flatMap { $0.isEmpty ? nil : $0.joined(separator: ", ") }
    }

    private static func trimmed(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}
