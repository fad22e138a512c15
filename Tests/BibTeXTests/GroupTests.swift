import BibTeX
import Testing

@Suite("Groups are read from a file")
struct GroupTests {
    @Test("Names are read through both escapings, members in order")
    func read() throws {
        let groups = document(Samples.library).groups
        try #require(groups.count == 3)
        #expect(groups.map(\.name) == ["To {read} @ home & work", "Empty", "Things"])
        #expect(groups.map(\.kind) == [.fixed, .fixed, .smart])
        #expect(groups[0].keys == ["Lima:2024aa", "Gone"])
        #expect(groups[1].keys == [])
        #expect(groups[2].conditions == [SmartCondition(key: "Title", comparison: 2, value: "things")])
    }

    @Test("Escaped characters survive, and so do those that only look escaped")
    func escaping() {
        for text in ["100% {a} <b> @c", "%40", "%2540", "%", "%7", "ü%7B"] {
            #expect(GroupEscaping.decoded(GroupEscaping.encoded(text)) == text)
        }
        #expect(GroupEscaping.encoded("a@{%}") == "a%40%7B%25%7D")
        #expect(GroupEscaping.decoded("%2540") == "%40")
    }

    @Test("Adding to a static group and removing from it change its list of keys alone")
    func members() {
        var library = document(Samples.library)
        do {
            let isDone = library.add(["Parent", "LIMA:2024AA"], toGroup: "To {read} @ home & work")
            #expect(isDone)
        }
        #expect(text(library) == Samples.library.replacing("2024aa,Gone<", with: "2024aa,Gone,Parent<"))
        do {
            let isDone = library.remove(["gone", "parent"], fromGroup: "To {read} @ home & work")
            #expect(isDone)
        }
        #expect(text(library) == Samples.library.replacing("2024aa,Gone<", with: "2024aa<"))
        do {
            let isDone = library.add(["x"], toGroup: "Empty")
            #expect(isDone)
        }
        #expect(library.groups.dropFirst().first?.keys == ["x"])
        do {
            let isDone = library.remove(["x"], fromGroup: "None")
            #expect(!isDone)
        }
    }

    @Test("A new group gets a block if there is none, with line ends as in the file")
    func new() {
        var library = document("@a{k,}\r\n")
        do {
            let isDone = library.add(["k"], toGroup: "A & {B}")
            #expect(isDone)
        }
        #expect(library.groups == [BibTeXGroup(name: "A & {B}", keys: ["k"])])
        #expect(!text(library).replacing("\r\n", with: "").contains("\n"))
        #expect(library.blocks[1].kind == .comment)
        var full = document(Samples.library)
        do {
            let isDone = full.add(["k"], toGroup: "Third")
            #expect(isDone)
        }
        #expect(full.groups.map(\.name) == ["To {read} @ home & work", "Empty", "Third", "Things"])
    }

    @Test("A new block of static groups comes before those of other kinds, and the header stays")
    func order() {
        let smart = "@comment{BibDesk Smart Groups{<plist><array/></plist>}}\n"
        var library = document("% head\n\n@a{k,}\n\n" + smart)
        library.add(["k"], toGroup: "Mine")
        #expect(library.groups.map(\.name) == ["Mine"])
        #expect(text(library).hasPrefix("% head\n\n@a{k,}\n\n@comment{BibDesk Static"))
        #expect(text(library).hasSuffix("\n\n" + smart))
        var alone = document("% head\n\n" + smart)
        alone.add(["k"], toGroup: "Mine")
        #expect(text(alone).hasPrefix("% head\n\n@comment{BibDesk Static"))
        #expect(text(alone).hasSuffix("\n\n" + smart))
    }

    @Test("Groups in UTF-8 are changed in a file of another encoding")
    func encodings() {
        var library = BibTeXDocument(
            Array("@a{k, x = {M".utf8) + [0xFC] + Array("ller}}\n".utf8), fallback: .latin1)
        do {
            let isDone = library.add(["k"], toGroup: "Über")
            #expect(isDone)
        }
        #expect(BibTeXDocument(library.bytes, fallback: .latin1).groups.map(\.name) == ["Über"])
        #expect(
            BibTeXDocument(library.bytes, fallback: .latin1).blocks[0].value("x") == BibTeXValue("Müller"))
    }

    @Test("URL and script groups are listed with their address or path")
    func others() throws {
        let library = document(
            "@comment{BibDesk URL Groups{<plist><array><dict><key>group name</key><string>U</string><key>URL</key>"
                + "<string>https://x.org/%40</string></dict></array></plist>}}\n"
                + "@comment{BibDesk Script Groups{<plist><array><dict><key>group name</key><string>S</string>"
                + "<key>script path</key><string>/bin/%40x</string></dict></array></plist>}}")
        #expect(library.groups.map(\.kind) == [.url, .script])
        try #require(library.groups.count == 2)
        #expect(library.groups[0].url == "https://x.org/%40")
        #expect(library.groups[1].scriptPath == "/bin/@x")
    }

    @Test("A block of groups that cannot be read has no groups and is not changed")
    func damaged() {
        let source = "@comment{BibDesk Static Groups{<plist><array><dict></plist>}}"
        var library = document(source)
        #expect(library.groups == [])
        do {
            let isDone = library.add(["k"], toGroup: "x")
            #expect(isDone)
        }
        #expect(text(library).hasPrefix(source))
    }
}
