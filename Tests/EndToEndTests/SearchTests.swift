import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("books --search finds books")
struct SearchTests {
    private let bench: ReaderBench
    /// The titles of all books, including the app's own.
    private let all: [String]

    init() throws {
        bench = try ReaderBench(marvin: false) {
            $0.iosVersion = "18.6"
            $0.apps = [SimulatedReader.paperback()]
        }
        let source = try SyncSource(bench.folder.url.appendingPathComponent("source"))
        try source.put("one.epub", title: "Fiberoptics for C++", author: "Łukasz Straße")
        try source.put("two.epub", title: "日本語の本", author: "Optics Society")
        try source.put("three.epub", title: "A \"b\" 10.1000/x", author: "Ann Lima")
        let added = try bench.json("upload", "-r", source.path)
        #expect(added.status == 0, "\(added.errors)")
        all = try bench.json("books").texts("books", "title")
        #expect(Set(all).isSuperset(of: Self.added))
    }

    private static let added = ["Fiberoptics for C++", "日本語の本", "A \"b\" 10.1000/x"]
    private var withoutOptics: [String] { all.filter { !Self.added.prefix(2).contains($0) } }

    private func titles(_ words: String...) throws -> [String] {
        let listed = try bench.json(["books"] + words)
        #expect(listed.status == 0, "\(listed.errors)")
        return listed.texts("books", "title")
    }

    private var indexes: URL { bench.folder.url.appendingPathComponent("cache/overlayhost/search") }

    /// The files of all indexes.
    private func files() throws -> [URL] {
        guard let names = FileManager.default.enumerator(atPath: indexes.path) else { return [] }
        return names.compactMap { $0 as? String }.filter { $0.hasSuffix(".sqlite") }.map(
            indexes.appendingPathComponent)
    }

