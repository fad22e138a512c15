import OverlayKitTesting
import BibTeX
import JSON
import OverlayKit
import Testing

@testable import BibDesk

@Suite("References with papers are books")
struct ReferenceListingTests {
    private let device = ReferenceDevice()

    @Test("A book has the values of the entry as readable text")
    func values() throws {
        device.library(
            """
            @string{knight = {Knight}}
            @book{Babbage:1832aa,
                author = {Babbage, Charles and M{\\"u}ller, J{\\"o}rg}, title = {On the {Economy} of Machinery},
                publisher = knight, year = 1832, month = jul, series = {Library}, volume = 3,
                abstract = {About machines.}, keywords = {engines; work}, rating = {9}, doi = {10.1000/x},
                date-added = {2024-02-04 10:00:00 +0000}, bdsk-file-1 = {\(link("Economy.pdf"))}}
            """)
        device.paper("Papers/Economy.pdf", "%PDF-1.4 economy")
        let book = try #require(device.books().first)
        #expect(book.path == "Papers/Economy.pdf")
        #expect(book.title == "On the Economy of Machinery")
        #expect(book.authors == ["Charles Babbage", "Jörg Müller"])
        #expect(book.authorSort == "Babbage, Charles & Müller, Jörg")
        #expect(book.publisher == "Knight" && book.pubdate == "1832-07-15")
        #expect(book.series == "Library" && book.seriesIndex == 3)
        #expect(book.description == "About machines." && book.tags == ["engines", "work"])
        #expect(book.rating == 5 && book.size == 16 && book.format == "application/pdf")
        #expect(book.dateAdded == 1_707_040_800)
        #expect(try book.extra("cite_key")?.string == "Babbage:1832aa")
        #expect(try book.extra("identifiers")?.object?["doi"]?.string == "10.1000/x")
        #expect(try book.extra("fields") == nil)
    }

    @Test(
        "The precision of a date is reported, and further authors do not affect the order of names",
        arguments: [
            ("year = 1999", "1999-01-15", "year"), ("year = 1999, month = may", "1999-05-15", "month"),
            ("date = {1999-05-20}", "1999-05-20", "day"),
        ])
    func precision(fields: String, date: String, precision: String) throws {
        device.library(
            "@misc{a, author = {Ana Lima and others}, \(fields), bdsk-file-1 = {\(link("a.pdf"))}}\n@misc{b, bdsk-file-1 = {\(link("b.pdf"))}}\n"
        )
        let books = try device.books()
        #expect(books.first?.pubdate == date)
        #expect(try books.first?.extra("pubdate_precision")?.string == precision)
        #expect(books.first?.authors == ["Ana Lima", "et al."] && books.first?.authorSort == "Lima, Ana")
        #expect(try books.last?.extra("pubdate_precision") == nil)
    }

