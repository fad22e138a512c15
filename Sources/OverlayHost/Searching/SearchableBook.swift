import BookModel
import BookSearch
import Platform

/// The searchable texts of a book by column, with a number that changes with them.
struct SearchableBook {
    private let book: Book

    init(_ book: Book) { self.book = book }

    /// The index entry of the book.
    var entry: SearchEntry { SearchEntry(id: book.path ?? "", stamp: stamp) { texts } }

    /// The texts of each column, separated by semicolons.
    var texts: [SearchColumn: String] {
        var texts: [SearchColumn: [String]] = [:]
        for (column, field) in Self.fields {
            let values = field.name == "description" ? [book.plainDescription ?? ""] : values(field)
            texts[column, default: []] += values.filter { !$0.isEmpty }
        }
        for (column, values) in referenceTexts { texts[column, default: []] += values.filter { !$0.isEmpty } }
        return texts.compactMapValues { $0.isEmpty ? nil : $0.joined(separator: "; ") }
    }

    /// The texts that only references have.
    private var referenceTexts: [(column: SearchColumn, values: [String])] {
        let reference = ReferenceValues(book)
        return [
            (.key, [reference.citeKey ?? ""]), (.type, [reference.type ?? ""]),
            (.container, [reference.journal ?? ""]), (.identifiers, reference.identifiers),
            (.path, reference.files?.compactMap(\.path) ?? []), (.other, reference.others),
        ] + reference.searched.map { (SearchColumn(rawValue: $0.column) ?? .other, $0.texts) }
    }

    /// A hash of all values from which the texts are made.
    private var stamp: UInt64 {
        var hash = FNV1a()
        for (_, field) in Self.fields {
            for value in values(field) {
                hash.add(value.utf8)
                hash.add(0)
            }
            hash.add(1)
        }
        hash.add((book.extra ?? "").utf8)
        return hash.value
    }

    private func values(_ field: BookField) -> [String] {
        switch field.value {
        case .text(let place): book[keyPath: place].map { [$0] } ?? []
        case .texts(let place): book[keyPath: place] ?? []
        case .number, .count, .time, .flag, .bytes: []
        }
    }

    /// The fields with searchable texts and their columns. A field without its own column is in `other`. `extra` is
    /// not included, because its parts have their own columns.
    private static let fields: [(column: SearchColumn, field: BookField)] = Book.fields.compactMap { field in
        switch field.name {
        case "cover_media_type", "content_id", "title_sort", "extra": return nil
        case "title": return (.title, field)
        case "authors", "author_sort": return (.author, field)
        case "series": return (.container, field)
        case "publisher": return (.publisher, field)
        case "pubdate": return (.year, field)
        case "description": return (.notes, field)
        case "tags": return (.keywords, field)
        case "collections": return (.groups, field)
        case "uuid": return (.identifiers, field)
        case "format": return (.type, field)
        case "path": return (.path, field)
        default: break
        }
        switch field.value {
        case .text, .texts: return (.other, field)
        case .number, .count, .time, .flag, .bytes: return nil
        }
    }
}