    @Test("The best matches come first, unless another order is chosen, and other options narrow the list")
    func search() throws {
        #expect(try titles("--search", "optics") == ["Fiberoptics for C++", "日本語の本"])
        #expect(try titles("--search", "optics", "--sort", "-title") == ["日本語の本", "Fiberoptics for C++"])
        #expect(try titles("--search", "optics", "--reverse") == ["日本語の本", "Fiberoptics for C++"])
        #expect(try titles("--search", "optics", "--limit", "1") == ["Fiberoptics for C++"])
        #expect(try titles("--search", "optics", "society") == ["日本語の本"])
        #expect(try titles("--search", "optics", "--author", "lima") == [])
        #expect(try titles("--search", "author:strasse title:fiber") == ["Fiberoptics for C++"])
        #expect(try titles("--search", "path:.epub -optics author:lima") == ["A \"b\" 10.1000/x"])
        #expect(
            try bench.run("books", "--search", "本語", "--csv", "--fields", "title").output
                == "title\r\n日本語の本\n")
        #expect(try bench.run("books", "--search", "nosuch").output == "No book matches.\n")
        #expect(try titles("--search", "") == all)
    }

    @Test("Every text that a person types is searched for as it is")
    func hostile() throws {
        #expect(try titles("--search", "C++") == ["Fiberoptics for C++"])
        #expect(try titles("--search", "10.1000/x") == ["A \"b\" 10.1000/x"])
        #expect(try titles("--search", "-optics") == withoutOptics)
        #expect(try titles("--search", "-lima") == all.filter { $0 != Self.added[2] })
        #expect(try titles("--search", "OR") == all)
        for query in ["a\"b", "'; DROP TABLE book; --", "NEAR(", String(repeating: "x", count: 10_000)] {
            #expect(try titles("--search", query) == [])
        }
        #expect(try titles("--search", String(repeating: "lima ", count: 2_000)) == ["A \"b\" 10.1000/x"])
    }

    @Test(
        "The index is kept for this user alone, is not written without a change, and is made again when it is damaged"
    )
    func index() throws {
        #expect(try titles("--search", "lima") == ["A \"b\" 10.1000/x"])
        let file = try #require(try files().first)
        #expect(try files().count == 1)
        let mode = try FileManager.default.attributesOfItem(atPath: indexes.path)[.posixPermissions] as? Int
        #expect(mode == 0o700)
        let before = try Data(contentsOf: file)
        #expect(try titles("--search", "society") == ["日本語の本"])
        #expect(try Data(contentsOf: file) == before)
        try Data("no database, but of some length".utf8).write(to: file)
        #expect(try titles("--search", "lima") == ["A \"b\" 10.1000/x"])
        #expect(try Data(contentsOf: file).starts(with: Data("SQLite format 3".utf8)))
        // A deleted book is not found any more.
        let deleted = try bench.run("delete", "A \"b\" 10.1000/x", "--yes")
        #expect(deleted.status == 0, "\(deleted.errors)")
        #expect(try titles("--search", "lima") == [])
    }

    @Test(
        "Books are found even without a usable index or with the cache switched off")
    func withoutIndex() throws {
        try FileManager.default.createDirectory(
            at: indexes.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data().write(to: indexes)
        let listed = try bench.json("books", "--search", "lima", "--verbose")
        #expect(listed.texts("books", "title") == ["A \"b\" 10.1000/x"])
        #expect(listed.errors.contains("searching without an index"), "\(listed.errors)")
        try FileManager.default.removeItem(at: indexes)
        #expect(try bench.run("prefs", "set", "documents_caching_disabled", "true").status == 0)
        #expect(try titles("--search", "lima") == ["A \"b\" 10.1000/x"])
        #expect(try files().isEmpty)
    }

    /// A folder with a program that prints the second line of a PDF file as its text, and fails for files without
    /// one.
    private func reader() throws -> String {
        let folder = bench.folder.url.appendingPathComponent("bin")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let program = folder.appendingPathComponent("pdftotext")
        let script = #"""
            #!/bin/sh
            { read -r first; read -r text; } < "$5"
            [ -n "$text" ] && echo "$text"
            """#
        try writeProgram(script, to: program)
        return folder.path
    }

    private func paper(_ name: String, _ text: String) throws {
        let file = try bench.file(name, "%PDF-1.4\n\(text)\n" + String(repeating: "%", count: name.count))
        #expect(try bench.run("upload", file).status == 0)
    }

    private func titles(inTexts query: String, path: String) throws -> (titles: [String], errors: String) {
        let listed = try Document(
            bench.run(words: ["books", "--search", query, "--text", "--json"], environment: ["PATH": path]))
        return (listed.texts("books", "title"), listed.errors)
    }

    @Test("Texts inside PDF files are fetched and read once, and found from then on")
    func texts() throws {
        try paper("first.pdf", "A treatise on refraction")
        try paper("second.pdf", "")
        let path = try reader()
        let first = try titles(inTexts: "refraction", path: path)
        #expect(first.titles == ["first"])
        #expect(first.errors.contains("The text of 'second' could not be read"), "\(first.errors)")
        #expect(try titles("--search", "refraction") == [])
        #expect(try titles("--search", "text:refraction") == ["first"])
        // Both files were read, and one of them has no text.
        let before = bench.device.fileRequests
        let again = try titles(inTexts: "treatise refr", path: path)
        #expect(again.titles == ["first"] && !again.errors.contains("second"), "\(again.errors)")
        let opened = bench.device.fileRequests.dropFirst(before.count).map { "\($0)" }
        #expect(!opened.contains { $0.contains("open") && $0.contains(".pdf") }, "\(opened)")
    }

    @Test("Without pdftotext, an error says what to install")
    func withoutProgram() throws {
        let result = try bench.run(
            words: ["books", "--search", "x", "--text"], environment: ["PATH": bench.folder.path])
        #expect(result.status != 0 && result.errors.contains("apt install poppler-utils"), "\(result.errors)")
        #expect(try bench.run("books", "--text").errors.contains("--text needs --search."))
    }

    @Test("A client of serve searches, also without asking the device again")
    func serving() throws {
        let client = try ServeClient(bench)
        let session = try client.open("Paperback")
        let found = try client.call("books", ["session": session, "search": "optics"])
        #expect(found.texts("books", "title") == ["Fiberoptics for C++", "日本語の本"])
        #expect(found["complete"] as? Bool == false && found["mark"] as? String == "")
        let before = bench.device.fileRequests.count
        let again = try client.call("books", ["session": session, "search": "本", "cached": true])
        #expect(again.texts("books", "title") == ["日本語の本"])
        #expect(bench.device.fileRequests.count == before)
        let whole = try client.call("books", ["session": session, "since": ""])
        #expect(whole.texts("books", "title") == all && whole["complete"] as? Bool == true)
    }
}

@Suite("books --search works in Books")
struct SearchInBooksTests {
    @Test("An app whose overlay has no caches to switch off has an index, too, and nothing is said about it")
    func index() throws {
        let books = try BooksBench()
        let listed = try books.bench.json("books", "--search", "debian project", "--verbose")
        #expect(listed.texts("books", "title") == ["The History of Debian"])
        #expect(!listed.errors.contains("without an index"), "\(listed.errors)")
        let indexes = books.bench.folder.path("cache/overlayhost/search")
        #expect(
            try FileManager.default.subpathsOfDirectory(atPath: indexes).contains { $0.hasSuffix(".sqlite") })
    }
}
