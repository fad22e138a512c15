import Archives
import Formats
import Foundation
import Publications
import Testing

@Suite("Publications in W3C's packaging format are read")
struct LPFTests {
    private func read(_ manifest: String, files: [String: Data] = [:]) throws -> PublicationInfo {
        var archive = TestArchive(["publication.json": manifest, "index.html": "<html/>"])
        for (path, content) in files.sorted(by: { $0.key < $1.key }) { archive.add(path, content) }
        return try Publication.read(from: DataByteSource(archive.data), name: "book.lpf")
    }

    @Test("All values of a publication manifest are read")
    func everything() throws {
        let image = TestBook.image(900)
        let info = try read(
            """
            {"@context": ["https://schema.org", "https://www.w3.org/ns/pub-context"], "conformsTo": "x",
             "id": "urn:isbn:9783161484100", "inLanguage": ["fr", "en"],
             "name": [{"value": "Moby Dick", "language": "en"}, {"value": "La Baleine", "language": "fr"}],
             "author": ["Herman Melville", {"type": "Person", "name": [{"value": "Somebody", "language": "en"}]}],
             "readBy": {"name": "A Voice"}, "translator": "B", "publisher": {"name": "House"},
             "datePublished": "1851-10-18", "dateModified": "2020-01-02T03:04:05Z",
             "readingOrder": ["c1.html"],
             "resources": ["s.css", {"url": "i/c.jpg", "encodingFormat": "image/jpeg", "rel": ["cover"]}]}
            """, files: ["i/c.jpg": image])
        let metadata = info.metadata
        #expect(info.format == .lpf)
        #expect(metadata.title == "La Baleine")
        #expect(metadata.alternateTitles == ["en": "Moby Dick"])
        #expect(metadata.languages == ["fr", "en"])
        #expect(metadata.authors.map(\.name) == ["Herman Melville", "Somebody"])
        #expect(metadata.contributors.map(\.name) == ["B", "A Voice"])
        #expect(metadata.contributors.map(\.roles) == [["trl"], ["nrt"]])
        #expect(metadata.publisher == "House")
        #expect(metadata.isbn == "9783161484100")
        #expect(metadata.published?.description == "1851-10-18")
        #expect(metadata.modified?.description == "2020-01-02T03:04:05Z")
        #expect(try info.cover?.read() == image)
        #expect(info.shortcomings.isEmpty)
    }

    @Test("Missing and impossible values are reported, and the rest is read")
    func damaged() throws {
        let context = "\"@context\": \"https://www.w3.org/ns/pub-context\""
        let info = try read(
            "{\(context), \"name\": 7, \"datePublished\": \"soon\", \"author\": [1, {\"name\": {}}], \"resources\": [{\"url\": \"c.png\", \"rel\": \"cover\"}]}"
        )
        #expect(info.metadata.title == "book")
        #expect(info.metadata.authors.isEmpty)
        #expect(info.cover == nil)
        #expect(Set(info.shortcomings.map(\.code)) == [.badValue, .missingCover, .missingTitle])
        let broken = TestArchive(["publication.json": "{", "index.html": "x"])
        let rest = try Publication.read(from: DataByteSource(broken.data), name: "b.lpf", format: .lpf)
        #expect(rest.shortcomings.map(\.code) == [.damagedPart, .missingTitle])
    }
}
