import BibTeX
import Testing

@Suite("Changes affect only what they change")
struct EditingTests {
    private func changed(_ source: String, _ body: (BibTeXBlock) -> BibTeXBlock?) -> String {
        var document = document(source)
        document.change(0, body)
        return text(document)
    }

    @Test("An entry whose key has a percent sign can be changed, and a comma in a comment does not count")
    func percentInKey() {
        let one = document("@a{k%1, x = {1}}\n@b{l,}\n")
        #expect(one.blocks.compactMap(\.key) == ["k%1", "l"] && !one.blocks[0].isOpaque)
        #expect(
            changed("@a{k%1,\n\tx = {1}}") { $0.setting("y", to: BibTeXValue("2")) }
                == "@a{k%1,\n\tx = {1},\n\ty = {2}}")
        #expect(changed("@a{k%1,}") { $0.setting("y", to: BibTeXValue("2")) } == "@a{k%1,\n\ty = {2}}")
        #expect(
            changed("@a{k % a, b\n}") { $0.setting("y", to: BibTeXValue("2")) }
                == "@a{k,\n\ty = {2} % a, b\n}")
        #expect(document("@a{k% a, }\n, x = 1}").blocks[0].key == "k")
        #expect(one.problemsForApp().map(\.line) == [1])
    }

    @Test("Removing many blocks at once is the same as removing each alone")
    func removingMany() {
        let source = "% head\n@a{k0,}\n" + (1..<20).map { "% about \($0)\n@a{k\($0),}\n\n" }.joined() + "tail"
        var (one, many) = (document(source), document(source))
        let gone = [0, 1, 5, 6, 7, 12, 18, 19]
        for index in gone.reversed() { one.remove(index) }
        many.remove(Set(gone))
        #expect(text(many) == text(one))
    }

    @Test("A field is set in its place, or behind the last one in its layout")
    func set() {
        let source = "% head\n@a{k,\n  x = \"1\", % note\n  y = {2} # jan\n}\n"
        #expect(
            changed(source) { $0.setting("X", to: BibTeXValue("3")) }
                == source.replacing("\"1\"", with: "{3}"))
        #expect(
            changed(source) { $0.setting("z", to: BibTeXValue("3")) }
                == source.replacing("jan\n}", with: "jan,\n  z = {3}\n}"))
        #expect(changed("@a{k,}") { $0.setting("z", to: BibTeXValue("3")) } == "@a{k,\n\tz = {3}}")
        #expect(changed("@a{k}") { $0.setting("z", to: BibTeXValue("3")) } == "@a{k,\n\tz = {3}}")
        #expect(
            changed("@a{k,\n\tx = 1,\n}") { $0.setting("z", to: BibTeXValue("3")) }
                == "@a{k,\n\tx = 1,\n\tz = {3},\n}")
    }

    @Test("The first field of an entry has the line end of the file", arguments: ["\r\n", "\r", "\n"])
    func firstField(lineEnd: String) {
        let source = ["@misc{k,}", "@misc{l}@misc{m,}", ""].joined(separator: lineEnd)
        var library = document(source)
        for index in 0..<3 { library.change(index) { $0.setting("x", to: BibTeXValue("1")) } }
        let field = "\(lineEnd)\tx = {1}}"
        #expect(
            text(library) == "@misc{k,\(field)\(lineEnd)@misc{l,\(field)@misc{m,\(field)\(lineEnd)")
        var other = document(source).inUTF8()
        other.change(1) { $0.retyped("book")?.setting("x", to: BibTeXValue("1")) }
        #expect(text(other).contains("@book{l,\(field)"))
    }

    @Test("A field is removed with its comma")
    func remove() {
        #expect(changed("@a{k, x = 1, y = 2, X = 3}") { $0.removing("x") } == "@a{k, y = 2}")
        #expect(changed("@a{k, x = 1}") { $0.removing("x") } == "@a{k,}")
        #expect(changed("@a{k,\n x = 1,\n}") { $0.removing("x") } == "@a{k,\n}")
        #expect(changed("@a{k, y = 1, % c\n x = 2}") { $0.removing("x") } == "@a{k, y = 1, % c\n }")
    }

    @Test("Key and type are changed alone, and a damaged block is not changed")
    func names() {
        #expect(changed("@ARTICLE{ k , x = 1}") { $0.renamed("New:1") } == "@ARTICLE{ New:1 , x = 1}")
        #expect(changed("@ARTICLE{k,}") { $0.retyped("book") } == "@book{k,}")
        let damaged = "@a{k, x = }"
        #expect(changed(damaged) { $0.setting("y", to: BibTeXValue("1")) } == damaged)
        #expect(changed(damaged) { $0.renamed("z") } == damaged)
    }

    @Test("An entry is added behind the entries and before the groups, with names as the file writes them")
    func add() {
        var library = document(Samples.library)
        let entry = library.entry(
            type: "Book", key: "New",
            fields: [
                ("title", BibTeXValue("T")), ("bdsk-file-2", BibTeXValue("b")),
                ("Date-Added", BibTeXValue("now")),
                ("bdsk-file-10", BibTeXValue("c")), ("year", BibTeXValue("1")),
            ])
        let place = library.add(entry) ?? 0
        #expect(library.blocks[place - 1].key == "Parent")
        #expect(
            text(library)
                == Samples.library.replacing(
                    "year = {1999}}",
                    with:
                        "year = {1999}}\n\n@book{New,\n\tdate-added = {now},\n\ttitle = {T},\n\tyear = {1},\n"
                        + "\tbdsk-file-2 = {b},\n\tbdsk-file-10 = {c}}"))
        var capitals = document("@a{k, Title = {x}, Date-Added = {y}}\r\n")
        capitals.add(capitals.entry(type: "book", key: "n", fields: [("date-modified", BibTeXValue("z"))]))
        #expect(
            text(capitals)
                == "@a{k, Title = {x}, Date-Added = {y}}\r\n\r\n@book{n,\r\n\tDate-Modified = {z}}\r\n")
        var empty = BibTeXDocument()
        let refused = empty.add(Array("two @a{k,}".utf8))
        let added = empty.add(Array("@a{k,}".utf8))
        #expect(refused == nil && added == 0)
        #expect(text(empty) == "@a{k,}")
    }

    @Test("An entry is removed with the space before it, and comments stay")
    func removeEntry() {
        var library = document("% head\n\n@a{k,}\n\n@b{l,}\n\n% about m\n@c{m,}\n")
        library.remove(1)
        #expect(text(library) == "% head\n\n@a{k,}\n\n% about m\n@c{m,}\n")
        library.remove(1)
        #expect(text(library) == "% head\n\n@a{k,}\n\n% about m\n\n")
        library.remove(0)
        #expect(text(library).hasPrefix("% head\n\n"))
    }
}
