import SQLite
import BookModel
import HostErrors

/// The books of a calibre library, read from its database. Supports the schemas of calibre 0.7 to 9.
struct CalibreLibrary {
    /// A book and its place in the library.
    struct Entry {
        var id: Int64
        var book = Book()
        /// The book's folder, relative to the library.
        var folder: String
        var hasCover: Bool
        /// The files of the book: format in lower case, and name without extension.
        var files: [(format: String, name: String)] = []
        var columns: [LibraryColumn] = []
    }

    /// The books, by id.
    private(set) var entries: [Entry] = []
    private var places: [Int64: Int] = [:]

    /// Reads all books.
    ///
    /// - Parameter wantsColumns: whether to read the user's custom columns.
    init(_ database: LibraryDatabase, wantsColumns: Bool) throws(HostError) {
        try readBooks(database)
        try readLinks(database)
        try database.rows("SELECT book, format, name FROM data ORDER BY id") { row in
            guard let format = row.text(1), let name = row.text(2) else { return }
            change(row.integer(0)) { $0.files.append((format.lowercased(), name)) }
        }
        guard wantsColumns else { return }
        for column in try CustomColumn.all(database) {
            try column.read(database) { id, value in
                change(id) {
                    $0.columns.append(
                        LibraryColumn(lookupName: column.lookupName, heading: column.heading, value: value))
                }
            }
        }
    }

    private mutating func change(_ id: Int64, _ change: (inout Entry) -> Void) {
        guard let place = places[id] else { return }
        change(&entries[place])
    }

    private mutating func readBooks(_ database: LibraryDatabase) throws(HostError) {
        let columns = "id, title, sort, author_sort, pubdate, series_index, path, has_cover, uuid"
        try database.rows("SELECT \(columns) FROM books ORDER BY id") { row in
            var entry = Entry(id: row.integer(0), folder: row.text(6) ?? "", hasCover: row.integer(7) != 0)
            entry.book.title = row.text(1)
            entry.book.titleSort = row.text(2)
            entry.book.authorSort = row.text(3)
            entry.book.pubdate = row.text(4).flatMap(Self.day)
            entry.book.seriesIndex = row.number(5)
            entry.book.uuid = row.text(8)?.lowercased()
            places[entry.id] = entries.count
            entries.append(entry)
        }
    }

    private mutating func readLinks(_ database: LibraryDatabase) throws(HostError) {
        func link(_ plural: String, _ column: String, _ value: String = "name") -> String {
            "SELECT l.book, t.\(value) FROM books_\(plural)_link l JOIN \(plural) t ON t.id = l.\(column) ORDER BY l.id"
        }
        try database.rows(link("authors", "author")) { row in
            // calibre stores a comma in a name as a bar.
            guard
                let name = row.text(1)?.split(separator: "|", omittingEmptySubsequences: false)
                    .joined(separator: ",")
            else { return }
            change(row.integer(0)) { $0.book.authors = ($0.book.authors ?? []) + [name] }
        }
        try database.rows(link("tags", "tag")) { row in
            guard let name = row.text(1) else { return }
            change(row.integer(0)) { $0.book.tags = ($0.book.tags ?? []) + [name] }
        }
        try database.rows(link("series", "series")) { row in
            let name = row.text(1)
            change(row.integer(0)) { $0.book.series = name }
        }
        try database.rows(link("publishers", "publisher")) { row in
            let name = row.text(1)
            change(row.integer(0)) { $0.book.publisher = name }
        }
        try database.rows(link("ratings", "rating", "rating")) { row in
            // The value counts half stars.
            let stars = row.number(1).map { $0 / 2 }
            change(row.integer(0)) { $0.book.rating = stars.flatMap { (0...5).contains($0) ? $0 : nil } }
        }
        try database.rows("SELECT book, text FROM comments") { row in
            let text = row.text(1)
            change(row.integer(0)) { $0.book.description = text }
        }
        for place in entries.indices {
            entries[place].book.tags?.sort()
            if entries[place].book.series == nil { entries[place].book.seriesIndex = nil }
        }
    }

    /// The day of a time such as `1815-12-23 00:00:00+00:00`; nil for the year 101, which calibre uses for unknown
    /// times.
    private static func day(_ time: String) -> String? {
        let day = String(time.prefix(10))
        let parts = day.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.map(\.utf8.count) == [4, 2, 2],
            parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }), let year = Int(parts[0]),
            year > 101
        else { return nil }
        return day
    }
}
