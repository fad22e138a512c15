import Archives
import Formats
import Foundation
import Publications
import Testing

@Suite("Audio books in ZIP archives, texts and pages are read")
struct SimpleFormatTests {
    private func read(_ bytes: Data, _ name: String?, _ format: MediaType) throws -> PublicationInfo {
        try Publication.read(from: DataByteSource(bytes), name: name, format: format)
    }

    @Test("A playlist gives an audio book its title, author and length")
    func playlist() throws {
        var archive = TestArchive([
            "a/01.mp3": "x", "a/02.mp3": "y",
            "a/list.m3u8": """
            #EXTM3U
            #PLAYLIST: The Title
            #EXTART:Somebody
            #EXTINF:61.5,One
            01.mp3
            #EXTINF:60 x="y",Two
            02.mp3
            """,
        ])
        archive.add("a/folder.jpg", TestBook.image(70))
        let info = try read(archive.data, "b.zab", .zab)
        #expect(info.metadata.title == "The Title")
        #expect(info.metadata.authors == [Contributor("Somebody")])
        #expect(info.metadata.duration == 121.5)
        #expect(info.cover?.href == "a/folder.jpg")
        #expect(info.shortcomings.isEmpty)
    }

    @Test("Without a playlist the one folder is the title, else the file's name")
    func folders() throws {
        let one = TestArchive(["My Book/CD1/01.mp3": "x", "My Book/CD2/01.mp3": "y", "__MACOSX/z": ""])
        #expect(try read(one.data, "b.zab", .zab).metadata.title == "My Book")
        let two = TestArchive(["CD1/01.mp3": "x", "CD2/01.mp3": "y"])
        let info = try read(two.data, "b.zab", .zab)
        #expect(info.metadata.title == "b")
        #expect(info.cover == nil)
        #expect(info.shortcomings.map(\.code) == [.missingTitle])
    }

    @Test("A playlist with a track of unknown length states none")
    func unknownLength() throws {
        let archive = TestArchive(["l.m3u": "#EXTALB:Album\n#EXTINF:-1,x\na.mp3\n#EXTINF:5,y\nb.mp3\n"])
        let info = try read(archive.data, nil, .zab)
        #expect(info.metadata.title == "Album")
        #expect(info.metadata.duration == nil)
    }

    @Test("A text's title is its file's name and nothing more is guessed")
    func text() throws {
        let info = try read(Data("Title: X".utf8), "Jane Doe - A Title.txt", .text)
        #expect(info.metadata == PublicationMetadata(title: "Jane Doe - A Title"))
        #expect(info.shortcomings.map(\.code) == [.missingTitle])
    }

    @Test("A page has its title, language and names in its head")
    func page() throws {
        let page = """
            <!DOCTYPE html><html lang="en"><head><title>
            A  Page</title><meta name="author" content="Jane Doe"><meta name="description" content="D">
            <meta name="keywords" content="a, b,a"><meta name="DC.date" content="2001-02-03"></head><body>…
            """
        let info = try read(Data(page.utf8), "p.html", .html)
        #expect(info.metadata.title == "A Page")
        #expect(info.metadata.authors == [Contributor("Jane Doe")])
        #expect(info.metadata.languages == ["en"])
        #expect(info.metadata.description == "D")
        #expect(info.metadata.subjects == ["a", "b"])
        #expect(info.metadata.published?.dayText == "2001-02-03")
        #expect(info.shortcomings.isEmpty)
        #expect(try read(Data("<p>x".utf8), "p.html", .html).metadata.title == "p")
    }

    @Test("The format's charset counts for a page that states none")
    func charset() throws {
        let type = try #require(MediaType("text/html;charset=koi8-r"))
        let bytes = Data("<title>".utf8) + Data([0xC4, 0xC1]) + Data("</title>".utf8)
        #expect(try read(bytes, nil, type).metadata.title == "да")
    }

    @Test("A format that nothing here reads is refused by its name")
    func unsupported() throws {
        do {
            _ = try read(Data("x".utf8), "f.gz", .gz)
            Issue.record("a gzip file was read")
        } catch let error as PublicationError {
            #expect(error.code == .unsupportedFormat)
            #expect(error.message.contains("application/gzip"))
        }
        #expect(!Publication.canRead(.gz))
        #expect(Publication.canRead(.epub))
        #expect(Publication.canRead(try #require(MediaType("application/epub+zip;charset=binary"))))
    }

    @Test("A source that cannot be read is an error of every format")
    func closedSource() {
        for format in [.epub, .cbz, .webPub, .webPubManifest, .zab, .html, .opds1Entry] as [MediaType] {
            let source = DataByteSource(Data("x".utf8))
            source.close()
            do {
                _ = try Publication.read(from: source, name: "n", format: format)
                Issue.record("\(format.string) was read from a closed source")
            } catch {
                #expect(error.code == .unreadable)
            }
        }
    }
}
