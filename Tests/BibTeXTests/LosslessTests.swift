import BibTeX
import TestSupport
import Testing

@Suite("Reading and writing a file gives the same file")
struct LosslessTests {
    @Test("A comment without delimiter whose type stands on the next line ends with that line")
    func commentOnNextLine() {
        let source = "@\ncomment x\n@a{k,}"
        #expect(document(source).bytes == Array(source.utf8))
        #expect(document(source).blocks.compactMap(\.key) == ["k"])
    }

    @Test("A library with every kind of block is written back unchanged")
    func library() {
        let document = document(Samples.library)
        #expect(text(document) == Samples.library)
        #expect(
            document.blocks.map(\.kind) == [
                .preamble, .comment, .info, .string, .entry, .entry, .entry, .comment, .comment, .text,
            ])
        #expect(document.problems(.error) == [])
        #expect(document.problems(.warning) == [])
    }

    @Test("Any bytes are written back unchanged")
    func bytes() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<300 {
            let bytes = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            #expect(BibTeXDocument(bytes).bytes == bytes)
        }
    }

    @Test(
        "Any order of the grammar's characters is written back unchanged, and every span is inside its block")
    func signs() {
        let signs = [
            "@", "a", "{", "}", "(", ")", "\"", "#", ",", "=", "%", "\n", "\r", " ", "\\", "é", "1",
            "@comment",
            "@string{", "@article{key,", "x = {", "BibDesk Static Groups{", "\u{FEFF}", "\n@misc{k,",
        ]
        var random = SeededGenerator(seed: 2)
        for _ in 0..<1500 {
            let text = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                signs.randomElement(using: &random) ?? ""
            }.joined()
            let document = document(text)
            #expect(document.bytes == Array(text.utf8))
            for block in document.blocks {
                var last = block.leading.end
                for field in block.fields {
                    #expect(last <= field.name.start && field.name.end <= field.value.start)
                    #expect(field.value.end <= block.bytes.count)
                    last = field.value.end
                }
            }
            _ = document.problemsForApp()
            _ = BibTeXLibrary(document).entries.count + document.groups.count
        }
    }

    @Test("Line ends, byte order marks and UTF-16 are kept")
    func forms() {
        for lineEnd in ["\r\n", "\r"] {
            let text = Samples.library.replacing("\n", with: lineEnd)
            #expect(document(text).bytes == Array(text.utf8))
            #expect(document(text).lineEnd == lineEnd)
            #expect(BibTeXLibrary(document(text)).entries.count == 3)
        }
        let marked = document("\u{FEFF}% @misc{no,}\n@misc{yes,}")
        #expect(text(marked).unicodeScalars.first == "\u{FEFF}")
        #expect(marked.blocks.compactMap(\.key) == ["yes"])
        for encoding in [BibTeXEncoding.utf16LittleEndian, .utf16BigEndian] {
            let bytes = encoding.bytes("\u{FEFF}@misc{k, title = {Über}}\n") ?? []
            let document = BibTeXDocument(bytes)
            #expect(document.encoding == encoding)
            #expect(document.bytes == bytes)
            #expect(document.blocks[0].value("title") == BibTeXValue("Über"))
            // An incomplete letter would be lost, so such a file is not read as text.
            #expect(BibTeXDocument(bytes + [0xD8]).bytes == bytes + [0xD8])
            #expect(BibTeXDocument(bytes + [0xD8, 0xD8]).bytes == bytes + [0xD8, 0xD8])
        }
    }

    @Test("Files made to keep the parser busy are read in one pass")
    func hostile() {
        // Each of these would take hours if every block were searched to the end of the file.
        for part in [
            "@a{", "@a(", "\n@a{k,", "\n@a(k, x = \"", "@a{k,%}{\n x=\"", "{", "}", "@comment(",
            "\n@a{k, x = {",
            "@", "@a{k}",
        ] {
            let text = String(repeating: part, count: 30_000)
            let document = document(text)
            #expect(document.bytes.count == text.utf8.count)
        }
    }
}
