import Archives
import Formats
import Foundation
import Publications
import Testing

/// The metadata of a MOBI file in memory.
func readMOBI(_ bytes: [UInt8], name: String? = nil) throws -> PublicationInfo {
    try Publication.read(
        from: DataByteSource(Data(bytes)), name: name, format: MOBIReader.mediaTypes[0])
}

@Suite("The records of a MOBI file become metadata")
struct MOBIMetadataTests {
    @Test("Every record with a meaning has its place")
    func everything() throws {
        var book = MOBIBuilder()
        book.fullName = Array("Full Name".utf8)
        book.add(503, "A Title")
        book.add(100, "Doe, Jane")
        book.add(100, "John Smith")
        book.add(101, "House")
        book.add(103, "<p>About &amp; more</p>")
        book.add(104, "9783161484100")
        book.add(105, "one; two")
        book.add(105, "three")
        book.add(106, "2010-05-04T00:00:00+00:00")
        book.add(108, "calibre (5.1) [https://calibre-ebook.com]")
        book.add(108, "Helper")
        book.add(109, "All rights")
        book.add(113, "B00ABCDEFG")
        book.add(524, "de")
        let info = try readMOBI(book.bytes)
        let metadata = info.metadata
        #expect(metadata.title == "A Title")
        #expect(metadata.authors.map(\.name) == ["Doe, Jane", "John Smith"])
        #expect(metadata.publisher == "House")
        #expect(metadata.description == "<p>About &amp; more</p>")
        #expect(metadata.isbn == "9783161484100")
        #expect(metadata.subjects == ["one", "two", "three"])
        #expect(metadata.published?.description == "2010-05-04T00:00:00Z")
        #expect(metadata.contributors.map(\.roles) == [["bkp"], ["ctb"]])
        #expect(metadata.rights == "All rights")
        #expect(metadata.identifiers.contains(PublicationIdentifier(scheme: "asin", value: "B00ABCDEFG")))
        #expect(metadata.languages == ["de"])
        #expect(metadata.pageCount == nil)
        #expect(info.shortcomings.isEmpty)
    }

    @Test("A UUID in place of Amazon's number is a UUID")
    func uuid() throws {
        var book = MOBIBuilder()
        book.add(503, "T")
        book.add(113, "0f8fad5b-d9cb-469f-a165-70867728950e")
        #expect(try readMOBI(book.bytes).metadata.uuid == "0f8fad5b-d9cb-469f-a165-70867728950e")
    }

    @Test(
        "The title is the title record, else the full name, the database's name or the file's name"
    )
    func titles() throws {
        var book = MOBIBuilder()
        book.fullName = Array("Tom &amp; Jerry &#8212; &unknown;".utf8)
        #expect(try readMOBI(book.bytes).metadata.title == "Tom & Jerry \u{2014} &unknown;")
        book.fullName = []
        #expect(try readMOBI(book.bytes).metadata.title == "Database name")
        book.name = ""
        let info = try readMOBI(book.bytes, name: "file.mobi")
        #expect(info.metadata.title == "file")
        #expect(info.shortcomings.map(\.code) == [.missingTitle])
    }

    @Test("Texts are Windows-1252 or UTF-8, as the header says and as they are")
    func encodings() throws {
        var book = MOBIBuilder()
        book.encoding = 1_252
        book.extra = [(503, [0x93, 0x44, 0xE9, 0x94, 0x80])]
        #expect(try readMOBI(book.bytes).metadata.title == "\u{201C}Dé\u{201D}\u{20AC}")
        book.extra = [(503, Array("日本".utf8))]
        #expect(try readMOBI(book.bytes).metadata.title == "日本")
        book.encoding = 65_001
        book.extra = [(503, [0x41, 0xFF])]
        #expect(try readMOBI(book.bytes).metadata.title == "A\u{FFFD}")
    }

    @Test(
        "The header's language is used if no record states one",
        arguments: [
            (0x0409, ["en-US"]), (9, ["en"]), (0x0416, ["pt-BR"]), (0x11, ["ja"]), (0, []), (0x3FF, []),
        ])
    func languages(locale: Int, tags: [String]) throws {
        var book = MOBIBuilder()
        book.locale = locale
        #expect(try readMOBI(book.bytes).metadata.languages == tags)
    }

    @Test("A protected book gives its metadata, and says that it is protected", arguments: [1, 2])
    func protected(encryption: Int) throws {
        var book = MOBIBuilder()
        book.encryption = encryption
        book.add(503, "T")
        let info = try readMOBI(book.bytes)
        #expect(info.metadata.title == "T")
        #expect(info.shortcomings.map(\.code) == [.encrypted])
    }

    @Test("In a file for old and new readers, the new part adds values that the other lacks")
    func combined() throws {
        var newer = MOBIBuilder()
        newer.version = 8
        newer.add(503, "New Title")
        newer.add(524, "fr")
        var book = MOBIBuilder()
        book.fullName = Array("Old Name".utf8)
        book.add(100, "Author")
        book.add(121, number: 4)
        book.second = newer.header
        let info = try readMOBI(book.bytes)
        #expect(info.metadata.title == "New Title")
        #expect(info.metadata.authors.map(\.name) == ["Author"])
        #expect(info.metadata.languages == ["fr"])
        book.add(503, "Old Title")
        #expect(try readMOBI(book.bytes).metadata.title == "Old Title")
    }

    @Test("A PalmDOC text without a MOBI header has the name of its database")
    func palmDOC() throws {
        var book = MOBIBuilder()
        book.kind = "TEXtREAd"
        var bytes = book.bytes
        let header = try #require(bytes.firstIndex(of: UInt8(ascii: "M")))
        bytes[header] = UInt8(ascii: "X")
        #expect(try readMOBI(bytes).metadata.title == "Database name")
    }

    @Test("Both media types of MOBI books are read")
    func formats() throws {
        #expect(
            MOBIReader.mediaTypes.map(\.string) == [
                "application/x-mobipocket-ebook", "application/vnd.amazon.ebook",
            ])
        #expect(MOBIReader.mediaTypes.allSatisfy { Publication.canRead($0) })
    }
}
