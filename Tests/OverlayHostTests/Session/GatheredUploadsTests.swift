import Foundation
import TestSupport
import Testing

@testable import OverlayHost
@testable import Publications

@Suite("The best format that an OPDS document offers is chosen")
struct GatheredUploadsTests {
    private func catalog(_ text: String) throws -> [OPDSCatalog.Offer] {
        try OPDSCatalog(Data(text.utf8)).offers
    }

    @Test("The first format that the app prefers is taken, by its type, else by its extension")
    func best() {
        let offer = OPDSCatalog.Offer(
            title: nil,
            acquisitions: [
                .init(link: .init("a.pdf"), mediaType: "application/pdf"),
                .init(link: .init("b"), mediaType: "Application/EPUB+zip; x=y"),
                .init(link: .init("c.cbz?x=.epub"), mediaType: nil),
            ])
        #expect(ResolvedUploads.best(offer, ["epub", "pdf"])?.link.href == "b")
        #expect(ResolvedUploads.best(offer, ["pdf", "epub"])?.link.href == "a.pdf")
        #expect(ResolvedUploads.best(offer, ["cbz"])?.link.href == "c.cbz?x=.epub")
        #expect(ResolvedUploads.best(offer, ["mobi"]) == nil)
        #expect(ResolvedUploads.best(offer, [])?.link.href == "a.pdf")
    }

    @Test("A single entry and a single publication are offers; books that must be bought or borrowed are not")
    func alone() throws {
        let entry = """
            <entry xmlns="http://www.w3.org/2005/Atom"><title> A  B </title>
            <link rel="http://opds-spec.org/acquisition/open-access" type="application/epub+zip" href="x.epub"/>
            <link rel="http://opds-spec.org/acquisition/sample" href="sample.epub"/>
            <link rel="http://opds-spec.org/acquisition/borrow" href="borrow"/><link rel="alternate" href="page"/></entry>
            """
        let wanted = OPDSCatalog.Offer(
            title: "A B", acquisitions: [.init(link: .init("x.epub"), mediaType: "application/epub+zip")])
        #expect(try catalog(entry) == [wanted])
        let publication = """
            {"metadata": {"title": "A B"}, "links": [{"rel": ["x", "http://opds-spec.org/acquisition"], "href": "x.epub", \
            "type": "application/epub+zip"}, {"rel": "http://opds-spec.org/acquisition/buy", "href": "shop"}]}
            """
        #expect(try catalog(publication) == [wanted])
        #expect(try catalog("{\"groups\": [{\"publications\": [\(publication)]}, 7]}") == [wanted])
        #expect(try catalog("<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>x</title></feed>").isEmpty)
    }

    @Test("A reference is relative to what xml:base says, from the outside in")
    func base() throws {
        let feed = """
            <feed xmlns="http://www.w3.org/2005/Atom" xml:base="/books/"><entry xml:base="a/"><title>A</title>
            <link xml:base="b/" rel="http://opds-spec.org/acquisition" href="x.epub"/></entry>
            <link rel="next" href="2.xml"/></feed>
            """
        let catalog = try OPDSCatalog(Data(feed.utf8))
        #expect(
            catalog.offers.first?.acquisitions.first?.link == .init("x.epub", bases: ["/books/", "a/", "b/"]))
        #expect(catalog.nextPage == .init("2.xml", bases: ["/books/"]))
        let address = catalog.offers.first?.acquisitions.first?.link.address(
            relativeTo: "https://x.org/feeds/1.xml?q")
        #expect(address == "https://x.org/books/a/b/x.epub")
    }

    @Test("A feed without its end is an error at any length; a sloppy one with its end is read")
    func truncated() throws {
        let feed = """
            <f:feed xmlns:f="http://www.w3.org/2005/Atom"><f:title>R&D</f:title><f:entry><f:title>A</f:title>
            <f:link rel="http://opds-spec.org/acquisition" href="x.epub"/></f:entry></f:feed>
            """
        #expect(try catalog(feed).count == 1)
        #expect(try catalog(feed + "<!-- end -->").count == 1)
        for length in 0..<feed.utf8.count {
            #expect(throws: PublicationError.self, "\(length) bytes") {
                try catalog(String(decoding: feed.utf8.prefix(length), as: UTF8.self))
            }
        }
    }

    @Test(
        "A document that is neither XML nor JSON, or too large, is an error",
        arguments: ["", "{", "[1", "no feed"])
    func damaged(text: String) {
        #expect(throws: PublicationError.self) { try catalog(text) }
    }

    @Test("A document larger than the limit is an error")
    func large() {
        #expect(throws: PublicationError.self) { try OPDSCatalog(Data(repeating: 0x20, count: 5 << 20)) }
    }
}
