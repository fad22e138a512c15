import Foundation
import FoundationXML
import Testing

@testable import MarvinCommands

/// Difficult text for XML, the same each time.
struct NastyText: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 29
    }

    private static let pieces = [
        "\"", "'", "&", "<", ">", "]]>", "<![CDATA[", "-->", "<!--", "<?xml", "?>", "&amp;", "&foo;",
        "&#x41;", "&squot;",
        "\n", "\r", "\r\n", "\t", " ", "\u{0}", "\u{1}", "\u{8}", "\u{B}", "\u{1F}", "\u{7F}", "\u{85}",
        "\u{2028}",
        "\u{FFFD}", "\u{FFFE}", "\u{FFFF}", "\u{FEFF}", "😀", "𝕏", "\u{10FFFF}", "é", "e\u{301}", "日本語", "abc",
        "None",
        "</book>", "[", "]", "collections>", "<collections>", "timestamp=timestamp=",
    ]

    mutating func text() -> String {
        (0..<Int.random(in: 0...12, using: &self)).map { _ in
            NastyText.pieces.randomElement(using: &self) ?? ""
        }.joined()
    }

    /// The part of a text that XML 1.0 can contain.
    static func carried(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.filter { scalar in
                    switch scalar.value {
                    case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
                    default: false
                    }
                }))
    }

    static func items(_ texts: [String]) -> [String] {
        texts.map { carried($0).trimmingXMLSpace() }.filter { !$0.isEmpty }
    }
}

/// The result of a strict parser that does not use this module.
private func isWellFormed(_ bytes: [UInt8]) -> Bool {
    XMLParser(data: Data(bytes)).parse()
}

@Suite("The file is well-formed and comes back unchanged for all values")
struct WellFormedOutputTests {
    @Test("A command that deletes books is well-formed with any text", arguments: 0..<300)
    func delete(seed: UInt64) throws {
        var nasty = NastyText(seed: seed)
        let books = (0..<3).map { _ in
            DeleteBooks.Book(
                author: nasty.text(), title: nasty.text(), uuid: "u\(seed)", fileName: nasty.text())
        }
        let bytes = DeleteBooks(timestamp: CommandTimestamp(seconds: 5), books: books).encoded()
        #expect(isWellFormed(bytes))
        guard case .deleteBooks(let read) = try Command(decoding: bytes) else {
            Issue.record("another command was read")
            return
        }
        for (read, written) in zip(read.books, books) {
            #expect(exactly(read.author, NastyText.carried(written.author)))
            #expect(exactly(read.title, NastyText.carried(written.title)))
            #expect(exactly(read.fileName, NastyText.carried(written.fileName)))
        }
        #expect(read.books.count == 3)
    }

    @Test("Metadata are well-formed with any text", arguments: 0..<300)
    func update(seed: UInt64) throws {
        var nasty = NastyText(seed: seed &+ 1000)
        var book = UpdateMetadata.Book(fileName: nasty.text())
        book.title = nasty.text()
        book.titleSort = nasty.text()
        book.author = nasty.text()
        book.authorSort = nasty.text()
        book.publisher = nasty.text()
        book.series = nasty.text()
        book.description = nasty.text()
        book.collections = [nasty.text(), nasty.text()]
        book.subjects = [nasty.text(), nasty.text()]
        let bytes = UpdateMetadata(timestamp: CommandTimestamp(seconds: 5), books: [book]).encoded()
        #expect(isWellFormed(bytes))
        guard case .updateMetadata(let command) = try Command(decoding: bytes), let read = command.books.first
        else {
            Issue.record("another command was read")
            return
        }
        #expect(exactly(read.title, NastyText.carried(book.title)))
        #expect(exactly(read.titleSort, NastyText.carried(book.titleSort)))
        #expect(exactly(read.author, NastyText.carried(book.author)))
        #expect(exactly(read.authorSort, NastyText.carried(book.authorSort)))
        #expect(exactly(read.publisher, NastyText.carried(book.publisher)))
        #expect(exactly(read.series, NastyText.carried(book.series)))
        #expect(exactly(read.description ?? "missing", NastyText.carried(book.description ?? "")))
        #expect(read.collections == NastyText.items(book.collections ?? []))
        #expect(Set(read.subjects ?? []) == Set(NastyText.items(book.subjects ?? [])))
    }

    @Test("Commands that upload and rebuild collections are well-formed with any text", arguments: 0..<300)
    func collections(seed: UInt64) throws {
        var nasty = NastyText(seed: seed &+ 2000)
        let names = [nasty.text(), nasty.text(), nasty.text()]
        let image = (0..<Int(seed % 7)).map { _ in UInt8.random(in: 0...255, using: &nasty) }
        let cover = image.isEmpty ? nil : EmbeddedCover(hash: "h", data: image)
        let upload = UploadBooks(
            timestamp: CommandTimestamp(seconds: 5),
            books: [
                UploadBooks.Book(fileName: "f", coverHash: nasty.text(), cover: cover, collections: names)
            ])
        let rebuild = RebuildCollections(
            timestamp: CommandTimestamp(seconds: 5),
            books: [
                RebuildCollections.Book(
                    fileName: "f", title: nasty.text(), author: "a", uuid: "u", collections: names)
            ])
        #expect(isWellFormed(upload.encoded()))
        #expect(isWellFormed(rebuild.encoded()))
        guard case .uploadBooks(let uploaded) = try Command(decoding: upload.encoded()),
            case .rebuildCollections(let rebuilt) = try Command(decoding: rebuild.encoded())
        else {
            Issue.record("another command was read")
            return
        }
        #expect(uploaded.books.first?.collections == NastyText.items(names))
        #expect(uploaded.books.first?.cover == cover)
        #expect(rebuilt.books.first?.collections == NastyText.items(names))
    }

    @Test("A status is well-formed with any message", arguments: 0..<300)
    func status(seed: UInt64) throws {
        var nasty = NastyText(seed: seed &+ 3000)
        let messages = [nasty.text(), nasty.text()]
        let status = CommandStatus(
            timestamp: CommandTimestamp(seconds: 5), code: .warnings, progress: 0.25, messages: messages)
        #expect(isWellFormed(status.encoded()))
        #expect(try CommandStatus(decoding: status.encoded()).messages == NastyText.items(messages))
    }

    @Test("Line breaks and tabs in attributes survive a parser's normalisation")
    func lineBreaks() throws {
        let text = "one\ntwo\r\nthree\tfour\rfive"
        let command = DeleteBooks(
            timestamp: CommandTimestamp(seconds: 1),
            books: [DeleteBooks.Book(author: text, title: "t", uuid: "u", fileName: "f")])
        let file = String(decoding: command.encoded(), as: UTF8.self)
        #expect(file.contains(#"author="one&#10;two&#13;&#10;three&#9;four&#13;five""#))
        guard case .deleteBooks(let read) = try Command(decoding: command.encoded()) else {
            Issue.record("another command was read")
            return
        }
        #expect(read.books.first.map { exactly($0.author, text) } == true)
    }

    /// Compares scalars, because Swift treats differently composed characters as equal.
    private func exactly(_ left: String, _ right: String) -> Bool {
        left.unicodeScalars.elementsEqual(right.unicodeScalars)
    }
}
