import Formats
import Archives
import Foundation
import Publications
import TestSupport
import Testing

@Suite("Reading an EPUB costs few and small reads")
struct ReadingCostTests {
    @Test("Title and cover of a 5 MB book on a device take at most 12 reads, and 3 % beside the cover")
    func largeBook() throws {
        var archive = TestBook.archive(
            TestBook.package(
                "<dc:title>T</dc:title>",
                manifest: "<item id='c' href='cover.jpg' media-type='image/jpeg' properties='cover-image'/>"))
        var generator = SeededGenerator(seed: 5)
        func noise(_ count: Int) -> Data {
            Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
        }
        let cover = noise(200_000)
        for chapter in 0..<60 {
            archive.add("OEBPS/text/chapter\(chapter).xhtml", noise(80_000), deflated: false)
        }
        archive.add("OEBPS/cover.jpg", cover, deflated: false)
        let whole = archive.data
        #expect(whole.count > 5_000_000)
        let source = CountingByteSource(whole)
        let info = try Publication.read(from: source, format: .epub)
        #expect(info.metadata.title == "T")
        #expect(source.bytes < 40_000)
        #expect(try info.cover?.read() == cover)
        #expect(source.calls <= 12)
        #expect(source.bytes - cover.count < whole.count * 3 / 100)
    }

    @Test("Metadata alone reads the directory, the container and the package document, not the cover")
    func nothingElse() throws {
        let book = try Data(contentsOf: RealBooks.developersReference())
        let source = CountingByteSource(book)
        let info = try Publication.read(from: source, format: .epub)
        #expect(info.metadata.title != nil)
        #expect(source.calls <= 6)
        #expect(source.bytes < book.count / 5)
        #expect(!source.isClosed)
    }
}
