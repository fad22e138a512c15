import Archives
import Fetching
import Foundation
import HTTPTestSupport
import TestSupport
import Testing

@Suite("An archive behind HTTP is read by its directory") struct HTTPArchiveTests {
    private let folder: TemporaryFolder
    private let size: Int
    private static let chapter = Data("<html>It was a dark night.</html>".utf8)

    /// Three megabytes that are not requested, with a chapter in the middle.
    init() throws {
        folder = try TemporaryFolder()
        var zip = ZipBuilder()
        zip.entries = [
            .init("mimetype", Data("application/epub+zip".utf8)),
            .init("before.bin", ScriptedContent.bytes(0..<1_500_000)),
            .init("chapter.xhtml", Self.chapter, method: 8),
            .init("after.bin", ScriptedContent.bytes(0..<1_500_000, seed: 2)),
        ]
        let data = zip.data()
        size = data.count
        try data.write(to: URL(fileURLWithPath: folder.path("book.epub")))
    }

    @Test("Few requests and few bytes open it and read one entry")
    func oneEntry() throws {
        let server = try ScriptedServer()
        let archive = try ZipArchive.open(
            resource: server.resource("/r/book.epub?etag=%22v1%22&file=\(folder.path("book.epub"))"))
        #expect(archive.entries.count == 4)
        let entry = try #require(archive.entry("chapter.xhtml"))
        #expect(try archive.read(entry) == Self.chapter)
        archive.close()
        let requests = try server.requests("/r/book.epub")
        #expect(requests.map(\.method) == ["HEAD"] + Array(repeating: "GET", count: requests.count - 1))
        #expect(requests.count <= 4)
        let asked = requests.compactMap { Self.bytes($0.range) }
        #expect(asked.count == requests.count - 1)
        #expect(asked.reduce(0, +) < 200_000)
        #expect(size > 3_000_000)
    }

    @Test("The fetcher of an archive serves its entries from there")
    func fetcher() throws {
        let server = try ScriptedServer()
        let target = "/r/book.epub?file=\(folder.path("book.epub"))"
        let fetcher = ArchiveFetcher { () throws(ArchiveError) in
            try ZipArchive.open(resource: server.resource(target))
        }
        #expect(try server.requests("/r/book.epub").isEmpty)
        #expect(fetcher.links.map(\.href) == ["/mimetype", "/before.bin", "/chapter.xhtml", "/after.bin"])
        #expect(try fetcher.get(href: "/chapter.xhtml#top").read().get() == Self.chapter)
        #expect(
            try fetcher.get(href: "/after.bin").read(range: 1_400_000..<1_400_010).get()
                == ScriptedContent.bytes(1_400_000..<1_400_010, seed: 2))
        fetcher.close()
        #expect(fetcher.get(href: "/mimetype").read().failure == .unavailable())
    }

    /// The number of bytes that `bytes=a-b` requests.
    private static func bytes(_ range: String?) -> Int? {
        let ends = range?.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
        guard let ends, ends.count == 2 else { return nil }
        return ends[1] - ends[0] + 1
    }
}
