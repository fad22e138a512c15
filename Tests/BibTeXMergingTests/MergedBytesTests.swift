import BibTeX
import BibTeXMerging
import Testing

@Suite("Changes of the device alone are copied byte for byte")
struct MergedBytesTests {
    private static let base = """
        % top
        @string{jx = "J"}

        @article{a,
          title = "T",
          year = 2001 % c
        }

        a note

        @book{b,
        \ttitle = {B},
        \tnote = "x" # jx}

        """

    @Test(
        "If the host is unchanged, both sides get the device's bytes",
        arguments: [
            ("\"T\"", "\"U\""), ("\"T\"", "{T}"), ("title = \"T\"", "title   =\t\"T\""),
            ("\ttitle = {B},\n\tnote = \"x\" # jx}", "\tnote = \"x\" # jx,\n\ttitle = {B}}"),
            ("\"T\",", "\"T\",\n  note = \"n\","), ("# jx}", "# jx,\n\tyear = \"1999\"}"),
            ("a note", "a longer note"), ("% c", "% d"), ("% top", "% head"),
            ("\na note", "@misc{n,\n title = \"n\"}\n\na note"), ("\"J\"", "\"K\""), ("\"x\" #", "\"y\" #"),
            ("@article", "@Article"), ("{a,", "{A,"), ("2001", "{2001}"), ("  title = \"T\",\n", ""),
            ("{B}", "{B\\\"u}"), ("= 2001", "= 2001, month = jan"),
        ])
    func untouchedHost(old: String, new: String) {
        let device = Self.base.replacing(old, with: new)
        #expect(device != Self.base)
        let merged = Merged(Self.base, Self.base, device)
        #expect(merged.text == device)
        #expect(merged.merge.deviceDocument.forApp().bytes == Array(device.utf8))
        #expect(merged.conflicts == [])
    }

    @Test("A block of groups on the device keeps its place after groups of any kind")
    func groupOrder() {
        let entry = "@a{a,}\n\n"
        let (fixed, url) = (GroupText.fixed([("G", "a")]), GroupText.url([("U", "http://x.org")]))
        for (host, device) in [
            (url, fixed + url), (url, url + fixed), (fixed, fixed + url), (fixed, url + fixed),
        ] {
            #expect(Merged(entry + host, entry + host, entry + device).text == entry + device)
        }
    }

    @Test("An entry in another place on the device gets that place")
    func order() {
        let (first, second) = ("@article{a,\n\ttitle = {A}}\n\n", "@book{b,\n\ttitle = {B}}\n\n")
        #expect(Merged(first + second, first + second, second + first).text == second + first)
    }

    @Test(
        "A title that was edited and edited back leaves the host as it was, in its encoding and with its links"
    )
    func editedBack() {
        let text =
            "%% Saved with string encoding Western (ISO Latin 1) \n\n@a{k,\n  title = \"Caf\u{E9}\",\n  bdsk-file-1 = {Papers/a.pdf},\n  note = \"n\" # m\n}\n"
        let host = BibTeXDocument(text.unicodeScalars.map { UInt8($0.value) })
        #expect(host.encoding == .latin1)
        let sent = host.forApp()
        let edited = BibTeXDocument(
            Array(String(decoding: sent.bytes, as: UTF8.self).replacing("Caf", with: "ZCaf").utf8))
        let first = BibTeXMerge(base: host, host: host, device: edited)
        let isEdited =
            first.document.bytes == text.replacing("Caf", with: "ZCaf").unicodeScalars.map { UInt8($0.value) }
        #expect(isEdited)
        #expect(first.deviceDocument.forApp().bytes == edited.bytes)
        let second = BibTeXMerge(base: first.agreed, host: first.document, device: sent)
        #expect(second.document.bytes == host.bytes)
    }

    @Test(
        "If both sides changed the library in different places, each changed entry has the bytes of its side"
    )
    func bothSides() {
        let host = Self.base.replacing("{B}", with: "{H}")
        let device = Self.base.replacing("\"T\"", with: "\"U\"").replacing(
            "year = 2001", with: "year=  {2001}")
        #expect(Merged(Self.base, host, device).text == device.replacing("{B}", with: "{H}"))
        // Within one entry, a value is copied as it is written.
        let other = Self.base.replacing("2001", with: "2002")
        let merged = Merged(Self.base, other, Self.base.replacing("\"T\"", with: "\"U\""))
        #expect(merged.text == other.replacing("\"T\"", with: "\"U\""))
    }

