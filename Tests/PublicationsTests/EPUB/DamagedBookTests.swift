import Formats
import Archives
import Foundation
import Publications
import TestSupport
import Testing

@Suite("A damaged or hostile EPUB costs no more than a message")
struct DamagedBookTests {
    private let package = TestBook.package(
        "<dc:title>Täst</dc:title><dc:creator>A</dc:creator>",
        manifest: "<item id='c' href='c.jpg' media-type='image/jpeg' properties='cover-image'/>")

    @Test("Without a container the package document is found by its name")
    func noContainer() throws {
        let info = try TestArchive(["x/y/deep.opf": "<package/>", "book.opf": package]).epub()
        #expect(info.metadata.title == "Täst")
        #expect(info.shortcomings.map(\.code).contains(.missingPart))
    }

    @Test("A container that names no document or a missing one is ignored")
    func wrongContainer() throws {
        for container in [
            "<container/>", "not xml", TestBook.container.replacing("content.opf", with: "gone.opf"),
        ] {
            let info = try TestArchive(["META-INF/container.xml": container, "OEBPS/b.opf": package]).epub()
            #expect(info.metadata.title == "Täst")
        }
    }

    @Test("The first of several renditions counts, and other documents do not")
    func severalRootfiles() throws {
        let container = """
            <container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
            <rootfile full-path="b.pdf" media-type="application/pdf"/>
            <rootfile full-path="one.opf" media-type="application/oebps-package+xml"/>
            <rootfile full-path="two.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
            """
        let info = try TestArchive([
            "META-INF/container.xml": container, "two.opf": TestBook.package("<dc:title>2</dc:title>"),
            "one.opf": TestBook.package("<dc:title>1</dc:title>"), "b.pdf": "%PDF",
        ]).epub()
        #expect(info.metadata.title == "1")
        #expect(info.shortcomings.isEmpty)
    }

    @Test("An archive without a package document gives nothing but shortcomings")
    func noPackage() throws {
        let info = try TestArchive(["mimetype": "application/epub+zip"]).epub()
        #expect(info.metadata == PublicationMetadata(title: "file"))
        #expect(info.shortcomings.map(\.code) == [.missingPart, .missingPart, .missingTitle])
    }

