import Foundation
import JSON
import OverlayHost
import Testing

@testable import OverlayHostCLI

@Suite("Annotations are printed as text")
struct AnnotationsTextTests {
    private static let hostile =
        "# no heading\n- no list\n1. no list\n<script>alert(1)</script> *not bold* [no](link) `no code` | & ~~no~~"

    private func book(_ annotations: [Annotation], title: String = "Emma") -> AnnotatedBook {
        AnnotatedBook(
            app: "Books",
            book: BookRecord(
                path: "emma.epub", Book(title: title, authors: ["Jane Austen"], annotations: annotations)))
    }

    @Test("Markdown has a heading for the book, one for each annotation, a quotation, and the note")
    func markdown() {
        let note = Annotation(
            kind: "highlight", location: "chapter 3", text: "Handsome,\nclever", note: "and rich",
            color: "yellow",
            modified: 1_585_671_309)
        #expect(
            AnnotationsText.markdown([book([note])]) == """
                # Emma

                *Jane Austen, Books*

                ## Highlight, yellow, chapter 3, 2020-03-31

                > Handsome,
                > clever

                and rich
                """)
    }

    @Test("No text of a book or a reader has a meaning in Markdown")
    func hostileMarkdown() {
        let entry = book(
            [Annotation(kind: "note", text: Self.hostile, note: Self.hostile)], title: "a\n# b <i>")
        let lines = AnnotationsText.markdown([entry]).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.filter { $0.hasPrefix("#") } == ["# a \\# b \\<i\\>", "## Note"])
        #expect(lines.contains("> \\- no list") && lines.contains("> 1\\. no list"))
        #expect(
            lines.contains {
                $0.hasPrefix("> \\<script\\>alert(1)\\</script\\> \\*not bold\\* \\[no\\](link)")
            })
        #expect(!lines.contains { $0.hasPrefix("- ") || $0.hasPrefix("1. ") || $0.hasPrefix("<") })
    }

    @Test("A mark that combines with a character takes no meaning from its escape")
    func combiningMarks() {
        let entry = book([Annotation(kind: "note", text: "<\u{301}b>*\u{301}x*", note: "1.\u{301} no list")])
        let markdown = AnnotationsText.markdown([entry])
        #expect(markdown.unicodeScalars.contains("<") && markdown.contains("\\"))
        #expect(Array(markdown.utf8).firstRange(of: Array("> \\<\u{301}b\\>\\*\u{301}x\\*".utf8)) != nil)
        #expect(Array(markdown.utf8).firstRange(of: Array("1\\.\u{301} no list".utf8)) != nil)
        let html = Array(AnnotationsText.html([entry]).utf8)
        #expect(html.firstRange(of: Array("&lt;\u{301}b&gt;".utf8)) != nil)
        let csv = CSVText.table(["a", "b"], [[.text("x,\u{301}y"), .text("\"\u{301}z")]])
        #expect(csv.utf8.elementsEqual("a,b\r\n\"x,\u{301}y\",\"\"\"\u{301}z\"".utf8))
    }

    @Test("A row of CSV stays one row with the columns of the header, and a field is never a formula")
    func csv() {
        let entry = book([
            Annotation(kind: "highlight", text: "one, \"two\"\r\nthree", note: "=1+1"),
            Annotation(kind: "bookmark", location: "-2"),
        ])
        #expect(
            AnnotationsText.csv([entry])
                == [
                    "app,title,authors,kind,text,note,color,location,modified,path,author",
                    "Books,Emma,Jane Austen,highlight,\"one, \"\"two\"\"\nthree\",'=1+1,,,,emma.epub,",
                    "Books,Emma,Jane Austen,bookmark,,,,'-2,,emma.epub,",
                ].joined(separator: "\r\n"))
    }

    @Test("No field of CSV controls the terminal, and lines and tabs of a field are kept")
    func csvControls() {
        let fields = ["\u{1B}[31mred", "a\tb\nc\rd", "\u{7F}\u{9B}2J\u{202E}x\0", "\u{1B}=1"]
        #expect(
            CSVText.table(["a", "b", "c", "d"], [fields.map { CSVText.Field.text($0) }])
                == "a,b,c,d\r\n\u{FFFD}[31mred,\"a\tb\nc\nd\",\u{FFFD}\u{FFFD}2J\u{202E}x,\u{FFFD}=1")
    }

    @Test("No text of a book or a reader is an element of HTML")
    func html() {
        let page = AnnotationsText.html([
            book(
                [Annotation(kind: "note", text: Self.hostile, note: "a & \"b\" 'c'\u{1B}[2J")],
                title: "</h1><b>")
        ])
        #expect(page.contains("<h1>&lt;/h1&gt;&lt;b&gt;</h1>"))
        #expect(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
        #expect(page.contains("<p>a &amp; &quot;b&quot; &#39;c&#39;\u{FFFD}[2J</p>"))
        #expect(!page.contains("<script") && !page.contains("\u{1B}"))
    }

    @Test("JSON has the documented members, and leaves out what is absent")
    func json() throws {
        let entry = book([Annotation(kind: "bookmark", location: "chapter 1")])
        let text = entry.json.text(.line)
        let document = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(document["app"] as? String == "Books")
        #expect(document["path"] as? String == "emma.epub")
        let annotation = try #require((document["annotations"] as? [[String: Any]])?.first)
        #expect(annotation as? [String: String] == ["kind": "bookmark", "location": "chapter 1"])
    }
}
