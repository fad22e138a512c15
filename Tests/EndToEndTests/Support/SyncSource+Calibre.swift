import TestSupport
import Foundation
import Testing

extension SyncSource {
    /// A library with the tables of calibre 6 about books, and two books.
    static func library(_ bench: ReaderBench) throws -> SyncSource {
        let source = try SyncSource(bench.folder.url.appendingPathComponent("My Library"))
        try source.change(
            """
            CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT, sort TEXT, timestamp TEXT, pubdate TEXT,
              series_index REAL DEFAULT 1.0, author_sort TEXT, path TEXT, uuid TEXT, has_cover BOOL DEFAULT 0);
            CREATE TABLE data (id INTEGER PRIMARY KEY, book INTEGER, format TEXT, uncompressed_size INTEGER, name TEXT);
            CREATE TABLE comments (id INTEGER PRIMARY KEY, book INTEGER, text TEXT);
            CREATE TABLE custom_columns (id INTEGER PRIMARY KEY, label TEXT, name TEXT, datatype TEXT,
              mark_for_delete BOOL DEFAULT 0, is_multiple BOOL DEFAULT 0, normalized BOOL);
            INSERT INTO custom_columns (label, name, datatype, is_multiple, normalized) VALUES ('shelf', 'Shelf', 'text', 1, 1);
            CREATE TABLE custom_column_1 (id INTEGER PRIMARY KEY, value TEXT);
            CREATE TABLE books_custom_column_1_link (id INTEGER PRIMARY KEY, book INTEGER, value INTEGER);
            """
                + [
                    ("authors", "author", "name"), ("tags", "tag", "name"), ("series", "series", "name"),
                    ("publishers", "publisher", "name"), ("ratings", "rating", "rating"),
                ].map {
                    "CREATE TABLE \($0.0) (id INTEGER PRIMARY KEY, \($0.2) TEXT); CREATE TABLE books_\($0.0)_link (id INTEGER PRIMARY KEY, book INTEGER, \($0.1) INTEGER);"
                }.joined())
        try source.change(
            "INSERT INTO authors (name) VALUES ('Jane Austen'), ('Ann Author'); INSERT INTO tags (name) VALUES ('Novel')"
        )
        try source.insert(1, "Emma of Calibre")
        try source.insert(2, "Persuasion")
        try source.change("INSERT INTO books_tags_link (book, tag) VALUES (2, 1)")
        return source
    }

    /// Adds a book by Jane Austen whose file has another title and author.
    func insert(_ id: Int, _ title: String, uuid: String? = nil) throws {
        let number = String(id)
        let own = "00000000-0000-4000-8000-\(String(repeating: "0", count: 12 - number.count))\(number)"
        try change(
            """
            INSERT INTO books (id, title, sort, path, uuid) VALUES (\(id), '\(title)', '\(title)', 'Jane Austen/\(id)',
              '\(uuid ?? own)');
            INSERT INTO books_authors_link (book, author) VALUES (\(id), 1);
            INSERT INTO data (book, format, name) VALUES (\(id), 'EPUB', 'book');
            """)
        try put("Jane Austen/\(id)/book.epub", title: "Title in the file", author: "X", words: title)
    }

    /// Runs statements on the database of the library.
    func change(_ statements: String) throws { try execute(statements, in: path + "/metadata.db") }
}
