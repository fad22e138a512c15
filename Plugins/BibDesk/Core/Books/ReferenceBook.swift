import BibTeX
import BookFolders
import OverlayKit
import Platform

/// A reference, seen as a book.
struct ReferenceBook: Sendable {
    /// The library that contains it.
    let library: ReferenceLibrary
    /// The index of its entry.
    let entry: Int
    /// Its unique name.
    let name: EntryName
    /// Its linked files, in order.
    let papers: [LinkedPaper]
    /// The path of the book for all later calls: its first file on the device that is not another book's path, or
    /// else its name.
    let path: String

    private var resolved: BibTeXLibrary { library.resolved }

    /// The file that the path names; nil if there is none on the device.
    var paper: LinkedPaper? { papers.first { $0.file?.path.text == path } ?? firstPaper }

    /// The first linked file that is on the device.
    var firstPaper: LinkedPaper? { papers.first { $0.file != nil } }

    private func plain(_ field: String) -> String? {
        let text = resolved.plain(field, of: entry)
        return text.isEmpty ? nil : text
    }

    /// The values of the book.
    ///
    /// - Parameters:
    ///   - collections: the names of its groups.
    ///   - withFields: whether to include all fields of the entry.
    func book(collections: [String], withFields: Bool) -> Book {
        var book = Book(path: path, uuid: LibraryBookID.uuid(of: name))
        book.title = resolved.title(of: entry)
        let authors = resolved.persons("author", of: entry)
        let persons = authors.isEmpty ? resolved.persons("editor", of: entry) : authors
        let names = persons.map { $0.display == "others" ? "et al." : $0.display }.filter { !$0.isEmpty }
        book.authors = names.isEmpty ? ["Unknown"] : names
        let sorted = PersonName.withoutOthers(persons).map(\.inverted)
        if !sorted.isEmpty { book.authorSort = sorted.joined(separator: " & ") }
        book.series = plain("series")
        if book.series != nil { book.seriesIndex = number("volume") ?? number("number") }
        book.publisher = ["publisher", "organization", "institution", "school"].lazy.compactMap(plain).first
        if let date = resolved.publicationDate(of: entry), (1...9999).contains(date.year) {
            // BibDesk puts a date without a day in the middle of its month.
            let text = BibTeXDate(year: "\(date.year)", month: "\(date.month ?? 1)")?.text
            book.pubdate = date.day == nil ? text.map { $0 + "-15" } : date.text
        }
        book.dateAdded = resolved.moment("date-added", of: entry)?.seconds
        book.description = ["abstract", "annote"].lazy.compactMap(plain).first
        book.tags = resolved.keywords(of: entry)
        book.collections = collections
        if let rating = number("rating") { book.rating = max(0, min(5, rating)) }
        if let file = paper?.file {
            book.size = file.size
            book.format = BookFormats.mediaType(of: file.path.fileExtension)
        }
        book.extra = ReferenceExtras(self).text(withFields: withFields)
        return book
    }

    /// The value of a field as a finite number.
    private func number(_ field: String) -> Double? {
        plain(field).flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
    }
}

/// Media types of papers by their extensions.
enum PaperFormat {
    /// The extensions of papers that can be sent, with the preferred one first.
    static let extensions = [
        "pdf", "bib", "epub", "djvu", "ps", "txt", "rtf", "html", "htm", "doc", "docx", "ppt", "pptx", "key",
        "pages", "xls", "xlsx", "numbers", "webarchive", "png", "jpg", "jpeg", "tex", "zip",
    ]
}

/// Derives UUIDs for references, because BibDesk does not store any.
enum LibraryBookID {
    /// The namespace for all of them, generated randomly once: 6e0b7c5e-2f4d-4a55-9c1f-8d0a3b6f7e21.
    private static let namespace: [UInt8] = [
        0x6E, 0x0B, 0x7C, 0x5E, 0x2F, 0x4D, 0x4A, 0x55, 0x9C, 0x1F, 0x8D, 0x0A, 0x3B, 0x6F, 0x7E, 0x21,
    ]

    /// The UUID of an entry, of version 5 (RFC 9562). It is the same on every device for the same library name and
    /// cite key, regardless of case. Nil if the system does not offer SHA-1.
    static func uuid(of entry: EntryName) -> String? {
        let number = entry.number == 1 ? "" : "\n\(entry.number)"
        let name = "\(entry.library.text.lowercased())\n\(entry.key.lowercased())\(number)"
        guard var bytes = Digest.of(namespace + Array(name.utf8), .sha1).map({ Array($0.prefix(16)) }),
            bytes.count == 16
        else { return nil }
        bytes[6] = bytes[6] & 0x0F | 0x50
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array(Hex.text(bytes))
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
        return groups.map { String(digits[$0]) }.joined(separator: "-")
    }
}
