import OverlayKitTesting
import BibTeX
import OverlayKit
import Testing

@testable import BibDesk

@Suite("Groups are collections, and static groups can be changed")
struct ReferenceGroupsTests {
    private let device = ReferenceDevice()

    private func list(_ kind: String, _ entries: String) -> String {
        """
        @comment{BibDesk \(kind) Groups{
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0"><array>\(entries)</array></plist>
        }}

        """
    }

    private func fixed(_ name: String, _ keys: String) -> String {
        "<dict><key>group name</key><string>\(name)</string><key>keys</key><string>\(keys)</string></dict>"
    }

    init() {
        device.library(
            """
            @misc{a, title = {A}, author = {Austen, Jane}, keywords = {novels}, bdsk-file-1 = {\(link("a.pdf"))}}

            @misc{b, title = {B}, author = {Babbage, Charles}, bdsk-file-1 = {\(link("b.pdf"))}}

            @misc{c, title = {C}, keywords = {novels}}


            """ + list("Static", fixed("To read", "B") + fixed("Empty", ""))
                + list(
                    "Smart",
                    """
                    <dict><key>conditions</key><array><dict><key>comparison</key><integer>2</integer>
                    <key>key</key><string>Author</string><key>value</key><string>austen</string>
                    <key>version</key><string>1</string></dict></array><key>conjunction</key><integer>0</integer>
                    <key>group name</key><string>By Austen</string></dict>
                    """)
                + list(
                    "URL",
                    "<dict><key>URL</key><string>http://example.org/x.bib</string><key>group name</key><string>Web</string></dict>"
                )
                + list(
                    "Script",
                    "<dict><key>group name</key><string>Run</string><key>script path</key><string>/bin/x</string></dict>"
                ))
        device.paper("Papers/a.pdf")
    }

