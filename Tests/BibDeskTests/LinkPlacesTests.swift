import BookFolders
import Testing

@testable import BibDesk

@Suite("Links lead to places on the device, and never out of the folder of papers")
struct LinkPlacesTests {
    private func library(_ name: String = "References.bib") throws -> ShelfPath {
        try #require(ShelfPath(name))
    }

    @Test(
        "A link is relative to the library's Dropbox folder, and detours in it are removed",
        arguments: [
            ("x.pdf", "Papers/x.pdf"), ("PDFs/x.pdf", "Papers/PDFs/x.pdf"), ("../Other/x.pdf", "Other/x.pdf"),
            ("PDFs/../x.pdf", "Papers/x.pdf"), ("./x.pdf", "Papers/x.pdf"),
            ("e\u{301}.pdf", "Papers/\u{E9}.pdf"),
            ("\u{FB01}n.pdf", "Papers/fin.pdf"),
        ])
    func dropbox(link: String, place: String) throws {
        let places = LinkPlaces(.linkedFiles, dropboxFolder: "/Papers")
        #expect(try places.place(of: link, in: library())?.text == place)
    }

    @Test(
        "A link that leads out of the folder, or to another computer, has no place",
        arguments: [
            "../../x.pdf", "/etc/passwd", "..", "", "a/../../../x", "x\u{0}.pdf",
        ])
    func outside(link: String) throws {
        for layout in [ReferenceStore.Layout.linkedFiles, .documents] {
            let places = LinkPlaces(layout, dropboxFolder: "/Papers")
            #expect(try places.place(of: layout == .documents ? "../" + link : link, in: library()) == nil)
        }
    }

    @Test("An absolute link below a folder from the settings has its place relative to that folder")
    func roots() throws {
        let places = LinkPlaces(.linkedFiles, dropboxFolder: "/Papers", roots: ["/Users/ada/Dropbox/"])
        #expect(try places.place(of: "/Users/ada/Dropbox/Talks/x.pdf", in: library())?.text == "Talks/x.pdf")
        #expect(try places.place(of: "/Users/ada/Dropboxes/x.pdf", in: library()) == nil)
    }

    @Test("An absolute link without its first slash has the same place")
    func missingSlash() throws {
        let places = LinkPlaces(.linkedFiles, dropboxFolder: "/Papers", roots: ["/Users/ada/Dropbox"])
        let link = "Users/ada/Dropbox/Papers/Economy.pdf"
        #expect(try places.place(of: link, in: library())?.text == "Papers/Economy.pdf")
        #expect(places.path(of: link) == "Economy.pdf")
        #expect(try places.place(of: "Users/ada/x.pdf", in: library())?.text == "Papers/Users/ada/x.pdf")
    }

    @Test("The folder of papers itself may be named as well as the one above it")
    func rootOfPapers() throws {
        let places = LinkPlaces(.linkedFiles, dropboxFolder: "/Papers", roots: ["/Users/ada/Dropbox/Papers"])
        let link = "/Users/ada/Dropbox/Papers/a/x.pdf"
        #expect(try places.place(of: link, in: library())?.text == "Papers/a/x.pdf")
        #expect(places.path(of: link) == "a/x.pdf")
    }

    @Test("Papers are in one flat folder, or in other apps beside their library")
    func otherLayouts() throws {
        #expect(try LinkPlaces(.flat).place(of: "PDFs/x.pdf", in: library())?.text == "x.pdf")
        let flat = LinkPlaces(.flat, roots: ["/Users/ada"])
        #expect(try flat.place(of: "/Users/ada/b/x.pdf", in: library())?.text == "x.pdf")
        #expect(flat.path(of: "/Users/ada/b/x.pdf") == "x.pdf" && flat.path(of: "/b/x.pdf") == "/b/x.pdf")
        #expect(
            try LinkPlaces(.documents).place(of: "../x.pdf", in: library("Work/refs.bib"))?.text == "x.pdf")
    }

    @Test(
        "The link to a place leads back to it",
        arguments: [
            ("Papers/x.pdf", "x.pdf"), ("Other/x.pdf", "../Other/x.pdf"), ("Papers/a/b.pdf", "a/b.pdf"),
        ])
    func backAndForth(place: String, link: String) throws {
        let places = LinkPlaces(.linkedFiles, dropboxFolder: "Papers")
        let path = try #require(ShelfPath(place))
        #expect(try places.link(to: path, in: library()) == link)
        #expect(try places.place(of: link, in: library()) == path)
    }
}
