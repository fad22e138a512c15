import Archives
import Formats
import Foundation
import Publications
import Testing

@Suite("Metadata are read within bounds, however large the file")
struct BoundedMetadataTests {
    /// A source that claims to be a terabyte long: a beginning, followed by repetitions of one text.
    private struct Endless: ByteSource {
        let beginning: [UInt8]
        let text: [UInt8]
        var length: Int64 { 1 << 40 }

        init(_ beginning: String, _ text: String) {
            self.beginning = Array(beginning.utf8)
            self.text = Array(text.utf8)
        }

        func read(at offset: Int64, count: Int) throws(ByteSourceError) -> Data {
            var filler = Data(text)
            while filler.count < count + text.count { filler += filler }
            let start = Int64(beginning.count)
            guard offset < start else {
                let skipped = Int((offset - start) % Int64(text.count))
                return Data(filler[skipped..<(skipped + count)])
            }
            return Data((beginning[Int(offset)...] + filler).prefix(count))
        }

        func close() {}
    }

    private static let manifest =
        "{\"metadata\": {\"title\": \"T\"}, \"readingOrder\": [{\"href\": \"1.jpg\", \"type\": \"image/jpeg\"}]}"

    @Test(
        "Only the directory and the documents with metadata are read of an archive of 20 MB",
        arguments: [
            (MediaType.cbz, "jpg", "ComicInfo.xml", "<ComicInfo><Title>T</Title></ComicInfo>"),
            (.zab, "mp3", "list.m3u8", "#EXTM3U\n#PLAYLIST:T\n1.mp3\n"),
            (.webPub, "html", "manifest.json", manifest),
            (.diViNa, "jpg", "manifest.json", manifest), (.audiobook, "mp3", "manifest.json", manifest),
        ])
    func archives(_ type: MediaType, _ ending: String, _ name: String, _ text: String) throws {
        var archive = TestArchive()
        let content = Data((0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 9) })
        for number in 1...20 { archive.add("\(number).\(ending)", content, deflated: false) }
        archive.add(name, text)
        for number in 21...40 { archive.add("\(number).\(ending)", content, deflated: false) }
        let source = CountingByteSource(archive.data)
        let info = try Publication.read(from: source, format: type)
        #expect(info.metadata.title == "T")
        #expect(info.shortcomings.isEmpty)
        #expect(source.bytes < 40_000)
        #expect(source.calls <= 6)
    }

    @Test(
        "A document without end is read up to its limit",
        arguments: [
            (MediaType.html, "<html><head><title>T</title></head><body>", "<p>x</p>", 256 << 10),
            (.opds1Entry, "<entry><title>T</title>", "<x>y</x>", 16 << 20), (.text, "", "words ", 0),
            (.pdf, "%PDF-1.7\n", "1 0 obj <<>> endobj\n", 8 << 20), (.cbz, "PK\u{3}\u{4}", "PK", 5 << 20),
            (MediaType("application/x-mobipocket-ebook") ?? .binary, "x", "y", 1 << 20),
        ])
    func endless(_ type: MediaType, _ beginning: String, _ text: String, _ limit: Int) {
        let source = CountingByteSource(Endless(beginning, text))
        // Some of these are refused and some are read; the test is about the cost.
        let title: String?
        do { title = try Publication.read(from: source, name: "T.x", format: type).metadata.title } catch {
            title = "T"
        }
        #expect(title == "T")
        #expect(source.bytes <= limit)
    }

    @Test("A manifest of more than 16 MiB is refused, and no more of it is read")
    func manifests() throws {
        let source = CountingByteSource(Endless("{\"metadata\": {\"title\": \"T\"}, \"x\": [1", ",1"))
        let error = #expect(throws: PublicationError.self) {
            try Publication.read(from: source, format: .webPubManifest)
        }
        #expect(error?.code == .tooLarge)
        #expect(source.bytes <= (16 << 20) + 1)
    }
}
