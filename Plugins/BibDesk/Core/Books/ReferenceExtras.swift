import BookFolders
import BibTeX
import JSON

/// What is known about a reference besides the fields that all books have, as JSON.
struct ReferenceExtras {
    /// The most bytes of all fields together.
    private static let largest = 1 << 20

    private let book: ReferenceBook
    private var library: BibTeXLibrary { book.library.resolved }

    init(_ book: ReferenceBook) { self.book = book }

    /// The JSON object: cite key, type, library, journal, precision of the date, identifiers, the linked files with
    /// their states, and texts for search.
    ///
    /// - Parameter withFields: whether to include all fields of the entry as they are written, with macros expanded.
    func text(withFields: Bool) -> String {
        var object = JSONObject()
        object["cite_key"] = .string(book.name.key)
        object["type"] = .string(library.block(book.entry).type)
        object["library"] = .string(book.name.library.text)
        let journal = library.container(of: book.entry)
        if !journal.isEmpty { object["journal"] = .string(journal) }
        if let date = library.publicationDate(of: book.entry), (1...9999).contains(date.year) {
            object["pubdate_precision"] = .string(date.precision.rawValue)
        }
        let identifiers = identifiers
        if !identifiers.members.isEmpty { object["identifiers"] = .object(identifiers) }
        object["files"] = .array(
            book.papers.map { paper in
                var file = JSONObject()
                file["path"] = paper.path.map { .string($0) } ?? .null
                file["state"] = .string(paper.state.rawValue)
                if let found = paper.file {
                    file["size"] = .integer(Int64(clamping: found.size))
                    file["modified"] = .integer(found.modified / 1_000_000_000)
                }
                return .object(file)
            })
        if withFields {
            object["fields"] = .object(fields)
        } else {
            object["search_texts"] = .object(searchTexts)
        }
        return JSONValue.object(object).text()
    }

    /// The texts of fields that are not values of the book, by search column.
    private var searchTexts: JSONObject {
        let block = library.block(book.entry)
        var texts: [String: [String]] = [:]
        var bytes = 0
        var seen = Self.shownFields
        let parent = library.parent(book.entry).map(library.block)
        let inherited = parent.map { $0.fields.filter(\.isReadable).map($0.name) } ?? []
        for name in block.fields.filter(\.isReadable).map(block.name) + inherited
        where seen.insert(name).inserted && !name.hasPrefix("bdsk-file-") {
            let text =
                BibTeXLibrary.isAddress(name)
                ? library.address(name, of: book.entry) : library.plain(name, of: book.entry)
            guard !text.isEmpty else { continue }
            bytes += text.utf8.count
            guard bytes <= Self.largest else { break }
            texts[Self.columns[name] ?? "other", default: []].append(text)
        }
        var object = JSONObject()
        for (column, values) in texts.sorted(by: { $0.key < $1.key }) {
            object[column] = .array(values.map { .string($0) })
        }
        return object
    }

    /// Fields that are values of every book.
    private static let shownFields: Set<String> = [
        "title", "author", "abstract", "keywords", "doi", "isbn", "issn", "pmid", "eprint", "url", "series",
        "date-added", "date-modified", "rating", "crossref", "file", "local-url",
    ]
    /// The search columns of fields; others have none of their own.
    private static let columns = [
        "editor": "editor", "note": "notes", "annote": "notes", "rss-description": "notes",
        "booktitle": "container", "journal": "container", "publisher": "publisher", "school": "publisher",
        "institution": "publisher", "organization": "publisher", "year": "year", "month": "year",
    ]

    private var identifiers: JSONObject {
        var object = JSONObject()
        for name in ["doi", "isbn", "issn", "pmid", "eprint", "url"] {
            let text = library.address(name, of: book.entry)
            guard !text.isEmpty else { continue }
            let prefix = name == "eprint" ? library.plain("archiveprefix", of: book.entry).lowercased() : ""
            object[prefix.isEmpty ? name : prefix] = .string(text)
        }
        return object
    }

    /// The fields by name in lower case, without the links, which are in `files`.
    private var fields: JSONObject {
        let block = library.block(book.entry)
        var object = JSONObject()
        var bytes = 0
        for field in block.fields where field.isReadable {
            let name = block.name(of: field)
            guard !name.hasPrefix("bdsk-file-"), let value = block.value(name) else { continue }
            let written = library.macros.text(value)
            let text = BibTeXLibrary.isAddress(name) ? written : TeXText.decoded(written)
            bytes += text.utf8.count
            guard bytes <= Self.largest else { break }
            object[name] = .string(text)
        }
        return object
    }
}