    @Test(
        "The error for an empty file says that it is empty",
        arguments: ["book.epub", "book.pdf", "book.mobi"])
    func empty(name: String) {
        let error = #expect(throws: PublicationError.self) {
            try Publication.read(from: DataByteSource(Data()), name: name)
        }
        #expect(error?.code == .damaged)
        #expect(error?.message == "The file is empty.")
    }

    @Test("A file that is not an archive is an error")
    func noArchive() {
        for bytes in [Data(), Data("PK".utf8), Data(repeating: 7, count: 100_000)] {
            do {
                _ = try Publication.read(from: DataByteSource(bytes), name: "n", format: .epub)
                Issue.record("\(bytes.count) bytes were read")
            } catch {
                #expect(error.code == .damaged)
                #expect(error.subject == "n")
            }
        }
    }

    @Test("A package document in UTF-16, Latin-1 or cut off is read")
    func encodings() throws {
        let wide =
            Data([0xFF, 0xFE])
            + package.utf16.reduce(into: Data()) { $0 += [UInt8($1 & 0xFF), UInt8($1 >> 8)] }
        let latin = Data(
            package.replacing("utf-8", with: "iso-8859-1").unicodeScalars.map {
                UInt8(truncatingIfNeeded: $0.value)
            })
        let end = try #require(package.firstRange(of: "</dc:creator>")).upperBound
        let cut = Data(package[..<end].utf8)
        for (bytes, isSound) in [(wide, true), (latin, true), (cut, false)] {
            var archive = TestArchive(["META-INF/container.xml": TestBook.container])
            archive.add("OEBPS/content.opf", bytes)
            let info = try archive.epub()
            #expect(info.metadata.title == "Täst")
            #expect(info.metadata.authors.map(\.name) == ["A"])
            #expect(!info.shortcomings.contains { $0.code == .damagedPart } == isSound)
        }
    }

    @Test("Entities that a document declares are not expanded, and that is reported")
    func entities() throws {
        let info = try TestBook.archive(
            "<!DOCTYPE package [<!ENTITY e SYSTEM 'file:///etc/passwd'><!ENTITY f 'boom'>]>"
                + "<package><metadata><title>a&e;&f;b</title></metadata></package>"
        ).epub()
        #expect(info.metadata.title == "ab")
        #expect(info.shortcomings.map(\.code).contains(.entitiesDeclared))
    }

    @Test("Only the beginning of a package document that is too large is read, and that is reported")
    func huge() throws {
        let items = String(repeating: "<item id='x' href='y' media-type='z'/>", count: 150_000)
        let info = try TestBook.archive(
            TestBook.package("<dc:title>T</dc:title>", manifest: items)
        ).epub()
        #expect(info.metadata.title == "T")
        #expect(info.shortcomings.first?.code == .tooLarge)
    }

    @Test("A package document with a wrong checksum is read, and one that is encrypted is not")
    func unreadable() throws {
        var damaged = TestArchive(["META-INF/container.xml": TestBook.container])
        damaged.add("OEBPS/content.opf", Data(package.utf8), hasWrongChecksum: true)
        let info = try damaged.epub()
        #expect(info.metadata.title == "Täst")
        #expect(info.shortcomings.first?.code == .unreadablePart)
        var encrypted = TestArchive(["META-INF/container.xml": TestBook.container])
        encrypted.add("OEBPS/content.opf", Data(package.utf8), isEncrypted: true)
        #expect(try encrypted.epub().shortcomings.map(\.code) == [.encrypted, .missingTitle])
    }

    @Test("A file with any changed byte, or without its end, is read or refused, never trapped on")
    func changedBytes() throws {
        var archive = TestArchive(["META-INF/container.xml": TestBook.container])
        archive.add("OEBPS/content.opf", Data(package.utf8), deflated: false)
        archive.add("OEBPS/c.jpg", TestBook.image(64), deflated: false)
        let whole = archive.data
        var read = 0
        for index in whole.indices {
            for value in [0x00, 0x22, 0x3C, 0x3E, 0x80, 0xFF] as [UInt8] {
                var bytes = whole
                bytes[index] = value
                read += try readable(bytes) ? 1 : 0
            }
            read += try readable(Data(whole[..<index])) ? 1 : 0
        }
        // Most changes are in a text.
        #expect(read > whole.count * 5)
    }

    private func readable(_ bytes: Data) throws -> Bool {
        do {
            let info = try Publication.read(from: DataByteSource(bytes), name: "n.epub", format: .epub)
            #expect(info.metadata.title != nil)
            do { _ = try info.cover?.read() } catch { #expect(!error.message.isEmpty) }
            return true
        } catch {
            #expect(!error.message.isEmpty)
            return false
        }
    }

    @Test("The beginning of a book that was cut off is read")
    func brokenOff() throws {
        var archive = TestBook.archive(package)
        let beginning = archive.data.count
        archive.add("OEBPS/c.jpg", TestBook.image())
        archive.add("OEBPS/x.html", TestBook.image(50_000), deflated: false)
        for (cut, hasCover) in [
            (beginning, false), (archive.data.count / 2, true), (archive.data.count - 30, true),
        ] {
            let bytes = Data(archive.data.prefix(cut))
            let info = try Publication.read(from: DataByteSource(bytes), name: "n.epub", format: .epub)
            #expect(info.metadata.title == "Täst")
            #expect(info.shortcomings.first?.code == .damagedPart)
            #expect((info.cover != nil) == hasCover)
            if let cover = info.cover { #expect(try cover.read() == TestBook.image()) }
        }
        #expect(throws: PublicationError.self) {
            try Publication.read(from: DataByteSource(Data(archive.data.prefix(40))), format: .epub)
        }
    }

    @Test("Files whose lengths follow them are found in a broken copy too")
    func descriptors() throws {
        var archive = TestArchive(["META-INF/container.xml": TestBook.container], hasDescriptors: true)
        archive.add("OEBPS/content.opf", package)
        archive.add("rest", "rest")
        let bytes = Data(archive.data.prefix(archive.data.count - 200))
        let info = try Publication.read(from: DataByteSource(bytes), format: .epub)
        #expect(info.metadata.title == "Täst")
        #expect(info.shortcomings.first?.code == .damagedPart)
    }

    @Test("Real books with random bytes changed never trap", arguments: [1, 2, 3, 4] as [UInt64])
    func noise(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let whole = try Data(contentsOf: RealBooks.developersReference())
        var titles = 0
        for _ in 0..<40 {
            var bytes = whole
            for _ in 0..<20 {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[index] = UInt8.random(in: 0...255, using: &generator)
            }
            titles += try readable(bytes) ? 1 : 0
        }
        #expect(titles > 20)
    }
}
