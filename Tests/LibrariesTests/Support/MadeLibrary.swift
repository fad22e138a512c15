import CSQLite
import Foundation
import TestSupport

/// A calibre library for tests, with the tables of calibre 6 about books.
///
/// Any thread: SQLite serialises the calls on a connection (`SQLITE_OPEN_FULLMUTEX`), and nothing else changes.
final class MadeLibrary: @unchecked Sendable {
    let folder: TemporaryFolder
    private let handle: OpaquePointer

    var path: String { folder.path }
    var database: String { folder.path("metadata.db") }

    struct Problem: Error { let text: String }

    init() throws {
        folder = try TemporaryFolder()
        var opened: OpaquePointer?
        guard
            sqlite3_open_v2(
                folder.path("metadata.db"), &opened,
                SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX, nil) == SQLITE_OK,
            let opened
        else {
            throw Problem(text: "open")
        }
        handle = opened
        try run(Self.schema)
    }

    deinit { sqlite3_close_v2(handle) }

    /// Runs statements on the connection of a program that has the library open.
    func run(_ text: String) throws {
        guard sqlite3_exec(handle, text, nil, nil, nil) == SQLITE_OK else {
            throw Problem(text: String(cString: sqlite3_errmsg(handle)))
        }
    }

    /// Adds a book with one author and a file.
    func add(
        _ id: Int, _ title: String, author: String = "Jane Austen", uuid: String? = nil, tags: [String] = [],
        series: (String, Double)? = nil, formats: [String] = ["EPUB"], content: String? = nil
    ) throws {
        func quote(_ text: String) -> String { "'" + text.replacingOccurrences(of: "'", with: "''") + "'" }
        let place = "\(author)/\(title) (\(id))"
        try run(
            """
            INSERT INTO books (id, title, sort, author_sort, pubdate, series_index, path, has_cover, uuid)
            VALUES (\(id), \(quote(title)), \(quote(title)), \(quote(author)), '1815-12-23 00:00:00+00:00',
            \(series?.1 ?? 1), \(quote(place)), 0, \(quote(uuid ?? Self.uuid(id))));
            INSERT OR IGNORE INTO authors (name) VALUES (\(quote(author)));
            INSERT INTO books_authors_link (book, author)
            SELECT \(id), id FROM authors WHERE name = \(quote(author));
            """)
        for tag in tags {
            try run(
                """
                INSERT OR IGNORE INTO tags (name) VALUES (\(quote(tag)));
                INSERT INTO books_tags_link (book, tag) SELECT \(id), id FROM tags WHERE name = \(quote(tag));
                """)
        }
        if let series {
            try run(
                """
                INSERT OR IGNORE INTO series (name) VALUES (\(quote(series.0)));
                INSERT INTO books_series_link (book, series) SELECT \(id), id FROM series WHERE name = \(quote(series.0));
                """)
        }
        let own = folder.url.appendingPathComponent(place)
        try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
        for format in formats {
            try run(
                "INSERT INTO data (book, format, uncompressed_size, name) VALUES (\(id), '\(format)', 1, \(quote(title)))"
            )
            try Data((content ?? "\(format) \(title)").utf8).write(
                to: own.appendingPathComponent(title + "." + format.lowercased()))
        }
    }

    static func uuid(_ id: Int) -> String {
        let digits = String(id)
        return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    /// Every file of the library with size, time and inode, and those beside the database.
    func look() throws -> [String: [UInt64]] {
        var seen: [String: [UInt64]] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) + [""] {
            var status = stat()
            guard lstat(path + "/" + name, &status) == 0 else { continue }
            seen[name] = [
                UInt64(status.st_size), UInt64(status.st_ino), UInt64(status.st_mtim.tv_sec),
                UInt64(status.st_mtim.tv_nsec),
            ]
        }
        return seen
    }

    private static let schema = """
        CREATE TABLE books (id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL DEFAULT 'Unknown', sort TEXT,
          timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP, pubdate TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
          series_index REAL NOT NULL DEFAULT 1.0, author_sort TEXT, isbn TEXT DEFAULT '', lccn TEXT DEFAULT '',
          path TEXT NOT NULL DEFAULT '', flags INTEGER NOT NULL DEFAULT 1, uuid TEXT, has_cover BOOL DEFAULT 0,
          last_modified TIMESTAMP NOT NULL DEFAULT '2000-01-01 00:00:00+00:00');
        CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE, sort TEXT, link TEXT, UNIQUE(name));
        CREATE TABLE books_authors_link (id INTEGER PRIMARY KEY, book INTEGER NOT NULL, author INTEGER NOT NULL);
        CREATE TABLE tags (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE, UNIQUE(name));
        CREATE TABLE books_tags_link (id INTEGER PRIMARY KEY, book INTEGER NOT NULL, tag INTEGER NOT NULL);
        CREATE TABLE series (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE, sort TEXT, UNIQUE(name));
        CREATE TABLE books_series_link (id INTEGER PRIMARY KEY, book INTEGER NOT NULL, series INTEGER NOT NULL);
        CREATE TABLE publishers (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE, sort TEXT, UNIQUE(name));
        CREATE TABLE books_publishers_link (id INTEGER PRIMARY KEY, book INTEGER NOT NULL, publisher INTEGER NOT NULL);
        CREATE TABLE ratings (id INTEGER PRIMARY KEY, rating INTEGER, UNIQUE(rating));
        CREATE TABLE books_ratings_link (id INTEGER PRIMARY KEY, book INTEGER NOT NULL, rating INTEGER NOT NULL);
        CREATE TABLE comments (id INTEGER PRIMARY KEY, book INTEGER NOT NULL, text TEXT NOT NULL, UNIQUE(book));
        CREATE TABLE data (id INTEGER PRIMARY KEY, book INTEGER NOT NULL, format TEXT NOT NULL COLLATE NOCASE,
          uncompressed_size INTEGER NOT NULL, name TEXT NOT NULL, UNIQUE(book, format));
        CREATE TABLE identifiers (id INTEGER PRIMARY KEY, book INTEGER NOT NULL, type TEXT NOT NULL, val TEXT NOT NULL);
        CREATE TABLE custom_columns (id INTEGER PRIMARY KEY AUTOINCREMENT, label TEXT NOT NULL, name TEXT NOT NULL,
          datatype TEXT NOT NULL, mark_for_delete BOOL DEFAULT 0 NOT NULL, editable BOOL DEFAULT 1 NOT NULL,
          display TEXT DEFAULT '{}' NOT NULL, is_multiple BOOL DEFAULT 0 NOT NULL, normalized BOOL NOT NULL);
        """
}
