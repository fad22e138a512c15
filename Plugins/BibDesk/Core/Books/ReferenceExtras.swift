import BibTeX
import JSON

/// What is known of a reference beside the values that all books have, as JSON.
struct ReferenceExtras {
    /// Bytes of all fields together that are shown.
    private static let largest = 1 << 20

    private let book: ReferenceBook
    private var library: BibTeXLibrary { book.library.resolved }

    init(_ book: ReferenceBook) { self.book = book }

    /// The JSON object: cite key, type, library, journal, identifiers, and the linked files with their states.
    ///
    /// - Parameter withFields: whether all fields of the entry come, too, as they are written, macros expanded.
    func text(withFields: Bool) -> String {
        var object = JSONObject()
        object["cite_key"] = .string(book.name.key)
        object["type"] = .string(library.block(book.entry).type)
        object["library"] = .string(book.name.library.text)
        let journal = library.container(of: book.entry)
        if !journal.isEmpty { object["journal"] = .string(journal) }
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
        if withFields { object["fields"] = .object(fields) }
        return JSONValue.object(object).text()
    }

    private var identifiers: JSONObject {
        var object = JSONObject()
        for name in ["doi", "isbn", "issn", "pmid", "eprint", "url"] {
            let text = library.plain(name, of: book.entry)
            guard !text.isEmpty else { continue }
            let prefix = name == "eprint" ? library.plain("archiveprefix", of: book.entry).lowercased() : ""
            object[prefix.isEmpty ? name : prefix] = .string(text)
        }
        return object
    }

    /// The fields by their names in lower case, without the links of which `files` tells.
    private var fields: JSONObject {
        let block = library.block(book.entry)
        var object = JSONObject()
        var bytes = 0
        for field in block.fields where field.isReadable {
            let name = block.name(of: field)
            guard !name.hasPrefix("bdsk-file-"), let value = block.value(name) else { continue }
            let text = TeXText.decoded(library.macros.text(value))
            bytes += text.utf8.count
            guard bytes <= Self.largest else { break }
            object[name] = .string(text)
        }
        return object
    }
}
