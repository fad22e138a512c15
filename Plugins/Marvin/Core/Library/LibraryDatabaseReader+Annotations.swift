import DeviceDatabases
import OverlayKit
import Platform

extension LibraryDatabaseReader {
    /// The most annotations that are read from a library; people make a few thousand.
    private static let mostAnnotations = 200_000
    /// The longest text of an annotation, in bytes.
    private static let longest = 64 << 10

    /// The tables of annotations and their columns. No version of Marvin is known that lacks any of them.
    private static let annotated: [(table: String, columns: [String])] = [
        (
            "Highlights",
            [
                "BookID", "Text", "Note", "NoteDateTime", "Colour", "Section", "StartXPath", "StartOffset",
                "Deleted",
            ]
        ),
        ("Bookmarks", ["BookID", "Colour", "Location", "SectionNumber", "Text"]),
    ]

    /// The annotations by the key of their book, in the order of the tables, and the missing tables and columns.
    ///
    /// Deleted highlights are left out. If something is missing, there may be further annotations and texts.
    func annotations() throws(DatabaseError) -> (found: [Int64: [Annotation]], lacks: [String]) {
        var found: [Int64: [Annotation]] = [:]
        var left = Self.mostAnnotations
        try readHighlights(&found, &left)
        try readBookmarks(&found, &left)
        return (found, try lacksOfAnnotations())
    }

    /// The tables and columns of annotations that the database lacks, such as `table Highlights`. A view counts as a
    /// missing table.
    func lacksOfAnnotations() throws(DatabaseError) -> [String] {
        var lacks: [String] = []
        for (table, columns) in Self.annotated {
            if isPlainTable(table) {
                lacks += try missing(columns, of: table)
            } else {
                lacks.append("table \(table)")
            }
        }
        return lacks
    }

    private func isPlainTable(_ name: String) -> Bool { tables[name.lowercased()] ?? false }

    private func readHighlights(
        _ found: inout [Int64: [Annotation]], _ left: inout Int
    ) throws(DatabaseError) {
        guard let columns = try expressions("Highlights") else { return }
        try database.readableRows(of: "Highlights", columns, limit: Self.mostLinks) {
            row throws(DatabaseError) in
            guard left > 0, let book = row.key(0), try !row.flag(8) else { return }
            left -= 1
            let note = try Self.short(row, 2)
            let time = try row.number(3).flatMap(wholeSeconds)
            let place = [
                try Self.short(row, 5).map { "section \($0)" }, try Self.short(row, 6),
                try Self.short(row, 7).map { "offset \($0)" },
            ].compactMap { $0 }.joined(separator: ", ")
            found[book, default: []].append(
                Annotation(
                    kind: note == nil ? "highlight" : "note", location: place.isEmpty ? nil : place,
                    text: try Self.short(row, 1), note: note, color: try Self.short(row, 4),
                    modified: time == 0 ? nil : time))
        }
    }

    private func readBookmarks(
        _ found: inout [Int64: [Annotation]], _ left: inout Int
    ) throws(DatabaseError) {
        guard let columns = try expressions("Bookmarks") else { return }
        try database.readableRows(of: "Bookmarks", columns, limit: Self.mostLinks) {
            row throws(DatabaseError) in
            guard left > 0, let book = row.key(0) else { return }
            left -= 1
            let place = [try Self.short(row, 3).map { "section \($0)" }, try Self.short(row, 2)]
                .compactMap { $0 }.joined(separator: ", ")
            found[book, default: []].append(
                Annotation(
                    kind: "bookmark", location: place.isEmpty ? nil : place, text: try Self.short(row, 4),
                    color: try Self.short(row, 1)))
        }
    }

    /// The columns as SQL expressions, with NULL for missing ones; nil if the table or its column for the book is
    /// missing.
    private func expressions(_ table: String) throws(DatabaseError) -> [String]? {
        guard isPlainTable(table), let wanted = Self.annotated.first(where: { $0.table == table })?.columns
        else { return nil }
        let columns = try database.columns(of: table)
        guard columns.contains("bookid") else { return nil }
        return wanted.map { columns.contains($0.lowercased()) ? "t.\"\($0)\"" : "NULL" }
    }

    private static func short(_ row: DatabaseRow, _ column: Int32) throws(DatabaseError) -> String? {
        guard let text = try filled(row, column) else { return nil }
        return String(text.prefix(bytes: longest))
    }
}
