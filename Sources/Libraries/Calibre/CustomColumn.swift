import HostErrors
import SQLite

/// A column that a user added to a calibre library.
struct CustomColumn {
    /// The number in the names of the column's tables.
    private let id: Int64
    /// The lookup name, beginning with `#`.
    let lookupName: String
    /// The heading.
    let heading: String
    private let type: String
    private let isMultiple: Bool
    private let isNormalized: Bool

    /// The columns whose values are stored in tables. Columns that calibre computes are omitted.
    static func all(_ database: LibraryDatabase) throws(HostError) -> [CustomColumn] {
        guard try database.hasTable("custom_columns") else { return [] }
        var columns: [CustomColumn] = []
        let query =
            "SELECT id, label, name, datatype, is_multiple, normalized FROM custom_columns WHERE mark_for_delete = 0"
        try database.rows(query) { row in
            guard let label = row.text(1), let type = row.text(3), type != "composite" else { return }
            columns.append(
                CustomColumn(
                    id: row.integer(0), lookupName: "#" + label, heading: row.text(2) ?? label, type: type,
                    isMultiple: row.integer(4) != 0, isNormalized: row.integer(5) != 0))
        }
        return columns
    }

    /// Passes the value of each book that has one to `take`. A list is passed once, when complete.
    func read(
        _ database: LibraryDatabase, _ take: (_ book: Int64, LibraryColumn.Value) -> Void
    ) throws(HostError) {
        let table = "custom_column_\(id)"
        let link = "books_\(table)_link"
        guard try database.hasTable(table) else { return }
        if isNormalized { guard try database.hasTable(link) else { return } }
        let query =
            isNormalized
            ? "SELECT l.book, t.value FROM \(link) l JOIN \(table) t ON t.id = l.value ORDER BY l.book, l.id"
            : "SELECT book, value FROM \(table) ORDER BY book"
        guard isMultiple else {
            try database.rows(query) { row in
                if let value = value(row) { take(row.integer(0), value) }
            }
            return
        }
        var book: Int64?
        var texts: [String] = []
        try database.rows(query) { row in
            let next = row.integer(0)
            if let book, book != next {
                take(book, .texts(texts.sorted()))
                texts = []
            }
            book = next
            if let text = row.text(1) { texts.append(text) }
        }
        if let book { take(book, .texts(texts.sorted())) }
    }

    private func value(_ row: SQLiteRow) -> LibraryColumn.Value? {
        switch type {
        case "bool": row.number(1).map { .flag($0 != 0) }
        case "int", "float", "rating": row.number(1).map { .number($0) }
        default: row.text(1).map { .text($0) }
        }
    }
}
