import Archives
import Formats
import Foundation
import Publications
import TestSupport
import Testing

@Suite("A publication declares the types of its files")
struct DeclaredTypeTests {
    private func types(_ archive: TestArchive) throws -> [String: String] {
        Publication.declaredTypes(in: try ZipArchive.open(source: DataByteSource(archive.data)))
    }

    @Test("The types of an EPUB's manifest are known by the paths that its references mean")
    func epub() throws {
        var archive = TestBook.archive(
            TestBook.package(
                "<dc:title>T</dc:title>",
                manifest: """
                    <item id="a" href="one.xml" media-type="application/xhtml+xml"/>
                    <item id="b" href="two%20words.dat" media-type="image/jpeg"/>
                    <item id="c" href="../root.bin" media-type="Text/CSS; charset=utf-8"/>
                    <item id="d" href="bad" media-type="no type"/>
                    <item id="e" href="missing.jpg" media-type="image/jpeg"/>
                    <item id="f" href="https://example.org/far.jpg" media-type="image/jpeg"/>
                    <item id="g" href="one.xml" media-type="text/plain"/>
                    """))
        for path in ["OEBPS/one.xml", "OEBPS/two words.dat", "root.bin", "OEBPS/bad", "far.jpg"] {
            archive.add(path, Data("x".utf8))
        }
        #expect(
            try types(archive) == [
                "OEBPS/one.xml": "application/xhtml+xml", "OEBPS/two words.dat": "image/jpeg",
                "root.bin": "text/css;charset=UTF-8",
            ])
    }

    @Test("The types of a Readium manifest are known by its paths")
    func readium() throws {
        var archive = TestArchive([
            "manifest.json": """
            {"metadata": {"title": "T"}, "readingOrder": [{"href": "a", "type": "audio/mpeg"}],
             "resources": [{"href": "/b.bin", "type": "image/png"}, {"href": "c"}, {"href": 4}],
             "links": [{"href": "d.json", "type": "application/webpub+json"}]}
            """
        ])
        for path in ["a", "b.bin", "c", "d.json"] { archive.add(path, Data("x".utf8)) }
        #expect(
            try types(archive) == [
                "a": "audio/mpeg", "b.bin": "image/png", "d.json": "application/webpub+json",
            ])
    }

    @Test("There are no types if none are declared, or if the document cannot be read")
    func none() throws {
        #expect(try types(TestArchive(["a.jpg": "x"])).isEmpty)
        #expect(try types(TestArchive(["manifest.json": "[1", "a": "x"])).isEmpty)
        #expect(try types(TestBook.archive("no package document")).isEmpty)
        #expect(try types(TestArchive(["META-INF/container.xml": TestBook.container, "a": "x"])).isEmpty)
    }
}
