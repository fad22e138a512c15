import BibTeX
import BibTeXMerging
import Testing

@Suite("What only the device changed comes byte for byte")
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
        "The host is untouched: both sides get the device's bytes",
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
        "Both changed the library in other places: each changed entry has the bytes of the side that changed it"
    )
    func bothSides() {
        let host = Self.base.replacing("{B}", with: "{H}")
        let device = Self.base.replacing("\"T\"", with: "\"U\"").replacing(
            "year = 2001", with: "year=  {2001}")
        #expect(Merged(Self.base, host, device).text == device.replacing("{B}", with: "{H}"))
        // In one entry: a value comes as it is written.
        let other = Self.base.replacing("2001", with: "2002")
        let merged = Merged(Self.base, other, Self.base.replacing("\"T\"", with: "\"U\""))
        #expect(merged.text == other.replacing("\"T\"", with: "\"U\""))
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
        // Text at the end, and a comment in an entry of which the host changed a value.
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
        // BibDesk's own header tells when it saved the file, and that of the host stays.
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
}