    @Test(
        "Groups of all kinds are listed with their books, empty ones as well, and nothing is fetched or run")
    func kinds() throws {
        let collections = try device.collections()
        #expect(
            collections == [
                BookCollection("To read", .fixed, books: ["References.bib#b"]),
                BookCollection("Empty", .fixed),
                BookCollection("By Austen", .smart, books: ["Papers/a.pdf"]), BookCollection("Web", .url),
                BookCollection("Run", .script), BookCollection("novels", .keyword, books: ["Papers/a.pdf"]),
                BookCollection("Charles Babbage", .author, books: ["References.bib#b"]),
                BookCollection("Jane Austen", .author, books: ["Papers/a.pdf"]),
            ])
        #expect(try device.books().map(\.collections) == [["By Austen"], ["To read"]])
    }

    @Test("A smart group with an unknown condition is listed, and a warning names it")
    func unknownCondition() throws {
        device.library(
            device.text().replacing("<integer>2</integer>", with: "<integer>99</integer>"))
        #expect(try device.collections().contains(BookCollection("By Austen", .smart)))
        #expect(device.warnings.contains { $0.contains("'By Austen' has a condition") })
    }

    @Test("Which fields have stars or three states is a setting, on which smart groups depend")
    func fieldKinds() throws {
        func group(_ name: String, _ field: String, _ comparison: Int, _ value: String) -> String {
            """
            <dict><key>conditions</key><array><dict><key>comparison</key><integer>\(comparison)</integer>
            <key>key</key><string>\(field)</string><key>value</key><string>\(value)</string>
            <key>version</key><string>1</string></dict></array><key>conjunction</key><integer>0</integer>
            <key>group name</key><string>\(name)</string></dict>
            """
        }
        device.library(
            """
            @misc{a, title = {A}, checked = {yes}, stars = {4}, bdsk-file-1 = {\(link("a.pdf"))}}
            @misc{b, title = {B}, checked = {maybe}, bdsk-file-1 = {\(link("b.pdf"))}}

            """ + list("Smart", group("Checked", "Checked", 4, "1") + group("None", "Stars", 4, "0")))
        func books(_ name: String) throws -> [String]? {
            try device.collections().first { $0.name == name }?.books
        }
        #expect(try books("Checked") == [] && books("None") == [])
        device.texts[BibDeskSettings.Key.triStateFields] = ["Checked"]
        device.texts[BibDeskSettings.Key.ratingFields] = ["Stars"]
        #expect(try books("Checked") == ["Papers/a.pdf"])
        #expect(try books("None") == ["References.bib#b"])
    }

    @Test("Books are put into static groups, which are made, and taken out of them")
    func change() throws {
        let rows = try device.update([
            Book(path: "Papers/a.pdf", collections: ["By Austen", "New", "To read"]),
            Book(path: "References.bib#b", collections: []),
        ])
        #expect(rows.map(\.outcome) == [.updated, .updated])
        #expect(try device.books().map(\.collections) == [["To read", "New", "By Austen"], []])
        #expect(try device.collections().contains(BookCollection("Empty", .fixed)))
        #expect(BibTeXDocument(Array(device.text().utf8)).problemsForApp().isEmpty)
    }

    @Test("Smart groups and other automatic groups are not changed, and the row says so")
    func refused() throws {
        let before = device.text()
        let rows = try device.update([
            Book(path: "Papers/a.pdf", collections: []),
            Book(path: "References.bib#b", collections: ["To read", "Web"]),
        ])
        #expect(rows.map(\.outcome) == [.failed, .failed])
        #expect(rows[0].message?.contains("'By Austen' is a smart group") == true)
        #expect(rows[1].message?.contains("'Web' is a url group") == true)
        #expect(device.text() == before)
    }

    @Test(
        "A static group takes precedence over a smart group of the same name"
    )
    func sharedName() throws {
        device.library(
            "@misc{a, title = {A}, bdsk-file-1 = {\(link("a.pdf"))}}\n" + list("Static", fixed("X", ""))
                + list(
                    "Smart",
                    "<dict><key>conditions</key><array/><key>conjunction</key><integer>0</integer><key>group name</key><string>X</string></dict>"
                ))
        #expect(try device.books().map(\.collections) == [[]])
        #expect(
            try device.update([Book(path: "Papers/a.pdf", title: "B", collections: [])]).map(\.outcome) == [
                .updated
            ])
        func members() -> [[String]] {
            BibTeXDocument(Array(device.text().utf8)).groups.filter { $0.kind == .fixed }.map(\.keys)
        }
        #expect(members() == [[]])
        #expect(
            try device.update([Book(path: "Papers/a.pdf", collections: ["X"])]).map(\.outcome) == [.updated])
        #expect(members() == [["a"]])
        #expect(try device.books().map(\.collections) == [["X"]])
        #expect(try device.update([Book(path: "Papers/a.pdf", collections: [])]).map(\.outcome) == [.updated])
        #expect(members() == [[]])
    }

    @Test("A static group contains all entries that share a key")
    func repeatedKey() throws {
        device.library(
            "@misc{a, title = {A}, bdsk-file-1 = {\(link("a.pdf"))}}\n@misc{A, title = {B}, bdsk-file-1 = {\(link("b.pdf"))}}\n"
                + list("Static", fixed("Both", "a")))
        #expect(
            try device.collections().filter { $0.name == "Both" } == [
                BookCollection("Both", .fixed, books: ["Papers/a.pdf", "References.bib#A#2"])
            ])
    }

    @Test("Groups of one name in two libraries are one collection")
    func twoLibraries() throws {
        device.library(
            "@misc{z, bdsk-file-1 = {\(link("z.pdf"))}}\n" + list("Static", fixed("To read", "z")),
            named: "Z.bib")
        let group = try device.collections().filter { $0.name == "To read" }
        #expect(group == [BookCollection("To read", .fixed, books: ["References.bib#b", "Z.bib#z"])])
    }
}
