import OverlayKitTesting
import JSON
import BibTeX
import OverlayKit
import Testing

@testable import BibDesk

@Suite("An uploaded paper becomes an entry, and an uploaded library is merged")
struct PaperUploadTests {
    private let device = ReferenceDevice()

    @Test("A paper with metadata becomes an entry of the only library, in a layout that BibDesk loads")
    func newEntry() throws {
        device.library("@misc{old,}\n")
        var item = device.item(
            "notes.pdf", "%PDF notes", title: "Notes", authors: ["Ada Lovelace", "Łukasz Ó"])
        item.book.pubdate = "1843-07-01"
        item.book.tags = ["engines", "work"]
        let rows = try device.upload([item], UploadOptions(collections: ["New"]))
        #expect(rows.map(\.outcome) == [.added])
        #expect(rows.map(\.path) == ["Papers/Notes.pdf"])
        let book = try #require(device.books().first)
        #expect(book.title == "Notes" && book.authors == ["Ada Lovelace", "Łukasz Ó"])
        #expect(book.pubdate == "1843-07-15" && book.tags == ["engines", "work"])
        #expect(book.collections == ["New"] && book.size == 10)
        #expect(try book.extra("cite_key")?.string == "Lovelace:1843aa")
        #expect(device.entry("Lovelace:1843aa")?.linkedFiles.map(\.relativePath) == ["Notes.pdf"])
        #expect(
            device.entry("Lovelace:1843aa")?.value("date-added")?.plainText == "2026-07-18 08:11:12 +0000")
        #expect(BibTeXDocument(Array(device.text().utf8)).problemsForApp().isEmpty)
    }

    @Test("The fields of a new entry are sorted by name, and its key has only plain letters")
    func layout() throws {
        device.library("@misc{old,}\n")
        var item = device.item("x.pdf", "%PDF x", title: "X", authors: ["Jan \u{160}imek", "Bo O'Brien"])
        item.book.pubdate = "2001-01-15"
        item.book.publisher = "P"
        _ = try device.upload([item])
        let entry = try #require(device.entry("Simek:2001aa"), "\(device.text())")
        #expect(
            entry.fields.map(entry.name) == [
                "author", "date-added", "date-modified", "month", "publisher", "title", "year", "bdsk-file-1",
            ])
    }

    @Test("An upload writes what is unfinished out of the app's sight, and renames it into place")
    func staging() throws {
        device.library("@misc{old,}\n")
        _ = try device.upload([device.item("x.pdf", "%PDF x", title: "X")])
        let dropbox = device.operations.filter { $0.contains("/Dropbox/") }
        #expect(!dropbox.contains { $0.hasPrefix("write") || $0.hasPrefix("push") })
        #expect(dropbox.count { $0.hasPrefix("rename /tmp/OverlayHost/") } == 2)
        #expect(!device.files.keys.contains { $0.hasPrefix("/tmp/") || $0.contains("overlayhost-claim") })
    }

    @Test(
        "A paper does not stay on the device if the library cannot be written, and the error names the line as it is there"
    )
    func refusedLibrary() throws {
        device.library("@string{x = {X}}\n@misc{k}\n@misc{a(1), title = {A}}\n")
        let rows = try device.upload([device.item("x.pdf", "%PDF x", title: "X")])
        #expect(rows.map(\.outcome) == [.failed])
        #expect(rows.first?.message?.contains("line 3, column 8") == true, "\(rows)")
        #expect(device.paperPaths == [])
    }

    @Test("The same library a second time changes nothing")
    func sameLibrary() throws {
        device.library("@string{m = {Host}}\n@misc{a, title = {A}, year = 1998}\n@misc{b, title = {B}}\n")
        let item = {
            device.item(
                "References.bib",
                "@string{m = {Other}}\n@misc{a, title = {A}, year = 1999}\n@misc{b, title = {Not B}}\n")
        }
        #expect(try device.upload([item()]).map(\.outcome) == [.updated])
        let text = device.text()
        #expect(text.contains("year-conflict-1") && text.contains("{Not B}"))
        #expect(try device.upload([item()]).map(\.outcome) == [.skipped])
        #expect(device.text() == text)
    }

    @Test("The same paper a second time is skipped, and replaced if the user asks for it")
    func again() throws {
        device.library("@misc{old,}\n")
        let item = { device.item("x.pdf", "%PDF new", title: "X", authors: ["A B"]) }
        _ = try device.upload([device.item("x.pdf", "%PDF old", title: "X", authors: ["A B"])])
        let text = device.text()
        #expect(try device.upload([item()]).map(\.outcome) == [.skipped])
        #expect(
            try device.upload([item()], UploadOptions(onConflict: .replace)).map(\.outcome) == [.replaced])
        #expect(device.text() == text && device.paperPaths == ["Papers/X.pdf"])
        #expect(device.files[device.papers + "/Papers/X.pdf"]?.bytes == Array("%PDF new".utf8))
    }

    @Test("A paper whose reference is there already goes where its link leads, or is linked to it")
    func knownReference() throws {
        device.library(
            """
            @article{a, title = {First  one}, author = {B, A}, bdsk-file-1 = {\(link("PDFs/one.pdf"))}}
            @article{b, title = {Second}}
            """)
        let rows = try device.upload([
            device.item("1.pdf", "%PDF 1", title: "First one", authors: ["A B"]),
            device.item("2.pdf", "%PDF 2", title: "Second", authors: ["C D"]),
        ])
        #expect(rows.map(\.outcome) == [.updated, .updated])
        #expect(device.paperPaths == ["Papers/PDFs/one.pdf", "Papers/Second.pdf"])
        #expect(device.entry("b")?.linkedFiles.map(\.relativePath) == ["Second.pdf"])
        #expect(BibTeXDocument(Array(device.text().utf8)).entryIndexes.count == 2)
    }

    @Test("With several libraries the error names them, until the user chooses one")
    func several() throws {
        device.library("@misc{a,}\n", named: "A.bib")
        device.library("@misc{b,}\n", named: "B.bib")
        let rows = try device.upload([device.item("x.pdf", "%PDF", title: "X")])
        #expect(rows.first?.outcome == .failed)
        #expect(rows.first?.message?.contains("A.bib, B.bib") == true)
        device.texts["bibdesk_library"] = ["b.bib"]
        #expect(try device.upload([device.item("x.pdf", "%PDF", title: "X")]).map(\.outcome) == [.added])
        #expect(device.text("B.bib").contains("title = {X}") && !device.text("A.bib").contains("title"))
    }

    @Test("Without a library, and above the largest size, a paper is refused")
    func refused() throws {
        #expect(try device.upload([device.item("x.pdf", "%PDF", title: "X")]).first?.status == .notFound)
        device.library("@misc{a,}\n")
        device.integers["bibdesk_size_limit"] = 1
        let large = String(repeating: "x", count: 1_000_001)
        let rows = try device.upload([
            device.item("y.pdf", large, title: "Y"), device.item("z.pdf", "%PDF", title: "Z"),
        ])
        #expect(rows.map(\.outcome) == [.failed, .added])
        #expect(device.paperPaths == ["Papers/Z.pdf"])
    }

    @Test("A library with an error is not written, and the error names line and column")
    func malformed() throws {
        device.library("@misc{ok, title = {A}}\n@misc{bad, title {B}}\n")
        let before = device.text()
        let rows = try device.upload([device.item("x.pdf", "%PDF", title: "X")])
        #expect(rows.first?.status == .rejected)
        #expect(rows.first?.message?.contains("line 2, column") == true, "\(rows)")
        #expect(device.text() == before)
    }

    @Test("An entry without fields is mended when its library is written")
    func mended() throws {
        device.library("@misc{k}\n")
        #expect(try device.upload([device.item("x.pdf", "%PDF", title: "X")]).map(\.outcome) == [.added])
        #expect(device.text().contains("@misc{k,}"))
    }

    @Test("The next upload uses files that an interrupted one left")
    func interrupted() throws {
        device.library("@misc{old,}\n")
        device.fault = { operation, path in
            operation == "rename" && path.hasSuffix(".bib") ? .deviceGone : nil
        }
        let item = { device.item("x.pdf", "%PDF x", title: "X") }
        #expect(throws: OverlayError.self) { try device.upload([item()]) }
        #expect(device.paperPaths == ["Papers/X.pdf"])
        device.fault = { _, _ in nil }
        device.endMethods()
        #expect(try device.upload([item()]).map(\.outcome) == [.added])
        #expect(device.paperPaths == ["Papers/X.pdf"])
        #expect(try device.books().map(\.path) == ["Papers/X.pdf"])
    }

    @Test("A new library is added, and one of a name that is there is merged into it")
    func libraries() throws {
        device.library("@misc{a, title = {A}}\n", named: "Refs.bib")
        let rows = try device.upload([
            device.item("refs.bib", "@misc{b, title = {B}}\n"),
            device.item("Other.bib", "@misc{c, title = {C}}\n"),
        ])
        #expect(rows.map(\.outcome) == [.updated, .added])
        #expect(device.entry("a", in: "Refs.bib") != nil && device.entry("b", in: "Refs.bib") != nil)
        #expect(device.entry("c", in: "Other.bib") != nil)
        #expect(
            try device.upload([device.item("Refs.bib", "@misc{b, title = {B}}\n")]).map(\.outcome) == [
                .skipped
            ])
    }

    @Test(
        "An uploaded library is converted to UTF-8 with links that the app reads, and a malformed one is refused"
    )
    func checkedLibrary() throws {
        let plain =
            "YnBsaXN0MDDRAQJccmVsYXRpdmVQYXRoWXBhcGVyLnBkZggLGAAAAAAAAAEBAAAAAAAAAAMAAAAAAAAAAAAAAAAAAAAi"
        let rows = try device.upload([
            device.item("Good.bib", "\u{FEFF}@misc{a, bdsk-file-1 = {\(plain)}}\n"),
            device.item("Bad.bib", "@misc{a, title = }\n"),
        ])
        #expect(rows.map(\.outcome) == [.added, .failed])
        #expect(rows[1].message?.contains("line 1, column") == true)
        #expect(device.entry("a", in: "Good.bib")?.linkedFiles.map(\.form) == [.keyedArchive])
        #expect(device.text("Good.bib").hasPrefix("@misc") && device.text("Bad.bib").isEmpty)
    }

    @Test("While another program changes the libraries, nothing is written, and the error says to wait")
    func otherProgram() throws {
        device.library("@misc{old,}\n")
        let claim = "/Library/Application Support/OverlayHost/.overlayhost-claim"
        device.add(Array("other-1".utf8), at: claim + "/owner")
        let before = device.text()
        #expect {
            try device.upload([device.item("x.pdf", "%PDF x", title: "X")])
        } throws: { ($0 as? OverlayError)?.status == .busy }
        #expect(device.text() == before && device.paperPaths.isEmpty)
        device.ended.insert("other-1")
        #expect(try device.upload([device.item("x.pdf", "%PDF x", title: "X")]).map(\.outcome) == [.added])
    }

    @Test("Two hosts take turns: what another has changed meanwhile is not overwritten")
    func changedMeanwhile() throws {
        device.library("@misc{old,}\n")
        device.before = { [device] operation, path in
            guard operation == "rename", path.hasSuffix(".bib") || path.hasSuffix(".pdf") else { return }
            device.before = { _, _ in }
            device.library("@misc{other, title = {Other}}\n")
        }
        let rows = try device.upload([device.item("x.pdf", "%PDF x", title: "X")])
        #expect(rows.first?.status == .busy && rows.first?.retryable == true)
        #expect(device.text() == "@misc{other, title = {Other}}\n")
    }
}
