import BookSearch
import Foundation
import TestSupport
import Testing

@Suite("Books are found by their texts")
struct BookSearchTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path + "/index.sqlite" }

    init() throws { folder = try TemporaryFolder() }

    private func index() throws -> SearchIndex {
        try SearchIndex(path: path) { unlink($0) }
    }

    private let books = [
        SearchEntry(
            id: "1", stamp: "a",
            texts: [
                .title: "Über die Größe", .author: "Ørsted, Hans; Łukasz Straße", .year: "1820",
                .other: "C++ a\"b -foo",
            ]),
        SearchEntry(
            id: "2", stamp: "a",
            texts: [.title: "Optics", .author: "Lima", .year: "2024", .identifiers: "10.1000/x"]),
        SearchEntry(
            id: "3", stamp: "a", texts: [.title: "日本語の本", .keywords: "optics, ﬁelds", .year: "2024"]),
    ]

    private func found(_ query: String) throws -> [String] {
        let index = try index()
        try index.update("L", to: books)
        return try index.search(SearchQuery(query), in: "L")
    }

    @Test(
        "Anywhere in a text, without case, accents and ligatures",
        arguments: [
            ("uber", ["1"]), ("GRÖSSE", ["1"]), ("orsted", ["1"]), ("lukasz strasse", ["1"]), ("groß", ["1"]),
            ("ptic", ["2", "3"]),
            ("fields", ["3"]), ("本語の", ["3"]), ("日本", ["3"]), ("の", ["3"]), ("lima optics", ["2"]),
            ("", ["1", "2", "3"]),
            ("c++", ["1"]), ("a\"b", ["1"]), ("10.1000/x", ["2"]), ("\"hans; luk\"", ["1"]),
            ("\"ans  luk\"", []), ("-foo", ["2", "3"]),
            ("optics -lima", ["3"]), ("lima OR orsted", ["1", "2"]), ("OR", ["1", "2", "3"]), ("li", ["2"]),
            ("ic -li", ["3"]),
        ])
    func anywhere(query: String, expected: [String]) throws {
        #expect(try found(query).sorted() == expected)
    }

    @Test(
        "In one column",
        arguments: [
            ("year:2024", ["2", "3"]), ("author:lima", ["2"]), ("title:lima", []),
            ("YEAR:20 title:\"optics\"", ["2"]), ("-author:lima", ["1", "3"]),
            ("tags:optics", ["3"]), ("author:", ["1", "2", "3"]), ("http://x", []), ("nosuch:lima", []),
            ("doi:1000", ["2"]),
        ])
    func columns(query: String, expected: [String]) throws {
        #expect(try found(query).sorted() == expected)
    }

    @Test("What a person types is never a query of SQLite's")
    func harmless() throws {
        let index = try index()
        try index.update("L", to: books)
        for query in [
            "\"", "\"\"", "(", ")", "*", "NEAR(a b)", "a AND", "title:", "^abc", "{a b}: c", "abc*",
            "'; DROP TABLE book; --", ":", "-", "- -", "a\u{0}bcd", "OR OR",
            String(repeating: "x ", count: 5_000),
        ] {
            _ = try index.search(SearchQuery(query), in: "L")
        }
        #expect(try index.search(SearchQuery("lima"), in: "L") == ["2"])
    }

    @Test("A hit in the title comes before one in the keywords")
    func order() throws {
        #expect(try found("optics") == ["2", "3"])
    }

    @Test("Only what changed is indexed again, what is gone is not found, and libraries are apart")
    func updates() throws {
        let index = try index()
        #expect(try index.update("L", to: books) == 3)
        #expect(try index.update("L", to: books) == 0)
        #expect(try index.update("M", to: [books[1]]) == 1)
        let changed = SearchEntry(id: "1", stamp: "b", texts: [.title: "New"])
        #expect(try index.update("L", to: [changed, books[1]]) == 2)
        #expect(try index.search(SearchQuery("orsted"), in: "L") == [])
        #expect(try index.search(SearchQuery("new"), in: "L") == ["1"])
        #expect(try index.search(SearchQuery("日本"), in: "L") == [])
        #expect(try index.search(SearchQuery("lima"), in: "M") == ["2"])
        // One id that comes twice is one book.
        #expect(
            try index.update("M", to: [changed, SearchEntry(id: "1", stamp: "c", texts: [.title: "Newer"])])
                == 3)
        #expect(try index.search(SearchQuery("new"), in: "M") == ["1"])
    }

    @Test("A damaged file and one of another version are made again")
    func damaged() throws {
        try Data("this is no database, but long enough to look like a file".utf8).write(
            to: URL(fileURLWithPath: path))
        let index = try index()
        #expect(try index.search(SearchQuery("lima"), in: "L") == [])
        try index.update("L", to: books)
        #expect(try self.index().search(SearchQuery("lima"), in: "L") == ["2"])
    }

    @Test("A folder that is not there is an error that names the file")
    func missing() throws {
        let error = #expect(throws: SearchError.self) {
            try SearchIndex(path: folder.path + "/none/index.sqlite") { _ in }
        }
        #expect(error?.code == .inaccessible && error?.subject?.hasSuffix("/none/index.sqlite") == true)
    }
}
