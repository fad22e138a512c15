import OverlayKitTesting
import BibTeX
import OverlayKit
import Testing

@testable import BibDesk

@Suite("Entries are changed field by field, and papers go with their links")
struct ReferenceChangesTests {
    private let device = ReferenceDevice()

    init() {
        device.library(
            """
            % a comment of mine
            @article{a,
            	Author = {Austen, Jane},
            	Title = {A {Title}},
            	Year = 1813,
            	Bdsk-File-1 = {\(link("a.pdf"))},
            	Bdsk-File-2 = {\(link("shared.pdf"))},
            	Bdsk-File-3 = {\(link("/Users/jane/far.pdf"))}}

            @misc{b, title = {B}, bdsk-file-1 = {\(link("shared.pdf"))}}

            """)
        device.paper("Papers/a.pdf")
        device.paper("Papers/shared.pdf")
    }

    @Test("Only the fields that differ are written, in the file's own style, with the time of the change")
    func update() throws {
        var book = try #require(device.books().first)
        book.title = "Another"
        book.pubdate = "1814-03-15"
        book.rating = 4
        book.tags = ["x", "y"]
        book.description = "A note."
        #expect(try device.update([book]).map(\.outcome) == [.updated])
        let entry = try #require(device.entry("a"))
        #expect(entry.value("title")?.plainText == "Another" && entry.value("rating")?.plainText == "4")
        #expect(
            entry.value("keywords")?.plainText == "x, y" && entry.value("abstract")?.plainText == "A note.")
        #expect(entry.value("month")?.pieces == [.macro("mar")])
        #expect(entry.value("date-modified")?.plainText == "2026-07-18 08:11:12 +0000")
        #expect(
            device.text().contains("Author = {Austen, Jane}") && device.text().contains("\tTitle = {Another}")
        )
        #expect(device.text().contains("Date-Modified = "))
        #expect(
            device.text().hasPrefix("% a comment of mine") && device.text().contains("@misc{b, title = {B},"))
    }

    @Test(
        "Characters with a meaning in LaTeX are escaped, except in keywords, which are not printed")
    func escapedSigns() throws {
        var book = try #require(device.books().first)
        book.title = "Sons & Co: 50% #1 a_b x^2"
        book.tags = ["R&D", "C#"]
        #expect(try device.update([book]).map(\.outcome) == [.updated])
        #expect(device.text().contains("Title = {Sons \\& Co: 50\\% \\#1 a\\_b x{\\textasciicircum}2}"))
        #expect(device.text().contains("{R&D, C#}"))
        let changed = try device.books().first
        #expect(changed?.title == book.title && changed?.tags == book.tags)
    }

    @Test("A row says that the day of a date is not stored, unless the entry has a date")
    func lostDay() throws {
        device.library(
            "@misc{a, title = {A}, year = 1813, bdsk-file-1 = {\(link("a.pdf"))}}\n"
                + "@misc{b, title = {B}, date = {1813-01-02}, bdsk-file-1 = {\(link("shared.pdf"))}}\n")
        let books = try device.books().map { book in
            var book = book
            book.pubdate = "1814-03-17"
            return book
        }
        let rows = try device.update(books)
        #expect(rows.map(\.outcome) == [.updated, .updated])
        #expect(rows.map { $0.message?.contains("day of the date was not stored") } == [true, nil])
        #expect(device.entry("b")?.value("date")?.plainText == "1814-03-17")
    }

    @Test("The time of the last change stays when only links or groups change")
    func unchangedTime() throws {
        let stamp = "2001-02-03 04:05:06 +0000"
        device.library(
            "@misc{a, title = {A}, date-modified = {\(stamp)}, bdsk-file-1 = {\(link("a.pdf"))}}\n"
                + "@misc{b, title = {B}, date-modified = {\(stamp)}}\n")
        #expect(
            try device.update([Book(path: "Papers/a.pdf", collections: ["New"])]).map(\.outcome) == [.updated]
        )
        #expect(try device.upload([device.item("b.pdf", "%PDF b", title: "B")]).map(\.outcome) == [.updated])
        #expect(try device.delete(["Papers/a.pdf"]).map(\.outcome) == [.deleted])
        #expect(device.entry("a")?.linkedFiles.isEmpty == true && device.entry("b")?.linkedFiles.count == 1)
        for key in ["a", "b"] {
            #expect(device.entry(key)?.value("date-modified")?.plainText == stamp)
        }
    }

    @Test("Given values read back unchanged, with all characters that have a meaning in TeX")
    func signs() throws {
        var book = try #require(device.books().first)
        book.title = "On {DNA} and \\LaTeX, 1--2"
        book.authors = ["Ann {WHO} Lima", "Bo $ Ek"]
        book.publisher = "A } B"
        book.description = "``Costs'' $5~000"
        book.tags = ["{x}", "y"]
        #expect(try device.update([book]).map(\.outcome) == [.updated])
        let now = try #require(device.books().first)
        #expect(now.title == book.title && now.authors == book.authors && now.publisher == book.publisher)
        #expect(now.description == book.description && now.tags == book.tags)
    }

    @Test("A book without changes has no row, and nothing is written")
    func unchanged() throws {
        let before = device.text()
        #expect(try device.update(device.books()).isEmpty)
        #expect(device.text() == before && !device.operations.contains { $0.hasPrefix("rename /tmp") })
    }

    @Test(
        "Names are joined as in BibTeX, and a name that contains the joining word stays one name",
        arguments: [
            (["Jane Austen", "et al."], "Jane Austen and others"),
            (["Simon and Schuster"], "{Simon and Schuster}"),
            (["Unknown"], ""), (["Austen, Jane", "B C"], "Austen, Jane and B C"),
        ])
    func names(authors: [String], text: String) { #expect(EntryEditor.names(authors) == text) }

    @Test("A deleted book's papers and links go; the reference, foreign links and shared papers stay")
    func delete() throws {
        let rows = try device.delete(["Papers/a.pdf"])
        #expect(rows.map(\.outcome) == [.deleted])
        #expect(rows.first?.message?.contains("'Papers/shared.pdf' stays") == true)
        #expect(device.paperPaths == ["Papers/shared.pdf"])
        #expect(device.entry("a")?.linkedFiles.map(\.relativePath) == ["/Users/jane/far.pdf"])
        #expect(try device.books().map(\.path) == ["Papers/shared.pdf"])
    }

    @Test("With the setting the reference goes, too, and its key from static groups")
    func deleteReference() throws {
        _ = try device.update([
            Book(path: "Papers/a.pdf", collections: ["Mine"]),
            Book(path: "Papers/shared.pdf", collections: ["Mine"]),
        ])
        device.switches["bibdesk_delete_references"] = true
        #expect(try device.delete(["Papers/a.pdf", "nowhere.pdf"]).map(\.outcome) == [.deleted, .failed])
        #expect(device.entry("a") == nil && device.entry("b") != nil)
        let groups = BibTeXDocument(Array(device.text().utf8)).groups
        #expect(groups.map(\.keys) == [["b"]])
        #expect(device.paperPaths == ["Papers/shared.pdf"])
    }

    @Test("Both references of a shared paper can be deleted at once, and then the paper goes")
    func deleteBoth() throws {
        device.switches["bibdesk_delete_references"] = true
        #expect(
            try device.delete(["Papers/a.pdf", "Papers/shared.pdf"]).map(\.outcome) == [.deleted, .deleted])
        #expect(device.paperPaths.isEmpty)
        #expect(device.text().hasPrefix("% a comment of mine") && !device.text().contains("@"))
    }

    @Test("The library is written before its papers go, and a failed write keeps them")
    func order() throws {
        device.fault = { operation, path in operation == "write" && path.hasPrefix("/tmp") ? .noSpace : nil }
        #expect(try device.delete(["Papers/a.pdf"]).map(\.status) == [.noSpace])
        #expect(device.paperPaths == ["Papers/a.pdf", "Papers/shared.pdf"])
        device.fault = { _, _ in nil }
        device.resetCounts()
        _ = try device.delete(["Papers/a.pdf"])
        let steps = device.operations.filter {
            $0.hasPrefix("rename /tmp") || $0.hasPrefix("remove \(device.papers)")
        }
        #expect(steps.count == 2 && steps[0].hasPrefix("rename"))
    }

    @Test("A reference without papers is not deleted while the setting is off")
    func keepsReference() throws {
        device.library("@misc{only, title = {Only}}\n", named: "Only.bib")
        device.switches["bibdesk_list_all"] = true
        let rows = try device.delete(["Only.bib#only"])
        #expect(rows.map(\.outcome) == [.skipped])
        #expect(rows.first?.message?.contains("bibdesk_delete_references") == true)
    }

    @Test(
        "A new key is the last name and the year, and never an existing key",
        arguments: [
            ("Lovelace", 1843, ["lovelace:1843AA"], "Lovelace:1843ab"), ("", nil as Int?, [], "Reference:aa"),
        ])
    func keys(author: String, year: Int?, taken: [String], key: String) {
        #expect(
            CiteKey.unused(author: author, year: year) {
                taken.map { $0.lowercased() }.contains($0.lowercased())
            } == key)
    }
}
