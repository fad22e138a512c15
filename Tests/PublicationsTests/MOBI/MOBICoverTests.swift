import Archives
import Formats
import Foundation
import Publications
import Testing

@Suite("The cover of a MOBI file is the record that its header names")
struct MOBICoverTests {
    private let png: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 1, count: 100)
    private let gif = Array("GIF89a".utf8) + [UInt8](repeating: 2, count: 100)

    private func book(_ images: [[UInt8]], _ offsets: [Int: Int] = [:]) -> MOBIBuilder {
        var book = MOBIBuilder()
        book.add(503, "T")
        for (kind, offset) in offsets.sorted(by: { $0.key < $1.key }) { book.add(kind, number: offset) }
        book.images = images
        return book
    }

    @Test("The cover is counted from the first image")
    func named() throws {
        let info = try readMOBI(book([jpegBytes, png, gif], [201: 1, 202: 2]).bytes)
        let cover = try #require(info.cover)
        #expect(cover.mediaType == .png)
        #expect(cover.size == Int64(png.count))
        #expect([UInt8](try cover.read()) == png)
        #expect(info.shortcomings.isEmpty)
    }

    @Test("The last record reaches to the end of the file")
    func last() throws {
        let cover = try #require(try readMOBI(book([jpegBytes, gif], [201: 1]).bytes).cover)
        #expect([UInt8](try cover.read()) == gif)
    }

    @Test("Without a named one it is the first image")
    func first() throws {
        let info = try readMOBI(book([jpegBytes, png]).bytes)
        #expect(info.cover?.mediaType == .jpeg)
        #expect(info.shortcomings.isEmpty)
        let unnamed = try readMOBI(book([jpegBytes, png], [201: 0xFFFF_FFFF]).bytes)
        #expect(unnamed.cover?.mediaType == .jpeg)
        #expect(unnamed.shortcomings.isEmpty)
    }

    @Test("When the named one is not an image, another is taken, and that is said")
    func wrong() throws {
        let info = try readMOBI(
            book([jpegBytes, Array(repeating: 7, count: 99), gif], [201: 1, 202: 2]).bytes)
        #expect(info.cover?.mediaType == .gif)
        #expect(info.shortcomings.map(\.code) == [.missingCover])
        let far = try readMOBI(book([jpegBytes], [201: 900]).bytes)
        #expect(far.cover?.mediaType == .jpeg)
        #expect(far.shortcomings.map(\.code) == [.missingCover])
    }

    @Test("A book without images has no cover, which is not reported")
    func none() throws {
        let info = try readMOBI(book([]).bytes)
        #expect(info.cover == nil)
        #expect(info.shortcomings.isEmpty)
    }
}

@Suite("A MOBI file far away is read in few requests")
struct MOBIRequestTests {
    private func large(_ cover: [UInt8]) -> [UInt8] {
        var book = MOBIBuilder()
        book.add(503, "Far")
        book.add(201, number: 0)
        book.textRecords = 700
        book.images = [cover]
        return book.bytes
    }

    @Test("The metadata take one request, the kind of cover one, and the cover one")
    func requests() throws {
        let image = jpegBytes + [UInt8](repeating: 3, count: 50_000)
        let source = FarSource(large(image))
        let info = try Publication.read(from: source, format: MOBIReader.mediaTypes[1])
        #expect(info.metadata.title == "Far")
        #expect(source.length > 2_500_000)
        #expect(source.requests.map(\.count) == [65_536, 16])
        #expect([UInt8](try #require(info.cover).read()) == image)
        #expect(source.requests.count == 3)
    }

    @Test("A source that fails is an error at first, a shortcoming for the cover later")
    func failure() throws {
        let bytes = large(jpegBytes)
        let error = #expect(throws: PublicationError.self) {
            try Publication.read(from: FarSource(bytes, failsFrom: 1), format: MOBIReader.mediaTypes[0])
        }
        #expect(error?.code == .unreadable)
        let info = try Publication.read(
            from: FarSource(bytes, failsFrom: 2), format: MOBIReader.mediaTypes[0])
        #expect(info.metadata.title == "Far")
        #expect(info.cover == nil)
        #expect(info.shortcomings.map(\.code) == [.unreadablePart])
    }
}
