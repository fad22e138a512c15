import Archives
import Foundation
import TestSupport
import Testing

@Suite("An archive far away is opened and read by few requests")
struct RemoteTests {
    /// A book of about 5 MB: directory, package and cover where real books have them.
    private func book() -> Data {
        var builder = ZipBuilder()
        builder.entries = [
            ZipBuilder.Entry("mimetype", Data("application/epub+zip".utf8)),
            ZipBuilder.Entry("META-INF/container.xml", noise(250), method: 8),
            ZipBuilder.Entry("OEBPS/content.opf", noise(4_000), method: 8),
            ZipBuilder.Entry("OEBPS/cover.jpg", noise(60_000)),
        ]
        builder.entries += (0..<120).map { number in
            ZipBuilder.Entry("OEBPS/chapter\(number).xhtml", noise(41_000, seed: UInt64(number)), method: 8)
        }
        return builder.data()
    }

    @Test("A book of 5 MB is opened by one request, and package and cover take three more")
    func bookOverRequests() throws {
        let source = CountingSource(book())
        #expect(source.length > 4_900_000)
        let archive = try ZipArchive.open(source: source, readAhead: ReadAhead())
        #expect(source.reads.count == 1)
        for path in ["mimetype", "META-INF/container.xml", "OEBPS/content.opf"] {
            _ = try archive.read(try #require(archive.entry(path)))
        }
        #expect(source.reads.count == 2)
        let cover = try #require(archive.entry("OEBPS/cover.jpg"))
        #expect(try archive.read(cover) == noise(60_000))
        #expect(source.reads.count <= 4)
        #expect(source.bytesRead - cover.length < source.length * 3 / 100)
    }

    @Test("Nothing of an archive below 5 MiB is fetched twice")
    func keptBlocks() throws {
        let source = CountingSource(book())
        let archive = try ZipArchive.open(source: source, readAhead: ReadAhead())
        for _ in 0..<2 {
            for entry in archive.entries { _ = try archive.read(entry) }
        }
        let tail = Int64(ReadAhead().tail)
        #expect(source.bytesRead <= source.length + tail + Int64(ReadAhead().block))
        // Sequential reads request more and more at once.
        #expect(source.reads.count < 15)
    }

    @Test("Opening again through the same source reads the end no second time")
    func tailIsKept() throws {
        let source = CountingSource(book())
        let ahead = ReadAheadByteSource(source)
        _ = try ahead.read(at: source.length - 22, count: 22)
        _ = try ahead.read(at: source.length - 65_557, count: 65_557)
        _ = try ahead.read(at: source.length - 100, count: 1_000)
        #expect(source.reads.count == 1)
    }

    @Test(
        "Every range equals the slice of the source, regardless of the sizes",
        arguments: [512, 4_096, 40_000])
    func slices(_ block: Int) throws {
        let content = noise(150_000)
        var settings = ReadAhead()
        (settings.block, settings.tail, settings.kept, settings.longest) = (block, 3_000, 60_000, 20_000)
        let ahead = ReadAheadByteSource(CountingSource(content), settings)
        var randomness = SeededGenerator(seed: UInt64(block))
        for _ in 0..<500 {
            let start = Int.random(in: 0...160_000, using: &randomness)
            let count = Int.random(in: 0...50_000, using: &randomness)
            let wanted = content[min(start, content.count)..<min(start + count, content.count)]
            #expect(try ahead.read(at: Int64(start), count: count) == wanted)
        }
        #expect(try ahead.read(at: 0, count: .max) == content)
        #expect(try ahead.read(at: -4, count: 3) == content.prefix(3))
    }

    @Test("Memory for blocks stays within its bound, and a failed read is tried again")
    func bounds() throws {
        let content = noise(300_000)
        var settings = ReadAhead()
        (settings.block, settings.kept) = (10_000, 50_000)
        let source = CountingSource(content)
        let ahead = ReadAheadByteSource(source, settings)
        for start in stride(from: 0, to: 200_000, by: 10_000) {
            _ = try ahead.read(at: Int64(start), count: 10)
        }
        source.reset()
        _ = try ahead.read(at: 0, count: 10)
        #expect(source.reads.count == 1)
        ahead.close()
        #expect(throws: ByteSourceError.self) { try ahead.read(at: 0, count: 10) }
    }
}
