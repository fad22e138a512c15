import BookSearch
import Foundation
import TestSupport
import Testing

@Suite("Books are found by their texts")
struct BookSearchTests {
    private let index: SearchIndex

    init() throws {
        index = try SearchIndex(file: nil)
        let books: [[SearchColumn: String]] = [
            [
                .title: "Über die Größe", .author: "Ørsted, Hans; Łukasz Straße", .year: "1820",
                .other: "C++ a\"b -foo 5\" 中",
            ],
            [.title: "Optics", .author: "Lima", .year: "2024", .identifiers: "10.1000/x"],
            [.title: "日本語の本", .keywords: "optics, ﬁelds", .year: "2024", .publisher: "كِتَاب"],
        ]
        try index.update(
            to: books.enumerated().map { number, texts in
                SearchEntry(id: "\(number + 1)", stamp: 1) { texts }
            })
    }

    private func found(_ query: String) throws -> [String] {
        try index.search(SearchQuery(query)).map(\.id)
    }

    @Test(
        "Terms are found anywhere in a text, regardless of case, accents and ligatures",
        arguments: [
            ("uber", ["1"]), ("GRÖSSE", ["1"]), ("orsted", ["1"]), ("lukasz strasse", ["1"]), ("groß", ["1"]),
            ("ptic", ["2", "3"]), ("fields", ["3"]), ("ﬁeld", ["3"]), ("lima optics", ["2"]), ("كتاب", ["3"]),
            ("", ["1", "2", "3"]), (" \t", ["1", "2", "3"]), ("c++", ["1"]), ("a\"b", ["1"]),
            ("10.1000/x", ["2"]),
            ("\"hans; luk\"", ["1"]), ("\"ans  luk\"", []), ("\"not closed", []), ("\"lima", ["2"]),
        ])
    func anywhere(query: String, expected: [String]) throws {
        #expect(try found(query).sorted() == expected)
    }

    @Test(
        "Terms of one and two letters are found, even at the end of a text",
        arguments: [
            ("li", ["2"]), ("ma", ["2"]), ("日本", ["3"]), ("の本", ["3"]), ("本", ["3"]), ("中", ["1"]),
            ("5\"", ["1"]),
            ("x", ["2"]), ("title:cs", ["2"]), ("title:li", []), ("-li", ["1", "3"]), ("ic -li", ["3"]),
            ("title:本 OR li", ["2", "3"]), ("optics 本", ["3"]), ("zz", []),
        ])
    func short(query: String, expected: [String]) throws {
        #expect(try found(query).sorted() == expected)
    }

    @Test("Terms of one and two letters that many books have are found")
    func shortAndCommon() throws {
        let many = try SearchIndex(file: nil)
        try many.update(
            to: (0..<6_000).map { number in
                SearchEntry(id: "\(number)", stamp: 1) {
                    [.title: number == 7 ? "rare" : "common", .author: "oo"]
                }
            })
        #expect(try many.search(SearchQuery("co")).count == 5_999)
        #expect(try many.search(SearchQuery("-co")).map(\.id) == ["7"])
        #expect(try many.search(SearchQuery("-oo")).isEmpty)
        #expect(try many.search(SearchQuery("title:oo")).isEmpty)
        #expect(try many.search(SearchQuery("rare o")).map(\.id) == ["7"])
    }

    @Test(
        "Excluded terms must not occur, and one of several alternatives must",
        arguments: [
            ("-foo", ["2", "3"]), ("\"-foo\"", ["1"]), ("optics -lima", ["3"]),
            ("-\"hans; luk\"", ["2", "3"]),
            ("lima OR orsted", ["1", "2"]), ("OR", ["1", "2", "3"]), ("OR lima OR", ["2"]),
            ("lima \"OR\"", []), ("lima AND lima", ["2"]), ("AND NOT lima", ["1", "3"]), ("lim* NOT", ["2"]),
            ("\"lim*\"", []), ("lima \"NOT\" lima", []),
            ("lima or orsted", []), ("-", ["1"]),
        ])
    func operators(query: String, expected: [String]) throws {
        #expect(try found(query).sorted() == expected)
    }

    @Test(
        "A word can be searched in one column",
        arguments: [
            ("year:2024", ["2", "3"]), ("author:lima", ["2"]), ("title:lima", []),
            ("YEAR:20 title:\"optics\"", ["2"]), ("-author:lima", ["1", "3"]),
            ("tags:optics", ["3"]), ("author:", ["1", "2", "3"]), ("http://x", []), ("nosuch:lima", []),
            ("doi:1000", ["2"]), ("author:\"hans; luk\"", ["1"]), ("title:lima OR author:lima", ["2"]),
        ])
    func columns(query: String, expected: [String]) throws {
        #expect(try found(query).sorted() == expected)
    }

    @Test(
        "A search text is never interpreted as an SQLite query",
        arguments: [
            "\"", "\"\"", "(", ")", "*", "NEAR(a b)", "a AND", "title:", "^abc", "{a b}: c", "abc*",
            "AND NOT",
            "'; DROP TABLE book; --", ":", "- -", "a\u{0}bcd", "\u{0}", "OR OR", "c_title:abc", "rowid:1",
            "%", "abc_%",
            "xy\"\u{93F} OR lima", "xyz\"\u{20DD}\" OR \"lima", "\u{FFFD}\u{10FFFF}", "title:\"a\" b\"c",
            String(repeating: "x ", count: 5_000), String(repeating: "lima", count: 2_500),
            String(repeating: "title:zz OR ", count: 500), String(repeating: "-abc ", count: 500),
            String(repeating: "\"", count: 10_000), String(repeating: "\u{301}", count: 10_000),
        ])
    func harmless(query: String) throws {
        let hits = try found(query)
        #expect(Set(hits).isSubset(of: ["1", "2", "3"]))
        #expect(try found("lima") == ["2"])
    }

    @Test("A quote with a mark on it does not end the quotation")
    func markedQuote() throws {
        #expect(try found("xyz\"\u{93F}") == [])
        #expect(try found("\"xyz\"\u{93F} OR lima") == [])
    }

    @Test(
        "A hit in the title comes before one in the keywords, and what is everywhere is in the order of the titles, too"
    )
    func order() throws {
        #expect(try found("optics") == ["2", "3"])
        let many = try SearchIndex(file: nil)
        try many.update(
            to: (0..<6_000).map { number in
                SearchEntry(id: "\(number)", stamp: 1) {
                    [number == 5_000 ? .title : .keywords: "common"]
                }
            })
        let hits = try many.search(SearchQuery("common"))
        #expect(hits.count == 6_000 && hits.first?.id == "5000" && hits.first?.rank != hits.last?.rank)
    }
}