    @Test("Parts of a library that programs read differently are logged once, and are not a warning")
    func oddities() throws {
        device.library("@misc{a, title = {A}, title = jot, bdsk-file-1 = {\(link("a.pdf"))}}\n")
        #expect(try device.books().map(\.title) == ["jot"])
        #expect(device.warnings.isEmpty)
        let settings = try BibDeskSettings(device.services().prefs)
        let notices = try DeviceLibraries.read(device.services(), settings).notices
        #expect(
            notices.count == 1
                && notices.first?.contains("'References.bib' differently at line 1, column 23") == true)
        #expect(notices.first?.contains("1 more") == true, "\(notices)")
    }

    @Test("A linked file is on the device, can be sent, or is missing, in the order of the links")
    func states() throws {
        device.library(
            """
            @misc{a, title = {A}, bdsk-file-1 = {\(link("away.pdf"))}, bdsk-file-2 = {\(link("here.pdf"))},
                bdsk-file-3 = {\(link("../../outside.pdf"))}}
            """)
        device.paper("Papers/here.pdf")
        let book = try #require(device.books().first)
        #expect(book.path == "Papers/here.pdf")
        #expect(
            try book.fileStates() == [
                "Papers/away.pdf: can_be_sent", "Papers/here.pdf: on_device", "../../outside.pdf: missing",
            ])
    }

    @Test("A link that a sync does not follow cannot be sent")
    func notFollowed() throws {
        device.library(
            """
            @misc{a, title = {A}, bdsk-file-1 = {\(link("../x.pdf"))}, bdsk-file-2 = {\(link(".x/x.pdf"))},
                bdsk-file-3 = {\(link("x.bib"))}, bdsk-file-4 = {\(link("x/../y.pdf"))}}
            """)
        #expect(
            try device.books().first?.fileStates() == [
                "x.pdf: missing", "Papers/.x/x.pdf: missing", "Papers/x.bib: missing",
                "Papers/y.pdf: can_be_sent",
            ])
    }

    @Test("Of two links with the same file name, the first one gets the file in a flat folder")
    func flatNames() throws {
        let device = ReferenceDevice(.flat)
        device.library(
            "@misc{B, title = {B}, bdsk-file-1 = {\(link("b/x.pdf"))}}\n@misc{A, title = {A}, bdsk-file-1 = {\(link("a/x.pdf"))}}\n"
        )
        device.paper("x.pdf")
        let states = try device.books().map { (book: Book) throws -> String in
            "\(book.title ?? "") \(try book.fileStates())"
        }
        #expect(states == ["A [\"x.pdf: on_device\"]"])
    }

    @Test("A volume that is not a finite number is left out")
    func endlessVolume() throws {
        device.library(
            "@book{a, title = {A}, series = {S}, volume = {inf}, bdsk-file-1 = {\(link("x.pdf"))}}\n"
        )
        device.paper("Papers/x.pdf")
        let book = try #require(try device.books().first)
        #expect(book.series == "S" && book.seriesIndex == nil)
    }

    @Test("A paper in the app's caches is on the device, and is fetched from there")
    func cached() throws {
        device.library("@misc{a, bdsk-file-1 = {\(link("x.pdf"))}}")
        device.add(Array("cached".utf8), at: "/Library/Caches/OverlayHost/LinkedFiles/Papers/x.pdf")
        #expect(try device.books().first?.fileStates() == ["Papers/x.pdf: on_device"])
        var bytes: [UInt8] = []
        try device.overlay().getFile("Papers/x.pdf") { chunk, _, _ in bytes += chunk }
        #expect(bytes == Array("cached".utf8))
    }

    @Test("References without papers are listed only if the user wants them, each by its name")
    func withoutPapers() throws {
        device.library(
            "@misc{a, title = {A}}\n@misc{b, bdsk-file-1 = {\(link("/Users/x/b.pdf"))}}\n@misc{A, title = {C}}"
        )
        #expect(try device.books().isEmpty)
        device.switches["bibdesk_list_all"] = true
        let books = try device.books()
        #expect(books.map(\.path) == ["References.bib#a", "References.bib#b", "References.bib#A#2"])
        #expect(books.map(\.authors) == [["Unknown"], ["Unknown"], ["Unknown"]])
        #expect(Set(books.map(\.uuid)).count == 3)
    }

    @Test("Two entries with one paper are two books, and only the first has its path")
    func sharedPaper() throws {
        device.library(
            "@misc{a, bdsk-file-1 = {\(link("x.pdf"))}}\n@misc{b, bdsk-file-1 = {\(link("x.pdf"))}}")
        device.paper("Papers/x.pdf")
        #expect(try device.books().map(\.path) == ["Papers/x.pdf", "References.bib#b"])
    }

    @Test("The UUID of a reference is of version 5, and the same wherever its library is")
    func uuid() throws {
        device.library("@misc{Knuth:1984aa, bdsk-file-1 = {\(link("x.pdf"))}}")
        let uuid = try #require(device.books().first?.uuid)
        #expect(Array(uuid)[14] == "5" && "89ab".contains(Array(uuid)[19]) && uuid.count == 36)
        let other = ReferenceDevice(.flat)
        other.library(
            "@misc{knuth:1984AA, title = {T}, bdsk-file-1 = {\(link("x.pdf"))}}", named: "references.bib")
        #expect(try other.books().first?.uuid == uuid)
    }

    @Test("A name in decomposed letters finds its paper in composed ones, and the other way round")
    func unicode() throws {
        device.library(
            "@misc{a, bdsk-file-1 = {\(link("Go\u{308}tz.pdf"))}}\n@misc{b, bdsk-file-1 = {\(link("\u{E9}.pdf"))}}"
        )
        device.paper("Papers/G\u{F6}tz.pdf")
        device.paper("Papers/e\u{301}.pdf")
        #expect(try device.books().map { try $0.fileStates().count { $0.hasSuffix("on_device") } } == [1, 1])
    }

    @Test("If fields are requested, all readable ones are there, with macros expanded and letters decoded")
    func fields() throws {
        device.library(
            "@string{j = {Journal}}\n@article{a, journal = j, note = {\\'e}, bdsk-file-1 = {\(link("x.pdf"))}}"
        )
        let book = try #require(device.books(BooksOptions(withAnnotations: true)).first)
        let fields = try #require(try book.extra("fields")?.object)
        #expect(fields.members.map(\.name) == ["journal", "note"])
        #expect(fields["journal"]?.string == "Journal" && fields["note"]?.string == "é")
        #expect(try book.extra("journal")?.string == "Journal")
    }

    @Test("Texts of all other fields are there for a search, by their columns")
    func searchTexts() throws {
        device.library(
            "@article{a, author = {Au}, editor = {Eddy, Xed}, note = {nnote}, address = {Addrx}, booktitle = {Bkt}, "
                + "custom = {custx}, month = feb, bdsk-url-1 = {http://bdurl.example}, number = 77, crossref = {p}, "
                + "bdsk-file-1 = {\(link("x.pdf"))}}\n@book{p, publisher = {Parent's}, title = {P}, edition = {Parents2}}"
        )
        let book = try #require(device.books().first)
        let texts = try #require(try book.extra("search_texts")?.object)
        #expect(texts["editor"]?.strings == ["Eddy, Xed"] && texts["notes"]?.strings == ["nnote"])
        #expect(texts["container"]?.strings == ["Bkt"] && texts["publisher"]?.strings == ["Parent's"])
        #expect(texts["other"]?.strings == ["Addrx", "custx", "http://bdurl.example", "77", "Parents2"])
        #expect(texts["year"]?.strings == ["February"])
        #expect(texts["title"] == nil)
    }

    @Test("A library in another encoding is read by the one that the user names")
    func encoding() throws {
        let text = "@misc{a, title = {\u{15A}wiat}, bdsk-file-1 = {\(link("x.pdf"))}}"
        device.add(try #require(BibTeXEncoding.windows1250.bytes(text)), at: device.libraries + "/Old.bib")
        device.texts["bibdesk_fallback_encoding"] = ["Windows-1250"]
        #expect(try device.books().map(\.title) == ["\u{15A}wiat"])
    }

    @Test("A library that cannot be read is reported, and the others are listed")
    func unreadable() throws {
        device.library("@misc{a, bdsk-file-1 = {\(link("x.pdf"))}}", named: "Good.bib")
        device.library("@misc{b, bdsk-file-1 = {\(link("y.pdf"))}}", named: "Lost.bib")
        device.fault = { operation, path in
            operation == "read" && path.hasSuffix("Lost.bib") ? .deviceIO : nil
        }
        #expect(try device.books().map(\.path) == ["Good.bib#a"])
        #expect(device.warnings.contains { $0.contains("Lost.bib") })
    }

    @Test("A library saved by a Mac itself, and a hidden file, are not libraries")
    func autosaved() throws {
        device.library("@misc{a, bdsk-file-1 = {\(link("x.pdf"))}}", named: "Refs (Autosaved).bib")
        device.library("@misc{a, bdsk-file-1 = {\(link("x.pdf"))}}", named: ".Refs.bib")
        #expect(try device.books().isEmpty)
    }
}
