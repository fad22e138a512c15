import BookModel
import JSON
import Platform

/// The metadata of a book in the format of calibre's `metadata.opf`: a package document of version 2 with fields of
/// calibre.
package enum MetadataPackage {
    /// The field in which a backup stores its entry.
    private static let entryField = "overlayhost:backup"

    /// Creates the document.
    ///
    /// - Parameters:
    ///   - cover: the name of the cover in the folder of the document; nil if there is none.
    ///   - entry: the entry of the book in the backup, from which a lost manifest can be restored.
    package static func text(_ book: Book, cover: String?, entry: BackupEntry? = nil) -> String {
        var fields: [String] = []
        func add(_ name: String, _ value: String?, _ attributes: String = "") {
            guard let value, !value.isEmpty else { return }
            fields.append("<\(name)\(attributes)>\(escaped(value))</\(name)>")
        }
        func meta(_ name: String, _ value: String?) {
            guard let value, !value.isEmpty else { return }
            fields.append("<meta name=\"\(name)\" content=\"\(escaped(value))\"/>")
        }
        // A package without an identifier is not valid, but calibre then assigns one.
        add("dc:identifier", book.uuid, " id=\"uuid_id\" opf:scheme=\"uuid\"")
        fields.append("<dc:title>\(escaped(book.title ?? ""))</dc:title>")
        // calibre stores the sort order of all authors with each of them.
        let sort = book.authorSort.map { " opf:file-as=\"\(escaped($0))\"" } ?? ""
        for author in book.authors ?? [] { add("dc:creator", author, " opf:role=\"aut\"" + sort) }
        add("dc:publisher", book.publisher)
        add("dc:date", book.pubdate.map { "\($0)T00:00:00+00:00" })
        add("dc:description", book.description)
        for tag in book.tags ?? [] { add("dc:subject", tag) }
        meta("calibre:series", book.series)
        if book.series != nil { meta("calibre:series_index", book.seriesIndex.map(number)) }
        meta("calibre:title_sort", book.titleSort)
        // calibre counts half stars.
        meta("calibre:rating", book.rating.map { number(($0 * 2).rounded()) })
        meta("calibre:timestamp", book.dateAdded.map(timestamp))
        if let collections = book.collections, !collections.isEmpty {
            meta("calibre:user_metadata:#collections", column(collections).text(.line))
        }
        if let entry { fields.append(field(entry)) }
        let guide =
            cover.map {
                "  <guide>\n    <reference type=\"cover\" title=\"Cover\" href=\"\(escaped($0))\"/>\n  </guide>\n"
            } ?? "  <guide/>\n"
        return """
            <?xml version="1.0" encoding="utf-8"?>
            <package xmlns="http://www.idpf.org/2007/opf" unique-identifier="uuid_id" version="2.0">
              <metadata xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf">

            """ + fields.map { "    \($0)\n" }.joined() + "  </metadata>\n" + guide + "</package>\n"
    }

    /// The element that stores an entry.
    private static func field(_ entry: BackupEntry) -> String {
        "<meta name=\"\(entryField)\" content=\"\(escaped(entry.json.text(.line)))\"/>"
    }

    /// The beginning of the line that stores an entry.
    private static var fieldBeginning: [UInt8] { Array("    <meta name=\"\(entryField)\" content=\"".utf8) }

    /// The document with another entry in place of the one that it stores; nil if it stores none.
    package static func replacingEntry(in document: [UInt8], with entry: BackupEntry) -> [UInt8]? {
        let beginning = fieldBeginning
        var lines = document.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard let place = lines.firstIndex(where: { $0.starts(with: beginning) }) else { return nil }
        lines[place] = Array("    \(field(entry))".utf8)[...]
        return Array(lines.joined(separator: [UInt8(ascii: "\n")]))
    }

    /// The entry that a backup stored in a document; nil in other documents.
    package static func entry(in document: [UInt8]) -> BackupEntry? {
        let beginning = fieldBeginning
        let end = Array("\"/>".utf8)
        for line in document.split(separator: UInt8(ascii: "\n")) where line.starts(with: beginning) {
            let value = line.dropFirst(beginning.count)
            guard value.count > end.count, value.suffix(end.count).elementsEqual(end),
                let text = String(validating: value.dropLast(end.count), as: UTF8.self)
            else { return nil }
            do throws(JSONSyntaxError) {
                return BackupEntry(try JSONValue(parsing: Array(XMLText.plain(text).utf8)))
            } catch {
                return nil
            }
        }
        return nil
    }

    /// A calibre column with several texts.
    private static func column(_ texts: [String]) -> JSONValue {
        var object = JSONObject()
        object["#value#"] = .texts(texts)
        object["datatype"] = .string("text")
        object["is_multiple"] = .string("|")
        object["name"] = .string("Collections")
        object["label"] = .string("collections")
        object["kind"] = .string("field")
        object["is_custom"] = .bool(true)
        object["is_category"] = .bool(true)
        object["is_editable"] = .bool(true)
        object["column"] = .string("value")
        object["table"] = .string("custom_column_1")
        object["colnum"] = .integer(1)
        object["display"] = .object(JSONObject())
        object["search_terms"] = .texts(["#collections"])
        return .object(object)
    }

    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }

    private static func timestamp(_ seconds: Int64) -> String {
        CivilTime(nearestTo: seconds).text(zone: "+00:00")
    }

    /// Escapes text for an element or an attribute. Characters that XML does not support are omitted.
    private static func escaped(_ text: String) -> String {
        XMLText.escaped(text, quotes: .double, whiteSpace: true)
    }
}
