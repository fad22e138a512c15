import BibTeX
import Testing

@Suite("Letters, values and macros become text")
struct TextTests {
    @Test("Composed and compatible letters are handled without tables other than Swift's own")
    func normalForms() {
        #expect(TextFolding.composed("Go\u{308}tberg").unicodeScalars.count == 7)
        #expect(TextFolding.compatible("ﬁle\u{A0}№ ² ｱｂ…") == "file No 2 アb...")
        #expect(
            TextFolding.compatible("Go\u{308}tberg ﬁ").unicodeScalars.elementsEqual(
                "Götberg fi".unicodeScalars))
    }

    @Test(
        "Letters for a name in ASCII have no accents, and special letters are replaced",
        arguments: [
            ("Šimek", "Simek"), ("O'Brien", "OBrien"), ("Ørsted", "Orsted"), ("Łuk", "Luk"),
            ("Strauß", "Strauss"),
            ("Ægir Ó", "AegirO"), ("{\\v S}2", "vS2"), ("日本", ""),
            ("Müller-Lüdenscheidt", "MullerLudenscheidt"),
        ])
    func asciiLetters(text: String, letters: String) {
        #expect(TextFolding.asciiLetters(text) == letters)
    }

    @Test(
        "TeX's spelling of letters is read",
        arguments: [
            ("{\\\"a}{\\'e}{\\`e}{\\^o}{\\~n}{\\=a}{\\.z}", "äéèôñāż"),
            ("{\\u g}{\\v s}{\\H o}{\\r a}{\\c c}{\\k a}{\\d h}", "ğšőåçąḥ"),
            ("{\\ss}{\\o}{\\AA}{\\ae}{\\OE}{\\l}{\\ldots}{\\copyright}", "ßøÅæŒł…©"),
            ("{\\u C}{\\u c}", "Čč"), ("{\\'\\i}{\\v{\\j}}", "íǰ"), ("\\\"a\\\"{a}{\\\"{a}}\\v{s}", "äääš"),
            ("Stra\\ss e, \\o rsted, \\AA{}ngstr{\\\"o}m", "Straße, ørsted, Ångström"),
            ("\\LaTeX{} \\emph{x} {\\bf y} \\& 50\\%", "\\LaTeX{} \\emph{x} {\\bf y} \\& 50\\%"),
            ("{\\\"1}\\", "{\\\"1}\\"), ("{\\\"a", "{ä"), ("C:\\\\u x", "C:\\\\u x"),
        ])
    func decoded(tex: String, letters: String) {
        #expect(TeXText.decoded(tex) == letters)
    }

    @Test("Letters are written as BibDesk writes them, and come back")
    func encoded() {
        #expect(TeXText.encoded("Müller š ł í ß č") == "M{\\\"u}ller {\\v s} {\\l} {\\'\\i} {\\ss} {\\v c}")
        #expect(TeXText.encoded("日本 αβ") == "日本 αβ")
        let letters = "äöüÄÖÜéèêëñçåøłšžčřůőąęğİḥæœßÆŒØÅŁ"
        #expect(TeXText.decoded(TeXText.encoded(letters)) == letters)
    }

    @Test("A text for people has no TeX in it")
    func plain() {
        #expect(
            TeXText.plain("{The {\\em Art}} of~\\textbf{x} --- $a_1$ \\& ``so'' 1--2 \\href{http://u}{v}")
                == "The Art of x — a_1 & “so” 1–2 v")
        #expect(TeXText.plain("  two\n words ") == "two words")
    }

    @Test(
        "A header that names an alphabet of one byte is followed, and what is changed is written in it",
        arguments: [
            ("Cyrillic (Windows)", [0xCC, 0xE8, 0xF0], "Мир"), ("Windows-1251", [0xCC, 0xE8, 0xF0], "Мир"),
            ("Greek (ISO 8859-7)", [0xC1, 0xE8, 0xDE], "Αθή"),
            ("Cyrillic (KOI8-R)", [0xED, 0xC9, 0xD2], "Мир"),
            ("Turkish (ISO Latin 5)", [0xDD, 0xF0], "İğ"),
        ] as [(String, [UInt8], String)])
    func alphabets(_ name: String, _ bytes: [UInt8], _ text: String) {
        let file =
            Array("%% Saved with string encoding \(name) \n\n@misc{k, title = {".utf8) + bytes
            + Array("}}\n".utf8)
        var document = BibTeXDocument(file)
        #expect(document.bytes == file && document.blocks[0].value("title")?.plainText == text)
        #expect(document.problemWhenSent() == nil)
        document.change(0) { $0.setting("note", to: BibTeXValue(text)) }
        #expect(document.bytes.firstRange(of: Array("note = {".utf8) + bytes) != nil)
    }

    @Test(
        "Letters of an unknown encoding and invalid bytes are not guessed; the file is refused with its name",
        arguments: [
            "Western (NextStep)", "Western (DOS Latin 1)", "Icelandic (Mac OS)", "Western (EBCDIC US)",
            "Japanese (Shift JIS)", "Japanese (EUC)", "Simplified Chinese (GB 18030)",
            "Traditional Chinese (Big 5)", "Korean (EUC)", "Vietnamese (Windows)", "Japanese (Mac OS)",
        ])
    func unread(_ name: String) {
        let file =
            Array("%% Saved with string encoding \(name) \n\n@misc{k, title = {".utf8) + [0xFF]
            + Array("}}\n".utf8)
        let document = BibTeXDocument(file)
        #expect(document.bytes == file && document.unreadableEncoding == name)
        #expect(document.blocks[0].value("title")?.plainText == "\u{FFFD}")
        let problem = document.problemWhenSent()
        #expect(problem?.line == 3 && problem?.message.contains(name) == true)
    }

    private static func japanese(_ bytes: [UInt8], _ name: String) -> [UInt8] {
        Array("%% Saved with string encoding \(name) \n\n@misc{k, title = {".utf8) + bytes
            + Array("}, year = 2001}\n".utf8)
    }

    private static let eastAsian: [(String, BibTeXEncoding, String, [UInt8])] = [
        (
            "Japanese (Shift JIS)", BibTeXEncoding.shiftJIS, "表ソボマァ",
            [0x95, 0x5C, 0x83, 0x5C, 0x83, 0x7B, 0x83, 0x7D, 0x83, 0x40]
        ),
        (
            "Japanese (EUC)", BibTeXEncoding.eucJP, "表ソボ日本①",
            // The last character is one of NEC's extensions, which plain EUC-JP lacks.
            [0xC9, 0xBD, 0xA5, 0xBD, 0xA5, 0xDC, 0xC6, 0xFC, 0xCB, 0xDC, 0xAD, 0xA1]
        ),
        (
            "Japanese (ISO 2022-JP)", BibTeXEncoding.iso2022JP, "表日本",
            [0x1B, 0x24, 0x42, 0x49, 0x3D, 0x46, 0x7C, 0x4B, 0x5C, 0x1B, 0x28, 0x42]
        ),
        (
            "Simplified Chinese (GB 18030)", BibTeXEncoding.gb18030, "誠中文䶮",
            [0xD5, 0x5C, 0xD6, 0xD0, 0xCE, 0xC4, 0xFE, 0x9F]
        ),
        (
            "Traditional Chinese (Big 5)", BibTeXEncoding.big5, "功許中文",
            [0xA5, 0x5C, 0xB3, 0x5C, 0xA4, 0xA4, 0xA4, 0xE5]
        ),
        (
            "Korean (EUC)", BibTeXEncoding.eucKR, "한국어",
            [0xC7, 0xD1, 0xB1, 0xB9, 0xBE, 0xEE]
        ),
    ]

    @Test(
        "Japanese, Chinese and Korean are read by their names and come back as they were, also where a byte of a letter is a brace",
        arguments: eastAsian)
    func multibyte(_ name: String, _ encoding: BibTeXEncoding, _ text: String, _ bytes: [UInt8]) throws {
        let file = Self.japanese(bytes, name)
        var document = BibTeXDocument(file)
        #expect(document.encoding == encoding && document.bytes == file)
        #expect(document.blocks[0].value("title")?.plainText == text)
        #expect(document.problemWhenSent() == nil)
        let device = document.forApp()
        #expect(String(validating: device.bytes, as: UTF8.self)?.contains("Unicode (UTF-8)") == true)
        // Only the changed part differs.
        document.change(0) { $0.setting("note", to: BibTeXValue(text)) }
        let changed = BibTeXDocument(document.bytes)
        #expect(changed.encoding == encoding && changed.blocks[0].value("note")?.plainText == text)
        #expect(document.bytes.firstRange(of: Array("title = {".utf8) + bytes + [0x7D]) != nil)
        // Without a header, the caller names the encoding.
        let bare = Array(file.drop { $0 != UInt8(ascii: "@") })
        if encoding != .iso2022JP {
            #expect(BibTeXDocument(bare, fallback: encoding).blocks[0].value("title")?.plainText == text)
            #expect(BibTeXDocument(bare, fallback: encoding).bytes == bare)
        }
    }

    @Test(
        "A letter that such an encoding lacks makes the file one of UTF-8, and its header says so",
        arguments: eastAsian)
    func lackingLetters(_ name: String, _ encoding: BibTeXEncoding, _ text: String, _ bytes: [UInt8]) {
        guard encoding != .gb18030 else { return }
        var document = BibTeXDocument(Self.japanese(bytes, name))
        document.change(0) { $0.setting("note", to: BibTeXValue("😀")) }
        let written = String(validating: document.bytes, as: UTF8.self)
        #expect(written?.contains(text) == true && written?.contains("😀") == true)
        #expect(written?.contains("Unicode (UTF-8)") == true && written?.contains(name) == false)
    }

    @Test("Groups are in UTF-8 in a file of any other encoding except Shift JIS", arguments: eastAsian)
    func groups(_ name: String, _ encoding: BibTeXEncoding, _ text: String, _ bytes: [UInt8]) {
        func group(_ name: [UInt8]) -> [UInt8] {
            Array(
                "\n\n@comment{BibDesk Static Groups{\n<plist><array><dict><key>group name</key><string>".utf8)
                + name + Array("</string><key>keys</key><string>k</string></dict></array></plist>\n}}\n".utf8)
        }
        let file = Self.japanese(bytes, name) + group(encoding == .shiftJIS ? bytes : Array(text.utf8))
        let document = BibTeXDocument(file)
        #expect(document.encoding == encoding && document.bytes == file)
        #expect(document.groups.map(\.name) == [text])
        // Groups alone may need the encoding.
        let ascii =
            Self.japanese(Array("Plain".utf8), name) + group(encoding == .shiftJIS ? bytes : Array(text.utf8))
        let plain = BibTeXDocument(ascii)
        #expect(plain.encoding == (encoding == .shiftJIS ? .shiftJIS : .utf8) && plain.bytes == ascii)
        #expect(plain.groups.map(\.name) == [text] && plain.unreadableEncoding == nil)
    }

    @Test("Encodings with two or four bytes for each letter are named, and the file is refused")
    func wide() {
        let text = "@a{k, x = {Emma}}\n"
        let four: [UInt8] = [0xFF, 0xFE, 0, 0] + text.utf8.flatMap { [$0, 0, 0, 0] as [UInt8] }
        let two = text.utf8.flatMap { [$0, 0] as [UInt8] }
        for (bytes, name) in [(four, "UTF-32"), (two, "UTF-16 without a byte order mark")] {
            let document = BibTeXDocument(bytes)
            #expect(document.bytes == bytes && document.unreadableEncoding == name && document.isBibliography)
            #expect(document.problemWhenSent()?.message.contains(name) == true)
        }
    }

    @Test("Replacements that BibDesk makes when it saves a file do not change a text")
    func saved() {
        let saved = TeXText.canonical("A--B ``q'' `r' fin---x-y 20$^{\\circ}$ $\\pm$1")
        #expect(TeXText.canonical("A–B “q” ‘r’ ﬁn—x\u{AD}y 20° ±1") == saved)
        #expect(TeXText.plain("20$^{\\circ}$C $\\pm$ 1") == "20°C ± 1")
    }

    @Test("A macro that would use itself keeps its earlier definition")
    func circles() {
        func text(_ definitions: String) -> String {
            let document = document(definitions + "@a{k, x = a}")
            return document.macros().text(document.blocks.last?.value("x") ?? BibTeXValue(""))
        }
        #expect(text("@string{a = {X}}@string{a = a # { Y}}") == "X")
        #expect(text("@string{a = b}@string{b = a # {x}}") == "b")
        #expect(text("@string{z = {Z}}@string{a = z}@string{z = a # {x}}") == "Z")
        #expect(text("@string{a = {X}}@string{b = a}@string{a = {Y}}") == "Y")
    }

    @Test("The encoding is that of the header, the caller or a guess, and groups stay UTF-8")
    func encodings() {
        let latin: [UInt8] = Array("@a{k, x = {M".utf8) + [0xFC] + Array("ller}}\n".utf8)
        let header = Array("%% Saved with string encoding Western (Mac OS Roman) \n\n".utf8)
        let mac = header + Array("@a{k, x = {M".utf8) + [0x9F] + Array("ller}}\n".utf8)
        for (bytes, encoding) in [(latin, BibTeXEncoding.windows1252), (mac, .macRoman)] {
            let document = BibTeXDocument(bytes)
            #expect(document.encoding == encoding)
            #expect(document.blocks[0].value("x") == BibTeXValue("Müller"))
            #expect(document.bytes == bytes)
        }
        #expect(BibTeXDocument(latin).isEncodingGuessed)
        let bare = BibTeXDocument(Array(mac.dropFirst(header.count)))
        #expect(bare.encoding == .macRoman && bare.isEncodingGuessed && bare.isEncodingAssumed)
        #expect(bare.blocks[0].value("x") == BibTeXValue("Müller"))
        #expect(BibTeXDocument(latin, fallback: .latin2).encoding == .latin2)
        let group =
            "@comment{BibDesk Static Groups{<plist><array><dict><key>group name</key><string>Ü</string>"
            + "<key>keys</key><string>k</string></dict></array></plist>}}"
        let mixed = BibTeXDocument(latin + Array(group.utf8))
        #expect(mixed.groups.map(\.name) == ["Ü"])
        #expect(mixed.blocks[0].value("x") == BibTeXValue("Müller"))
        let unicode = mixed.inUTF8()
        #expect(String(validating: unicode.bytes, as: UTF8.self)?.contains("Müller") == true)
        #expect(unicode.groups.map(\.name) == ["Ü"])
    }

    @Test(
        "The encodings of one byte read all bytes, and write what they read",
        arguments: BibTeXEncoding.allCases)
    func tables(encoding: BibTeXEncoding) {
        let bytes = (0...255).map { UInt8($0) }
        guard encoding != .utf8, !encoding.rawValue.hasPrefix("UTF-16"),
            !Self.eastAsian.contains(where: { $0.1 == encoding })
        else { return }
        #expect(encoding.bytes(encoding.text(bytes)) == bytes)
        #expect(encoding.bytes("日") == nil)
    }

    @Test(
        "A file in an encoding of one byte is read by the name in its header, and comes back the same",
        arguments: [
            ("Hebrew (Windows)", BibTeXEncoding.windows1255, "שלום", [0xF9, 0xEC, 0xE5, 0xED]),
            ("Hebrew (ISO 8859-8)", BibTeXEncoding.hebrew, "שלום", [0xF9, 0xEC, 0xE5, 0xED]),
            ("Arabic (Windows)", BibTeXEncoding.windows1256, "سلام", [0xD3, 0xE1, 0xC7, 0xE3]),
            ("Arabic (ISO 8859-6)", BibTeXEncoding.arabic, "سلام", [0xD3, 0xE4, 0xC7, 0xE5]),
            ("Thai (Windows, DOS)", BibTeXEncoding.thai, "ไทย", [0xE4, 0xB7, 0xC2]),
            (
                "Baltic (Windows)", BibTeXEncoding.windows1257, "ąžuolas",
                [0xE0, 0xFE, 0x75, 0x6F, 0x6C, 0x61, 0x73]
            ),
            ("Cyrillic (KOI8-U)", BibTeXEncoding.koi8u, "Київ", [0xEB, 0xC9, 0xA7, 0xD7]),
            ("Cyrillic (Mac OS)", BibTeXEncoding.macCyrillic, "Тест", [0x92, 0xE5, 0xF1, 0xF2]),
            ("Central European (Mac OS)", BibTeXEncoding.macCentralEurope, "Łódź", [0xFC, 0x97, 0x64, 0x90]),
            (
                "Central European (Windows Latin 2)", BibTeXEncoding.windows1250, "Łódź",
                [0xA3, 0xF3, 0x64, 0x9F]
            ),
            ("Greek (Windows)", BibTeXEncoding.windows1253, "λόγος", [0xEB, 0xFC, 0xE3, 0xEF, 0xF2]),
            ("Westlich (ISO Latin 2)", BibTeXEncoding.latin2, "Łódź", [0xA3, 0xF3, 0x64, 0xBC]),
            ("ISO-8859-16", BibTeXEncoding.latin10, "Iași", [0x49, 0x61, 0xBA, 0x69]),
        ] as [(String, BibTeXEncoding, String, [UInt8])])
    func oneByte(_ name: String, _ encoding: BibTeXEncoding, _ text: String, _ bytes: [UInt8]) {
        let header = Array("%% Saved with string encoding \(name) \n\n@a{k, x = {".utf8)
        let document = BibTeXDocument(header + bytes + Array("}}\n".utf8))
        #expect(document.encoding == encoding && !document.isEncodingGuessed)
        #expect(document.blocks.compactMap { $0.value("x") } == [BibTeXValue(text)])
        #expect(document.bytes == header + bytes + Array("}}\n".utf8))
        var changed = document
        let entry = changed.entryIndexes[0]
        changed.change(entry) { $0.setting("y", to: BibTeXValue(text)) }
        #expect(changed.encoding == encoding)
        #expect(
            changed.bytes.split(separator: UInt8(ascii: "y")).last.map {
                $0.starts(with: Array(" = {".utf8) + bytes)
            } == true)
    }

    @Test("A letter that the encoding lacks is written in TeX's spelling, or the file becomes UTF-8")
    func missingLetters() {
        var document = BibTeXDocument(Array("@a{k, x = {M".utf8) + [0xFC] + Array("ller}}\n".utf8))
        document.change(0) { $0.setting("y", to: BibTeXValue("ő")) }
        #expect(document.encoding == .windows1252)
        #expect(document.blocks[0].value("y") == BibTeXValue("{\\H o}"))
        document.change(0) { $0.setting("y", to: BibTeXValue("日本")) }
        #expect(document.encoding == .utf8)
        #expect(text(document) == "@a{k, x = {Müller}, y = {日本}}\n")
    }

    @Test("Macros are expanded, and circles and sizes are bounded")
    func macros() {
        let source =
            "@string{may = {Mai}}@string{a = b}@string{b = a # {x}}@string{c0 = {xxxxxxxxxx}}"
            + (1..<40).map { "@string{c\($0) = c\($0 - 1) # c\($0 - 1)}" }.joined()
        let macros = document(source).macros(shared: ["jot": "Journal", "may": "other"])
        func text(_ name: String) -> String { macros.text(BibTeXValue(pieces: [.macro(name)])) }
        #expect(
            [text("jan"), text("MAY"), text("jot"), text("none")] == ["January", "Mai", "Journal", "none"])
        #expect([text("a"), text("b")] == ["b", "b"])
        #expect(text("c3").count == 80)
        #expect(text("c39").utf8.count < 200_000)
        #expect(!macros.defines("none") && macros.defines("Jot"))
    }

    @Test("A chain of many macros is expanded without a deep stack")
    func chain() {
        let source =
            (1..<5_000).reversed().map { "@string{m\($0) = m\($0 - 1)}" }.joined() + "@string{m0 = {end}}"
        #expect(document(source).macros().text(BibTeXValue(pieces: [.macro("m4999")])) == "end")
    }

    @Test("Written values read back unchanged, with unbalanced braces as commands")
    func written() {
        #expect(BibTeXValue(pieces: [.text("a"), .macro("jan"), .number("1")]).written == "{a} # jan # 1")
        #expect(BibTeXValue("a } b { c {d}").written == "{a {\\textbraceright} b {\\textbraceleft} c {d}}")
        #expect(BibTeXValue("a\\}").written == "{a{\\textbraceright}}")
    }

    @Test(
        "A text with signs of TeX is escaped so that it reads back the same, also from a file",
        arguments: [
            "On {DNA}", "a } b { c", "{", "\\alpha and $x$", "a~b", "1--2 --- 3", "``quoted''", "'''", "\\{",
            "plain é text", "{\\\"u}", "100% & #1_x^2",
        ])
    func escaped(text: String) throws {
        #expect(TeXText.plain(TeXText.escaped(text)) == text)
        let written = "@misc{k, title = \(BibTeXValue(TeXText.escaped(text)).written)}\n"
        let library = BibTeXLibrary(document(written))
        let entry = try #require(library.entries.first)
        #expect(library.plain("title", of: entry) == text)
        #expect(document(written).problemsForApp().isEmpty)
    }

    @Test(
        "A file is a bibliography if it has a block, or nothing but lines of comment",
        arguments: [
            ("@misc{a, title = {A}}", true), ("@comment{x}", true), ("", true),
            (" \n% only\n  % comments\n", true), ("\u{FEFF}% comment\r\n", true), ("Dear reader,\n", false),
            ("% comment\nand text\n", false),
        ])
    func bibliography(text: String, isOne: Bool) {
        #expect(document(text).isBibliography == isOne)
    }
}
