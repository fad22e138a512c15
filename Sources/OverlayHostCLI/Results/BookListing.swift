import JSON
import OverlayHost
import Platform

/// A booklist with selected fields, as JSON, as a table and as CSV.
///
/// Output is passed on in pieces, and each book is formatted only when it is its turn, so that a library of 100,000
/// books takes little more memory than its list.
struct BookListing<Books: Collection<BookRecord>> {
    private let books: Books
    /// The selected fields; nil means all in JSON and CSV, and the usual columns in a table.
    private let chosen: [String]?

    init(_ books: Books, fields: [String]?) { (self.books, chosen) = (books, fields) }

    /// A JSON object for each book; missing values are left out.
    var documents: some Sequence<JSONValue> {
        books.lazy.map { book in
            let whole = BookDocument.json(book)
            guard let chosen else { return whole }
            var object = JSONObject()
            for name in chosen { object[name] = whole.object?[name] }
            return .object(object)
        }
    }

    /// Writes a table, which fits a terminal `width` cells wide.
    func writeText(width: Int?, _ output: (String) -> Void) {
        let names = chosen ?? BookListingFields.usual
        var table = TextTable(BookListingFields.columns(names))
        for book in books {
            let whole = BookDocument.json(book).object
            table.add(names.map { Self.cell($0, book, whole?[$0]) })
        }
        table.write(width: width, to: output)
    }

    /// Writes CSV (RFC 4180) with a header; several authors are joined by `&`, other lists by commas.
    func writeCSV(_ output: (String) -> Void) {
        let names = chosen ?? BookListingFields.names
        CSVText.write(
            names,
            books.lazy.map { book in
                let whole = BookDocument.json(book).object
                return names.map { name in Self.csvField(name, whole?[name]) }
            }, to: output)
    }

    // MARK: values

    private static func cell(_ name: String, _ book: BookRecord, _ value: JSONValue?) -> String {
        switch name {
        case "title": return BookDocument.title(book)
        case "size": return book.size.map { ByteCount.text($0) } ?? "-"
        case "collections": return book.collections?.joined(separator: ", ") ?? ""
        case "progress": return book.progress.map { "\(Int((min(max($0, 0), 1) * 100).rounded())) %" } ?? "-"
        case "locked": return book.isLocked.map { $0 ? "yes" : "no" } ?? "-"
        default: break
        }
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
