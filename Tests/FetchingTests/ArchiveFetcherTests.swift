import Archives
import Fetching
import Foundation
import JSON
import TestSupport
import Testing

@Suite("An archive's entries are links and resources")
struct ArchiveFetcherTests {
    private static let key = "https://readium.org/webpub-manifest/properties#archive"

    private func builder() -> ZipBuilder {
        var builder = ZipBuilder(["mimetype": "application/epub+zip"], method: 0)
        builder.entries += ZipBuilder(["EPUB/": ""], method: 0).entries
        builder.entries +=
            ZipBuilder(["EPUB/z.xhtml": String(repeating: "text ", count: 100), "EPUB/a.css": "x"]).entries
        return builder
    }

    @Test("Links follow the archive's order, with HREF, type and properties, and without folders")
    func links() throws {
        let links = ArchiveFetcher(archive: try archive(builder())).links
        #expect(links.map(\.href) == ["/mimetype", "/EPUB/z.xhtml", "/EPUB/a.css"])
        #expect(links.map(\.type) == [nil, "application/xhtml+xml", "text/css"])
        #expect(links[0].properties["compressedLength"] == nil)
        #expect(links[0].properties[Self.key]?.object?["entryLength"] == .integer(20))
        #expect(links[0].properties[Self.key]?.object?["isEntryCompressed"] == .bool(false))
        let compressed = try #require(links[1].properties["compressedLength"]?.integer)
        #expect(compressed > 0 && compressed < 500)
        #expect(links[1].properties[Self.key]?.object?["entryLength"] == .integer(compressed))
        #expect(links[1].archiveEntry?.isCompressed == true && links[1].archiveEntry?.length == compressed)
    }

    @Test("The resource's link has the same properties and keeps the caller's own")
    func resourceLink() throws {
        let fetcher = ArchiveFetcher(archive: try archive(builder()))
        var own = JSONObject()
        own["page"] = .string("left")
        own["compressedLength"] = .integer(-1)
        let link = fetcher.get(Link(href: "/EPUB/z.xhtml", title: "T", properties: own)).link
        #expect(link.properties["page"] == .string("left") && link.title == "T")
        #expect(link.properties["compressedLength"] == fetcher.links[1].properties["compressedLength"])
        #expect(link.type == "application/xhtml+xml")
    }

    @Test("An archive object that lacks a member counts as absent")
    func incompleteObject() {
        var object = JSONObject()
        object["entryLength"] = .integer(1)
        var properties = JSONObject()
        properties[Self.key] = .object(object)
        #expect(Link(href: "/a", properties: properties).archiveEntry == nil)
        object["isEntryCompressed"] = .bool(true)
        properties[Self.key] = .object(object)
        #expect(Link(href: "/a", properties: properties).archiveEntry?.length == 1)
    }

    @Test(
        "Missing entries, folders and prefixes of entries are not found",
        arguments: ["/x", "/EPUB", "/EPUB/", "/EPUB/z", ""])
    func missing(_ href: String) throws {
        let fetcher = ArchiveFetcher(archive: try archive(builder()))
        #expect(fetcher.get(href: href).read() == .failure(.notFound()))
        #expect(fetcher.get(href: href).link.href == href)
    }

    @Test("After closing, the last list stays and every resource is unavailable")
    func closed() throws {
        let fetcher = ArchiveFetcher(archive: try archive(builder()))
        let resource = fetcher.get(href: "/mimetype")
        fetcher.close()
        fetcher.close()
        #expect(fetcher.links.count == 3)
        #expect(resource.read() == .failure(.unavailable()))
        #expect(resource.read(range: 0..<0) == .failure(.unavailable()))
        #expect(fetcher.get(href: "/mimetype").read() == .failure(.unavailable()))
        #expect(fetcher.get(href: "/absent").read() == .failure(.unavailable()))
        let late = ArchiveFetcher { () throws(ArchiveError) in throw ArchiveError(.malformed, "never opened")
        }
        late.close()
        #expect(late.links.isEmpty && late.get(href: "/a").read() == .failure(.unavailable()))
    }

    @Test("An archive given by path is opened at first use and not before")
    func late() throws {
        let folder = try TemporaryFolder()
        let fetcher = ArchiveFetcher(path: folder.path("late.zip"))
        let resource = fetcher.get(href: "/mimetype")
        #expect(resource.link == Link(href: "/mimetype"))
        try builder().data().write(to: URL(fileURLWithPath: folder.path("late.zip")))
        #expect(try resource.readAsString().get() == "application/epub+zip")
        #expect(resource.link.archiveEntry?.length == 20)
        #expect(fetcher.links.count == 3)
    }

    @Test("Sequential chunks through a resource inflate a large entry once")
    func chunks() throws {
        let content = noise(3 << 20)
        var builder = ZipBuilder()
        builder.entries = [ZipBuilder.Entry("a.bin", content, method: 8)]
        let noted = NotingResource(builder.data())
        let fetcher = ArchiveFetcher(archive: try ZipArchive.open(source: ResourceByteSource(noted)))
        let resource = fetcher.get(href: "/a.bin")
        for start in stride(from: 0, to: Int64(content.count), by: 16 << 10) {
            let chunk = try resource.read(range: start..<(start + 16 << 10)).get()
            #expect(chunk == content[Int(start)..<Int(start) + 16 << 10])
        }
        let bytes = noted.reads.compactMap(\.self).reduce(0) {
            $0 + min($1.upperBound, Int64(builder.data().count)) - $1.lowerBound
        }
        #expect(bytes < Int64(builder.data().count) + 20_000)
    }

    @Test("An archive inside a resource is opened by few reads")
    func remote() throws {
        var builder = ZipBuilder()
        builder.entries = (0..<100).map { ZipBuilder.Entry("\($0).html", noise(40_000)) }
        let noted = NotingResource(builder.data())
        let fetcher = ArchiveFetcher(archive: try ZipArchive.open(resource: noted))
        #expect(fetcher.links.count == 100)
        #expect(noted.reads.count == 1)
        #expect(try fetcher.get(href: "/50.html").read().get() == noise(40_000))
        #expect(noted.reads.count == 2)
        fetcher.close()
        #expect(noted.closeCount == 1)
    }

    @Test("Real books are served whole", arguments: try RealBooks.some())
    func realBooks(_ book: URL) throws {
        let fetcher = ArchiveFetcher(path: book.path)
        #expect(try fetcher.get(href: "/META-INF/container.xml").readAsString().get().contains("rootfile"))
        for link in fetcher.links {
            let resource = fetcher.get(link)
            #expect(try resource.read().get().count == Int(resource.length.get()))
        }
    }
}