    @Test("A new entry of the device comes before its parent, and the file's header stays at the beginning")
    func parents() {
        let host = "% head\n\n@book{p,\n\ttitle = {P}}\n\n@misc{x,\n\ttitle = {Y}}\n"
        let new =
            "@inbook{c,\n\tcrossref = {P}}\n\n@inbook{d,\n\tcrossref = {c}}\n\n@misc{y,\n\tcrossref = {z}}\n"
        let old = host.replacing("{Y}", with: "{X}")
        for (base, device) in [(old, old + "\n" + new), (nil, host + "\n" + new)] {
            let merged = Merged(base, host, device)
            #expect(merged.keys == ["d", "c", "p", "x", "y"])
            #expect(merged.text.hasPrefix("% head\n\n@inbook{d"))
            #expect(merged.text.contains("\n\n@book{p") && merged.text.hasSuffix("crossref = {z}}\n"))
            let again = BibTeXMerge(
                base: merged.merge.document, host: merged.merge.document,
                device: merged.merge.document.forApp())
            #expect(again.document.bytes == merged.merge.document.bytes)
        }
        // An entry that was behind its parent stays, and one that already has its place keeps it.
        let late = host + "\n@inbook{o,\n\tcrossref = {p}}\n"
        #expect(
            Merged(late, late.replacing("{Y}", with: "{Z}"), late + "\n" + new).keys
                == ["d", "c", "p", "x", "o", "y"])
        let before = host.replacing(
            "% head\n\n", with: "% head\n\n@misc{n,}\n\n@inbook{c,\n\tcrossref = {p}}\n\n")
        let agreed = host.replacing("% head\n\n", with: "% head\n\n@misc{n,}\n\n")
        #expect(Merged(agreed, agreed.replacing("{Y}", with: "{Z}"), before).keys == ["n", "c", "p", "x"])
    }

    @Test("A new entry of the device comes behind the one that it follows there")
    func newEntry() {
        let host = Self.base.replacing("{B}", with: "{H}")
        let device = Self.base.replacing("\n\na note", with: "\n\n@misc{n,\n title = \"n\"}\n\na note")
        #expect(Merged(Self.base, host, device).keys == ["a", "n", "b"])
    }

    @Test("Text around entries that only the device changed comes to the host, which changed something else")
    func text() {
        let host = Self.base.replacing("{B}", with: "{H}")
        for (old, new) in [("a note", "a longer note"), ("% top", "% head"), ("% c", "% d")] {
            let merged = Merged(Self.base, host, Self.base.replacing(old, with: new))
            #expect(merged.text == host.replacing(old, with: new))
            #expect(merged.conflicts == [])
        }
        // Text at the end, and a comment in an entry in which the host changed a value.
        let end = Merged(Self.base, host, Self.base + "\nthe end\n")
        #expect(end.text == host + "\nthe end\n")
        let inside = Merged(
            Self.base, Self.base.replacing("\"T\"", with: "\"H\""),
            Self.base.replacing("% c", with: "% of mine"))
        #expect(inside.text.contains("\"H\"") && inside.text.contains("% of mine"))
    }

    @Test("Text that both sides changed stays in both forms, and is a conflict")
    func textOfBoth() {
        for old in ["a note", "% top", "% c"] {
            let merged = Merged(
                Self.base, Self.base.replacing(old, with: "\(old) H"),
                Self.base.replacing(old, with: "\(old) D"))
            #expect(merged.text.contains("\(old) H") && merged.text.contains("\(old) D"))
            #expect(merged.conflicts == [.text])
            #expect(
                BibTeXMerge(
                    base: merged.merge.agreed, host: merged.merge.document,
                    device: merged.merge.deviceDocument.forApp()
                ).document.bytes == merged.merge.document.bytes)
        }
        // BibDesk's own header has the time at which the file was saved. The host's header stays.
        func header(_ day: String) -> String {
            "%% Created for Ada at 2024-01-0\(day) 10:00:00 +0000 \n\n@a{k,}\n"
        }
        let merged = Merged(header("1"), header("2"), header("3"))
        #expect(merged.text == header("2") && merged.conflicts == [])
    }

    @Test("Text before an entry that one side deleted does not come twice")
    func deletedEntry() {
        let base = "@a{k,}\n\n% of l\n@a{l,}\n\n% of m\n@a{m,}\n"
        let device = "@a{k,}\n\n% of l\n\n% of m\n@a{m,}\n"
        for deletes in [true, false] {
            let merge = BibTeXMerge(
                base: library(base), host: library(base), device: library(device), deletes: deletes)
            let text = String(decoding: merge.document.bytes, as: UTF8.self)
            #expect(text.split(separator: "\n").count { $0 == "% of l" } == 1)
            #expect(merge.report.conflicts == [])
        }
    }

    /// A host's file in Latin-1, and the app's changed copy of it.
    private func latin(
        _ text: String, host changed: String? = nil, device: (String) -> String
    ) -> (BibTeXMerge, String) {
        func document(_ text: String) -> BibTeXDocument {
            BibTeXDocument(
                ("%% Saved with string encoding Western (ISO Latin 1) \n\n" + text).unicodeScalars.map {
                    UInt8($0.value)
                })
        }
        let base = document(text)
        let sent = String(decoding: base.forApp().bytes, as: UTF8.self)
        let merge = BibTeXMerge(
            base: base, host: changed.map(document) ?? base, device: BibTeXDocument(Array(device(sent).utf8)))
        // A second run has no changes.
        let again = BibTeXMerge(
            base: merge.agreed, host: merge.document,
            device: BibTeXDocument(merge.deviceDocument.forApp().bytes))
        #expect(again.document.bytes == merge.document.bytes)
        let result = merge.document
        return (
            merge,
            result.encoding == .utf8
                ? String(decoding: result.bytes, as: UTF8.self) : result.encoding.text(result.bytes)
        )
    }

    private static let accented = "@a{a, title = {Caf\u{E9}}}\n\n@b{b, title = {B}}\n\n% end\n"

    @Test(
        "An entry behind the text at the end takes that text once, whether or not the host changed",
        arguments: [false, true])
    func appended(isChanged: Bool) {
        let host = isChanged ? Self.accented.replacing("{B}", with: "{H}") : nil
        let (_, text) = latin(Self.accented, host: host) { $0 + "\n@n{n, title = {N}}\n" }
        #expect(text.split(separator: "% end", omittingEmptySubsequences: false).count == 2)
        #expect(text.contains("@n{n") && text.contains(isChanged ? "{H}" : "{B}"))
    }

    @Test("The header stays the first of the host's file, with its encoding", arguments: [false, true])
    func header(isChanged: Bool) {
        let host = isChanged ? Self.accented.replacing("{B}", with: "{H}") : nil
        for change: (String) -> String in [
            {
                $0.replacing("@b{b, title = {B}}\n\n", with: "").replacing(
                    "@a{a", with: "@b{b, title = {B}}\n\n@a{a")
            },
            { $0.replacing("@a{a", with: "@n{n, title = {N}}\n\n@a{a") },
            { String($0[($0.firstRange(of: "@a{a")?.lowerBound ?? $0.startIndex)...]) },
        ] {
            let (merge, text) = latin(Self.accented, host: host, device: change)
            #expect(merge.document.encoding == .latin1)
            #expect(text.hasPrefix("%% Saved with string encoding Western (ISO Latin 1)"), "\(text)")
            #expect(text.split(separator: "%% Saved").count == 1)
        }
    }

    @Test(
        "Comments in letters that the host's encoding lacks make it a file of UTF-8",
        arguments: [false, true])
    func unwritableComments(isChanged: Bool) {
        let host = isChanged ? Self.accented.replacing("{B}", with: "{H}") : nil
        for change: (String) -> String in [
            { $0.replacing("@b{b,", with: "@b{b, % \u{65E5}\u{672C}\n") },
            { $0.replacing("% end", with: "% \u{65E5}\u{672C}\n\n@n{n, title = {N}}\n% end") },
        ] {
            let (merge, text) = latin(Self.accented, host: host, device: change)
            #expect(merge.document.encoding == .utf8)
            #expect(text.contains("\u{65E5}\u{672C}") && text.contains("Caf\u{E9}"), "\(text)")
        }
    }

    @Test("A comment beside a value that the encoding lacks stays")
    func commentBesideValue() {
        let (_, text) = latin(Self.accented) {
            $0.replacing("@b{b, title = {B}", with: "@b{b, % checked\n title = {\u{141}}")
        }
        #expect(text.contains("% checked"))
    }

    @Test("Text at the end behind groups of UTF-8 is in the encoding of the file")
    func endBehindGroups() {
        let groups =
            "@a{a, title = {Caf\u{E9}}}\n\n@comment{BibDesk Static Groups{\n<plist><array><dict><key>group name</key><string>G</string><key>keys</key><string>a</string></dict></array></plist>\n}}"
        let (merge, text) = latin(groups) { $0 + "\n% fin \u{E9}\n" }
        #expect(merge.document.encoding == .latin1 && text.contains("% fin \u{E9}"))
    }
}
