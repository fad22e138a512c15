import Testing

@testable import BookFolders

@Suite("Names of files fit every device and collide with nothing")
struct NameTests {
    @Test("The content decides about archives, even if an app lists them as books")
    func archives() {
        let formats = BookFormats(["epub", "zip"])
        #expect(formats.fileExtension(ofMediaType: "application/epub+zip; x=1") == "epub")
        #expect(formats.fileExtension(ofMediaType: "application/zip") == nil)
        #expect(
            BookFormats.bookType(of: "zip") == nil && BookFormats.mediaType(of: "zip") == "application/zip")
    }

    @Test(
        "A title becomes a name",
        arguments: [
            ("Emma", "Emma"), ("AC/DC", "AC-DC"), ("..hidden", "hidden"), (". .x", "x"),
            ("a\u{0}b\tc\nd", "a b c d"),
            ("  much   space ", "much space"), ("", "Untitled"), ("...", "Untitled"), ("/", "-"),
            ("ends.", "ends"),
            ("exe\u{202E}bupe", "exebupe"), ("日本語/𝄞", "日本語-𝄞"), ("What?: A *Story*", "What?: A *Story*"),
        ])
    func cleaned(title: String, name: String) {
        #expect(BookName.cleaned(title) == name)
    }

    @Test(
        "The name of a file does not begin with a dash, which commands would take for an option",
        arguments: [
            ("/", "Untitled"), ("-30-", "30-"), ("//- .x", "x"), ("../../etc/passwd", "etc-passwd"),
            ("AC/DC", "AC-DC"),
        ])
    func dashes(title: String, name: String) {
        #expect(BookName.file(title, fileExtension: "epub") == name + ".epub")
    }

    @Test("A name has at most 255 bytes, with its suffix and extension, and whole characters")
    func longest() {
        for title in [
            String(repeating: "a", count: 400), String(repeating: "ü", count: 200),
            String(repeating: "👨‍👩‍👧‍👦", count: 40),
        ] {
            let name = BookName.file(title, suffix: " (12)", fileExtension: "epub")
            #expect(name.utf8.count <= 255)
            #expect(name.utf8.count > 225)
            #expect(name.hasSuffix(" (12).epub"))
            #expect(title.hasPrefix(String(name.dropLast(10))))
        }
        let monster = "e" + String(repeating: "\u{301}", count: 300)
        let name = BookName.file(monster, fileExtension: "pdf")
        #expect(name.utf8.count <= 255)
        #expect(name.hasSuffix(".pdf"))
    }

    @Test("Names that a device takes for one have one key")
    func keys() {
        #expect(BookName.key("\u{E9}tude") == BookName.key("e\u{301}tude"))
        #expect(BookName.key("EMMA.epub") == BookName.key("Emma.EPUB"))
        #expect(BookName.key("ΛΌΓΟΣ") == BookName.key("λόγος"))
        #expect(BookName.key("Emma") != BookName.key("Emma 2"))
    }

    @Test("A taken name gets a number, regardless of its case and Unicode form")
    func numbered() throws {
        var names = TakenNames()
        names.take(try #require(ShelfPath("A/\u{E9}tude.pdf")))
        let folder = try #require(ShelfPath("a"))
        #expect(
            names.takeFree("E\u{301}tude", in: folder, fileExtension: "pdf")?.text == "a/E\u{301}tude (2).pdf"
        )
        #expect(names.takeFree("Étude", in: folder, fileExtension: "PDF")?.text == "a/Étude (3).PDF")
        #expect(names.takeFree("Étude", in: folder, fileExtension: "epub")?.text == "a/Étude.epub")
        #expect(names.takeFree("Étude", in: nil, fileExtension: "pdf")?.text == "Étude.pdf")
    }

    @Test("The thousandth book of a title gets its name at once, and a name that came free is used again")
    func manyOfOneTitle() throws {
        var names = TakenNames()
        for number in 2...1500 { names.take(try #require(ShelfPath("A/Untitled (\(number)).pdf"))) }
        let folder = try #require(ShelfPath("a"))
        var last: ShelfPath?
        for _ in 0..<1500 { last = names.takeFree("Untitled", in: folder, fileExtension: "pdf") }
        #expect(last?.text == "a/Untitled (2999).pdf")
        #expect(names.tries < 3 * 1500)
        names.release(try #require(ShelfPath("A/Untitled (7).pdf")))
        #expect(names.takeFree("untitled", in: folder, fileExtension: "pdf")?.text == "a/untitled (7).pdf")
        #expect(
            names.takeFree("untitled", in: folder, fileExtension: "pdf")?.text == "a/untitled (3000).pdf")
        #expect(names.takeFree("Untitled", in: nil, fileExtension: "pdf")?.text == "Untitled.pdf")
    }

    @Test(
        "A path that leads out of the folder is refused",
        arguments: [
            "", "/a", "a//b", "../a", "a/..", ".", "a/\u{0}", "a/", "../\u{301}x.epub",
            "a/\u{301}b/../\u{301}c",
        ])
    func refused(path: String) {
        #expect(ShelfPath(path) == nil)
    }

    @Test("The extension follows the last dot")
    func extensions() throws {
        let path = try #require(ShelfPath("A.B/The. Book. Vol. 2.MOBI"))
        #expect(path.fileExtension == "mobi")
        #expect(path.stem == "The. Book. Vol. 2")
        #expect(path.folder?.text == "A.B")
        #expect(ShelfPath("A.B/none")?.fileExtension == "")
        #expect(ShelfPath(".hidden")?.fileExtension == "")
    }

    @Test("Two Unicode forms of a path are two paths")
    func bytes() throws {
        #expect(try #require(ShelfPath("\u{E9}")) != (try #require(ShelfPath("e\u{301}"))))
    }
}
