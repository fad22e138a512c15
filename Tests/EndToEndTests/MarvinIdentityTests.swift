import Foundation
import TestSupport
import Testing

@Suite("Marvin's book and a later edition of its file are one book by the uuid of both")
struct MarvinIdentityTests {
    private static let uuid = "11111111-1111-4111-8111-111111111111"

    /// An EPUB as calibre sends it, with calibre's uuid in addition to the publisher's.
    private func epub(_ title: String) -> Data {
        let container = """
            <container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
            <rootfile full-path="c.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
            """
        let package = """
            <package xmlns="http://www.idpf.org/2007/opf" version="2.0" unique-identifier="id">
            <metadata xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf">
            <dc:identifier id="id">urn:uuid:22222222-2222-4222-8222-222222222222</dc:identifier>
            <dc:identifier opf:scheme="calibre">\(Self.uuid)</dc:identifier>
            <dc:title>\(title)</dc:title><dc:creator>Jane Austen</dc:creator><dc:language>en</dc:language></metadata>
            <manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>
            <spine><itemref idref="a"/></spine></package>
            """
        var archive = ZipBuilder()
        archive.entries = [
            .init("mimetype", Data("application/epub+zip".utf8)),
            .init("META-INF/container.xml", Data(container.utf8)), .init("c.opf", Data(package.utf8)),
            .init("a.xhtml", Data("<html><body><p>It is a truth.</p></body></html>".utf8)),
        ]
        return archive.data()
    }

    @Test("A corrected title with replace leaves one row, which its uuid finds")
    func correctedTitle() throws {
        let folder = try TemporaryFolder()
        let sent = folder.url.appendingPathComponent(Self.uuid + ".epub")
        try epub("Pride and Predjudice").write(to: sent)
        let bench = try ReaderBench(books: [sent])
        #expect(try bench.json("books").texts("books", "uuid") == [Self.uuid])
        let corrected = folder.url.appendingPathComponent("Pride and Prejudice - Jane Austen.epub")
        try epub("Pride and Prejudice").write(to: corrected)
        let upload = try bench.json("upload", corrected.path, "--on-conflict", "replace")
        #expect(upload.texts("results", "status") == ["replaced"], "\(upload.errors)")
        #expect(upload.texts("results", "path") == [Self.uuid + ".epub"])
        #expect(try bench.json("books").texts("books", "title") == ["Pride and Prejudice"])
        let found = try bench.json("info", Self.uuid)
        #expect(found.status == 0, "\(found.errors)")
        #expect(found["title"] as? String == "Pride and Prejudice" && found["uuid"] as? String == Self.uuid)
    }

    @Test("The uuid from a calibre library takes precedence over the one in the file")
    func given() throws {
        let bench = try ReaderBench()
        let given = "33333333-3333-4333-8333-333333333333"
        let file = bench.folder.path("emma.epub")
        try epub("Emma").write(to: URL(fileURLWithPath: file))
        let mixed = try bench.json(
            "upload", "--uuid", "a", file, "--uuid", "b", file, "--uuid", "c", file, "--uuid", "d", "http://x"
        )
        #expect(mixed.status == 64 && mixed.error("message")?.contains("URLs") == true)
        let refused = try bench.json("upload", file, "--uuid", "3333")
        #expect(refused.status == 64 && refused.error("subject") == "3333")
        let upload = try bench.json("upload", file, "--uuid", given.uppercased())
        #expect(upload.texts("results", "status") == ["added"], "\(upload.errors)")
        #expect(try bench.json("info", given)["title"] as? String == "Emma")
    }
}
