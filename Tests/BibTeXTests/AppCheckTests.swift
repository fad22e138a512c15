import BibTeX
import Testing

@Suite("A file that the app would not load is recognised")
struct AppCheckTests {
    @Test(
        "Files that btparse accepts have no errors",
        arguments: [
            "", "junk\n", "@a{k,}", "@a{k, x = {1}, y = \"2\" # jan # 3,}", "@a(k, x = 1)", "@a{k, x = 1)",
            "@a(k, x = 1}",
            "@comment{ @x{ }}", "@comment(a (b))", "@comment(a {b} c)", "@a % note\n{k,}",
            "@string{a = {x}, b = a}", "@string{}",
            "@preamble{{x} # \"y\"}", "% @x\n@a{k,}",
            "@a{1984,}", "@a{k, % }\n x = 1}", "@a{k, x = {\n@b{l,}\n}}",
        ])
    func accepted(text: String) {
        #expect(document(text).problemsForApp() == [])
    }

    @Test("A library with every kind of block is accepted")
    func library() {
        #expect(document(Samples.library).problemsForApp() == [])
    }

    @Test(
        "Files that btparse refuses are refused with the place",
        arguments: [
            ("@a{k}", 1, 5), ("@a{k, x = {1} y = 2}", 1, 15), ("\n\n@a{k,, x = 1}", 3, 6),
            ("@a{k, x = \"M\\\"uller\"}", 1, 15),
            ("@a{k(1), x = 1}", 1, 5), ("@a{two words,}", 1, 8), ("@a{, x = 1}", 1, 4),
            ("@a{k, x = ,}", 1, 11),
            ("@a{k, x = {1}", 1, 14), ("@a{Müller,}", 1, 5), ("@comment no braces\n@a{k,}", 1, 10),
            ("@a{k,} mail@home", 1, 17),
            ("@preamble{}", 1, 11), ("@a{k, 2x = 1}", 1, 7), ("@a{k, x = \"a } b\"}", 1, 14), ("% @x", 1, 5),
            ("@comment(a {)} b)\n@a{k,}", 1, 9),
        ])
    func refused(text: String, line: Int, column: Int) {
        let problem = document(text).problemsForApp().first
        #expect(problem?.line == line && problem?.column == column, "\(problem?.description ?? "accepted")")
    }

    @Test("Every damaged block is named, and bytes that are not UTF-8")
    func several() {
        #expect(document("@a{k}\n@b{l,}\n@c{m}").problemsForApp().map(\.line) == [1, 3])
        let bytes = Array("@a{k, x = {M".utf8) + [0xFC] + Array("}}".utf8)
        #expect(BibTeXDocument(bytes).problemsForApp().map(\.column) == [13])
        #expect(BibTeXDocument(bytes).forApp().problemsForApp() == [])
    }

    @Test("Where reading stopped after the line on which an entry starts, the entry is named with its line")
    func entries() throws {
        let lost = document("\n@article{one,\n  title = {First\n}\n\n@book{two,\n  title = {Second}\n}\n")
        let problem = try #require(lost.problemsForApp().first)
        #expect(problem.entry?.key == "one" && problem.entry?.line == 2 && problem.line == 4, "\(problem)")
        #expect(problem.description.hasSuffix("The entry 'one' starts on line 2."), "\(problem)")
        #expect(lost.problemWhenSent() == problem)
        // An entry after a comment, an entry whose place is its first line, and a problem outside of entries.
        let missing = document(
            "a comment\n\n@article{one,\n x = {1}\n y = {2}}\n@a{k}\n@comment no braces\n@b{l,}")
        let found = missing.problemsForApp()
        #expect(found.map(\.line) == [5, 6, 7] && found.map(\.entry?.line) == [3, 6, nil])
        #expect(found[0].explanation != found[0].message && found[1].explanation == found[1].message)
        // The error is in the text before an entry, which is not part of it.
        let text = document("@a{k,}\nmail me@home now\n\n@article{one,\n x = {1}}\n")
        #expect(text.problemsForApp().map { "\($0.line) \($0.entry?.key ?? "-")" } == ["2 -"])
        let long = document("@a{\(String(repeating: "k", count: 200)),\n x = {1} y}").problemsForApp().first
        #expect(long?.entry?.key == String(repeating: "k", count: 80))
    }

    @Test(
        "The copy for the app is UTF-8, with a comma after every key and links as archives with a path"
    )
    func copy() {
        let aliasOnly = "YnBsaXN0MDDRAQJZYWxpYXNEYXRhQwABAggLFQAAAAAAAAEBAAAAAAAAAAMAAAAAAAAAAAAAAAAAAAAZ"
        #expect(FileLink(value: aliasOnly).form == .alias && FileLink(value: aliasOnly).relativePath == nil)
        let source =
            "\u{FEFF}@misc{k}\n@a{l, bdsk-file-1 = {\(aliasOnly)}, bdsk-file-2 = {b.pdf}, x = 1}\n@b{m, bdsk-file-1 = {\(Samples.links[4].2)}}"
        let copy = document(source).forApp()
        #expect(document(source).problemsForApp().count == 2)
        #expect(copy.problemsForApp() == [])
        #expect(text(copy).hasPrefix("@misc{k,}\n@a{l, bdsk-file-1 = {"))
        #expect(copy.blocks[1].linkedFiles.map(\.relativePath) == ["b.pdf"])
        #expect(copy.blocks[2] == document(source).blocks[2])
        // Byte order marks are left out, also several.
        #expect(BibTeXDocument([0xFF, 0xFE, 0xFF, 0xFE]).forApp().bytes == [])
        // A block that cannot be read is not repaired.
        #expect(!document("@a{k, x = }").forApp().problemsForApp().isEmpty)
    }
}
