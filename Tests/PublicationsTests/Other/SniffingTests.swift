import Archives
import Formats
import Foundation
import Publications
import TestSupport
import Testing

@Suite("The format of a publication is recognised, and a wrong name does not mislead")
struct SniffingTests {
    private let epub = TestBook.archive(TestBook.package("<dc:title>T</dc:title>")).data

    @Test(
        "A book is read by path alone, under any name",
        arguments: ["b.epub", "b.pdf", "b.mobi", "b", "b.txt.cbr"])
    func names(name: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.path(name)
        try epub.write(to: URL(fileURLWithPath: path))
        let info = try Publication.read(path: path)
        #expect(info.format == .epub)
        #expect(info.metadata.title == "T")
    }

    @Test(
        "An archive that was cut short is read as far as it goes, under any name, and says so",
        arguments: ["b.epub", "b.pdf", "b", "b.zip"])
    func cutShort(name: String) throws {
        let cut = DataByteSource(epub.prefix(epub.count - 100))
        let info = try Publication.read(from: cut, name: name)
        #expect(info.format == .epub)
        #expect(info.metadata.title == "T")
        let first = try #require(info.shortcomings.first)
        #expect(first.code == .damagedPart)
        #expect(
            first.message.hasPrefix(
                "The archive is truncated or damaged: the directory at its end is missing. Only"))
    }

    @Test("Nothing is made up for an empty archive and for other archives")
    func nothingLeft() {
        for bytes in [epub.prefix(40), TestArchive(["a.xyz": "b"]).data] {
            let error = #expect(throws: PublicationError.self) {
                try Publication.read(from: DataByteSource(bytes), name: "b")
            }
            #expect(error?.code == .unsupportedFormat)
        }
    }

    @Test("A cover can be read after the file was opened by path")
    func cover() throws {
        let folder = try TemporaryFolder()
        var comic = TestArchive()
        comic.add("1.jpg", TestBook.image())
        let path = folder.path("c.cbz")
        try comic.data.write(to: URL(fileURLWithPath: path))
        #expect(try Publication.read(path: path).cover?.read() == TestBook.image())
    }

    @Test("Plain text is recognised by its name, and MOBI by its bytes")
    func ours() throws {
        let text = DataByteSource(Data("Hello".utf8))
        #expect(Publication.format(of: text, name: "a.TXT")?.mediaType == .text)
        #expect(Publication.format(of: text, name: "a") == nil)
        #expect(Publication.format(of: text, mediaTypes: ["text/plain; charset=utf-8"])?.mediaType == .text)
        let mobi = DataByteSource(Data(repeating: 0, count: 60) + Data("BOOKMOBI".utf8) + Data(count: 100))
        #expect(Publication.format(of: mobi)?.mediaType.string == "application/x-mobipocket-ebook")
        #expect(Publication.format(of: text, name: "a.azw3")?.name == "AZW3")
    }

    @Test(
        "An AZW3 is distinguished from a MOBI by its version, and the report names the sniffer",
        arguments: [(6, "mobi"), (8, "kindle"), (0, "mobi")])
    func versions(version: UInt8, sniffer: String) {
        var bytes = Data(count: 200)
        bytes.replaceSubrange(60..<68, with: Data("BOOKMOBI".utf8))
        bytes[81] = 90
        if version > 0 {
            bytes.replaceSubrange(106..<110, with: Data("MOBI".utf8))
            bytes[129] = version
        }
        let report = Format.explain(source: DataByteSource(bytes), sniffers: Publication.sniffers)
        #expect(report.sniffer == sniffer && report.round == .heavy)
        #expect(report.evidence?.hasPrefix("mark of a MOBI book") == true)
        let named = Format.explain(fileExtensions: ["azw"], sniffers: Publication.sniffers)
        #expect(named.sniffer == "kindle" && named.evidence == "extension azw")
    }

    @Test("A file that is not a publication is refused by its type, and an unknown file as such")
    func refused() {
        for (bytes, name, word) in [
            (Data("GIF89a".utf8), "a.gif", "image/gif"), (Data("hello".utf8), "a.xyz", "unknown"),
            (Data(), "a", "empty"),
        ] {
            do {
                _ = try Publication.read(from: DataByteSource(bytes), name: name)
                Issue.record("\(name) was read")
            } catch {
                #expect(error.code == .unsupportedFormat)
                #expect(error.message.contains(word))
            }
        }
    }

    @Test("A missing file is an error that says so")
    func missing() throws {
        let folder = try TemporaryFolder()
        do {
            _ = try Publication.read(path: folder.path("none.epub"))
            Issue.record("nothing was read")
        } catch {
            #expect(error.code == .notFound)
            #expect(error.subject?.hasSuffix("none.epub") == true)
        }
    }
}
