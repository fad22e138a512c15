import JSON
import OverlayHost
import Platform

/// A booklist with the fields that are wanted of each book, as JSON, as a table and as CSV.
///
/// What it shows is handed over in pieces, and a book is looked at when its turn comes: a library of 100,000 books takes little
/// more memory than its list.
struct BookListing<Books: Collection<BookRecord>> {
    private let books: Books
    /// What is shown of each book; nil: JSON and CSV have everything, a table has the usual columns.
    private let chosen: [String]?

    init(_ books: Books, fields: [String]?) { (self.books, chosen) = (books, fields) }

    /// One JSON object for each book; what is absent is left out.
    var documents: some Sequence<JSONValue> {
        books.lazy.map { book in
            let whole = BookDocument.json(book)
            guard let chosen else { return whole }
            var object = JSONObject()
            for name in chosen { object[name] = whole.object?[name] }
            return .object(object)
        }
    }

    /// Writes a table; on a terminal `width` cells wide it fits.
    func writeText(width: Int?, _ output: (String) -> Void) {
        let names = chosen ?? BookListingFields.usual
        var table = TextTable(BookListingFields.columns(names))
        for book in books {
            let whole = BookDocument.json(book).object
            table.add(names.map { Self.cell($0, book, whole?[$0]) })
        }
        table.write(width: width, to: output)
    }

    /// Writes RFC 4180, with a header; several authors are joined by `&`, other lists by commas.
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
