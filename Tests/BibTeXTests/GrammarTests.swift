import BibTeX
import Testing

@Suite("Corner cases of the grammar are read")
struct GrammarTests {
    /// The keys of the entries, and the fields of the first one as `name=value`.
    private func read(_ source: String) -> (keys: [String], fields: [String], errors: Int, warnings: Int) {
        let document = document(source)
        #expect(text(document) == source)
        let entries = document.blocks.filter { $0.kind == .entry }
        let fields = entries.first.map { block in
            block.fields.map { "\(block.name(of: $0))=\($0.isReadable ? "" : "?")\(block.text($0.value))" }
        }
        return (
            entries.compactMap(\.key), fields ?? [], document.problems(.error).count,
            document.problems(.warning).count
        )
    }

    @Test("Text between entries is kept, and a line that begins with % hides what is in it")
    func between() {
        #expect(
            read("mail me@home.org now\n @a{k1,} rest % @b{k2,}\n  % @c{k3,}\n@d{k4,}").keys == [
                "k1", "k2", "k4",
            ])
        #expect(read("@a{k1,} % @b{k2,}\n").keys == ["k1"])
    }

    @Test("Comments inside an entry are skipped, and % in a value is an ordinary character")
    func comments() {
        let entry = read("@a{k, % one } {\n x = {1 % 2}, % two\n y = \"3 % 4\"\n % three\n}@b{l,}")
        #expect(entry.keys == ["k", "l"])
        #expect(entry.fields == ["x={1 % 2}", "y=\"3 % 4\""])
        #expect(entry.errors == 0)
    }

    @Test("Braces nest, and only a quote outside braces ends a value in quotes")
    func nesting() {
        let entry = read("@a{k, x = {a {\"b} {c}}, y = \"a {\"} b\", z = {\\{}}}")
        #expect(entry.fields == ["x={a {\"b} {c}}", "y=\"a {\"} b\"", "z={\\{}}"])
        #expect(entry.errors == 0)
    }

    @Test("A quote behind a backslash ends the value, which is noted with the other reading")
    func accentInQuotes() {
        let document = document("@a{k, x = \"M\\\"uller\", y = {1}}\n@b{l,}")
        #expect(document.blocks[0].fields.map(\.isReadable) == [false, true])
        #expect(document.problems(.error).first?.message.contains("quotation mark") == true)
        #expect(document.blocks[1].key == "l")
    }

    @Test("Values are joined in parentheses and in braces, and types and names ignore case")
    func forms() {
        let entry = read("@ARTICLE ( k , X = {a} # \"b\" # jan # 10 , )\n@ a {l,}")
        #expect(entry.keys == ["k", "l"])
        #expect(entry.fields == ["x={a} # \"b\" # jan # 10"])
        #expect(entry.errors == 0)
        let block = document("@ARTICLE(k, X = {a} # \"b\" # jan # 10)").blocks[0]
        #expect(block.type == "article")
        #expect(
            block.value("x") == BibTeXValue(pieces: [.text("a"), .text("b"), .macro("jan"), .number("10")]))
    }

    @Test("An entry that is closed by the other delimiter is accepted with a warning")
    func mixedDelimiters() {
        let first = read("@a(k, x = {1}}\n@b{l,}")
        #expect(first.keys == ["k", "l"] && first.errors == 0 && first.warnings == 1)
        let second = read("@a{k, x = {1})\n@b{l,}")
        #expect(second.keys == ["k", "l"] && second.errors == 0 && second.warnings == 1)
    }

    @Test("Parentheses and letters of any language in keys give a warning, and a space is an error")
    func keys() {
        #expect(read("@a{k(1), x = 1}").keys == ["k(1)"])
        #expect(read("@a{k(1), x = 1}").warnings == 1)
        #expect(read("@a{Müller, x = 1}").keys == ["Müller"])
        #expect(read("@a{1984, x = 1}").errors == 0)
        let spaced = read("@a{two words, x = 1}")
        #expect(spaced.keys == ["two words"] && spaced.errors == 1 && spaced.fields == ["x=1"])
        let missing = read("@a{ x = 1, y = 2}")
        #expect(missing.keys == [] && missing.errors == 1 && missing.fields == ["x=1", "y=2"])
        #expect(read("@a{, x = 1}").keys == [])
        let bare = read("@misc{k}")
        #expect(bare.keys == ["k"] && bare.errors == 0 && bare.warnings == 1)
    }

    @Test("Superfluous commas give a warning, and a missing one is an error that loses no field")
    func commas() {
        let many = read("@a{k,, x = 1,, y = 2,}")
        #expect(many.fields == ["x=1", "y=2"] && many.errors == 0 && many.warnings == 2)
        let missing = read("@a{k, x = {1} y = {2}, z = 3}")
        #expect(missing.fields == ["x={1}", "y={2}", "z=3"] && missing.errors == 1)
    }

    @Test("A missing closing brace costs its entry alone")
    func missingBrace() {
        let file = read("@a{k, x = {1}, y = {2\n\n@b{l, z = 3}\n\n@c{m, z = 3}\n")
        #expect(file.keys == ["k", "l", "m"])
        #expect(file.errors > 0)
        // Text that begins like an entry inside balanced braces is text.
        #expect(read("@a{k, x = {1\n@b{l,}\n}}").keys == ["k"])
    }

    @Test("Comments are read with and without delimiters, and may contain entries")
    func commentBlocks() {
        #expect(read("@comment{ @a{k,} }@b{l,}").keys == ["l"])
        #expect(read("@comment @a{k,}\n@b{l,}").keys == ["l"])
        #expect(read("@comment(a (b) @c{k,})@b{l,}").keys == ["l"])
        #expect(read("@comment{ {\n@b{l,}\n").keys == ["l"])
    }

    @Test("A block may have several macros, and it or a preamble may be empty")
    func strings() {
        let document = document("@string{a = {x}, B = \"y\" # a}@string{}@preamble{}")
        #expect(document.problems(.error) == [])
        let macros = document.macros()
        #expect(macros.text(BibTeXValue(pieces: [.macro("A"), .text("-"), .macro("b")])) == "x-yx")
    }

    @Test("The last of two fields with one name counts, and both are kept")
    func twice() {
        let block = document("@a{k, x = 1, X = 2}").blocks[0]
        #expect(block.value("x") == BibTeXValue(pieces: [.number("2")]))
        #expect(block.fields.count == 2)
        let problems = document("@a{k, x = 1,\n X = 2}").problems(.warning)
        #expect(problems.map { "\($0.line):\($0.column)" } == ["2:2"])
        #expect(problems.first?.message.contains("this field already") == true)
    }

    @Test("A macro without a definition and a second definition are warned of, with their places")
    func macroWarnings() {
        let library = document(
            """
            @preamble{"x" # pre}
            @string{one = {1}, two = one # three}
            @String{ONE = {2}}
            @a{k, month = jan, x = {a # b}, y = "c" # Two # Four, z = 5}
            """)
        #expect(
            library.problems(.warning).map { "\($0.line) \($0.message.split(separator: " is ")[0])" } == [
                "1 The macro 'pre'", "2 The macro 'three'", "3 The macro", "4 The macro 'four'",
            ])
        #expect(library.problems(.error) == [])
    }

    @Test("Fields that cannot be read are kept beside the others")
    func badFields() {
        let empty = read("@a{k, x = , y = {}}")
        #expect(empty.fields == ["x=?", "y={}"] && empty.errors == 1)
        let digit = read("@a{k, 2x = {1}, y = 2}")
        #expect(digit.fields == ["2x=?{1}", "y=2"] && digit.errors == 1)
        let foreign = read("@a{k, größe = {1}}")
        #expect(foreign.errors == 0 && foreign.warnings == 1)
    }

    @Test("A damaged entry is not read as a complete one, even after many odd characters")
    func manyWarnings() {
        let commas = String(repeating: ",", count: 1000)
        let block = document("@a{k\(commas) x = {1, y = 2}").blocks[0]
        #expect(block.isOpaque && block.setting("z", to: BibTeXValue("3")) == nil)
        #expect(block.diagnostics.count <= 101)
        #expect(document("@a{k\(commas) x = {1}}").blocks[0].isOpaque == false)
    }

    @Test("Positions are lines and columns, counted in characters")
    func places() {
        let problem = document("% é\r\n@a{k,\r\n é = {ü}, x = ,}").problems(.error).first
        #expect(
            problem?.description == "line 3, column 15: The value is missing. The entry 'k' starts on line 2."
        )
    }
}
