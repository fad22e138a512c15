import JSON
import OverlayHost

/// A booklist with the fields that are wanted of each book, as JSON, as a table and as CSV.
struct BookListing {
    /// A field that a person can name, and how a table shows it.
    struct Field: Sendable {
        var name: String
        var column: TextTable.Column
    }

    /// Every field of a book; the three of the cover are one.
    static let fields: [Field] = {
        var fields: [Field] = []
        for field in Book.fields {
            let name = field.settableWord == "cover" ? "cover" : field.name
            guard fields.last?.name != name else { continue }
            fields.append(Field(name: name, column: column(name, field.value)))
        }
        return fields
    }()

    /// The fields of a table without `--fields`.
    static let usual = ["title", "authors", "collections", "size", "path"]

    /// The names of all fields.
    static var names: [String] { fields.map(\.name) }

    /// The columns of these fields.
    static func columns(_ names: [String]) -> [TextTable.Column] {
        names.enumerated().map { place, name in
            var column = fields.first { $0.name == name }?.column ?? .init(title: name)
            // The path is what a person types next; only a column at an end can stand on a line of its own.
            column.isKey = name == "path" && (place == 0 || place == names.count - 1)
            return column
        }
    }

    private static func column(_ name: String, _ value: BookField.Value) -> TextTable.Column {
        let title = name.uppercased().replacing("_", with: " ")
        switch value {
        case .number, .count: return .init(title: title, alignment: .right)
        case .text, .texts, .time, .flag, .bytes:
            return .init(title: title, minimum: ["title": 16, "authors": 10][name] ?? 8)
        }
    }

    private let books: [BookRecord]
    /// What is shown of each book; nil: JSON and CSV have everything, a table has the usual columns.
    private let chosen: [String]?

    init(_ books: [BookRecord], fields: [String]?) { (self.books, chosen) = (books, fields) }

    /// One object for each book; what is absent is left out.
    var json: JSONValue {
        guard let chosen else { return .array(books.map(BookDocument.json)) }
        return .array(
            books.map { book in
                let whole = BookDocument.json(book).object
                var object = JSONObject()
                for name in chosen { object[name] = whole?[name] }
                return .object(object)
            })
    }

    /// A table; on a terminal `width` cells wide it fits.
    func text(width: Int?) -> String {
        let names = chosen ?? Self.usual
        var table = TextTable(Self.columns(names))
        for book in books { table.add(names.map { Self.cell($0, book) }) }
        return table.render(width: width)
    }

    /// RFC 4180, with a header; several authors are joined by `&`, other lists by commas.
    var csv: String {
        let names = chosen ?? Self.names
        return CSVText.table(
            names,
            books.lazy.map { book in
                let whole = BookDocument.json(book).object
                return names.map { name in Self.csvField(name, whole?[name]) }
            })
    }

    // MARK: values

    private static func cell(_ name: String, _ book: BookRecord) -> String {
        switch name {
        case "title": return BookDocument.title(book)
        case "size": return book.size.map { ByteCount.text($0) } ?? "-"
        case "collections": return book.collections?.joined(separator: ", ") ?? ""
        case "progress": return book.progress.map { "\(Int((min(max($0, 0), 1) * 100).rounded())) %" } ?? "-"
        case "locked": return book.isLocked.map { $0 ? "yes" : "no" } ?? "-"
        default: break
        }
        let value = BookDocument.json(book).object?[name]
        let text =
            switch value {
            case .array: (value?.strings ?? []).joined(separator: ", ")
            case .object(let object): object["media_type"]?.string ?? ""
            case .string(let text): FieldText.limited(text)
            case .null, nil: ""
            default: value?.text() ?? ""
            }
        return text.isEmpty ? "-" : text
    }

    private static func csvField(_ name: String, _ value: JSONValue?) -> CSVText.Field {
        switch value {
        case .array: .text(value?.strings?.joined(separator: name == "authors" ? " & " : ", "))
        case .object(let object): .text(object["media_type"]?.string)
        case .string(let text): .text(text)
        case .null, nil: .plain(nil)
        default: .plain(value?.text())
        }
    }
}
