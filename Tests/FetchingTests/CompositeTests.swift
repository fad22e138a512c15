import Fetching
import Foundation
import JSON
import Synchronization
import TestSupport
import Testing

@Suite("Composites delegate in the order they were given")
struct CompositeTests {
    private let link = Link(href: "/a")

    @Test("A proxy asks its closure at each get, has no links, and does nothing on close")
    func proxy() throws {
        let calls = Mutex(0)
        let fetcher = ProxyFetcher { link in
            calls.withLock { $0 += 1 }
            return StringResource(link: link, string: "x")
        }
        _ = fetcher.get(link)
        _ = fetcher.get(link)
        fetcher.close()
        #expect(calls.withLock { $0 } == 2 && fetcher.links.isEmpty)
        #expect(try fetcher.get(link).readAsString().get() == "x")
        #expect(try ProxyFetcher(text: { $0.href }).get(link).readAsString().get() == "/a")
    }

    @Test("The first route that accepts serves the link, even if its resource fails")
    func routing() throws {
        let failing = ProxyFetcher { FailureResource(link: $0, error: .forbidden()) }
        let other = NotingFetcher()
        let fetcher = RoutingFetcher(routes: [
            .init(fetcher: failing, accepts: { $0.href.hasPrefix("/x") }),
            .init(fetcher: other, accepts: { $0.href.hasPrefix("/") }),
        ])
        #expect(fetcher.get(href: "/x").read() == .failure(.forbidden()))
        #expect(try fetcher.get(href: "/y").readAsString().get() == "/y")
        #expect(other.hrefs == ["/y"])
        let missing = fetcher.get(href: "z")
        #expect(missing.read() == .failure(.notFound()) && missing.link.href == "z")
    }

    @Test("A link with a leading slash is local and any other remote, and lists are joined with duplicates")
    func localAndRemote() {
        let local = NotingFetcher(links: [link])
        let remote = NotingFetcher(links: [link, Link(href: "http://h/b")])
        let fetcher = RoutingFetcher(local: local, remote: remote)
        for href in ["/a", "a.html", "http://h/b"] { _ = fetcher.get(href: href) }
        #expect(local.hrefs == ["/a"] && remote.hrefs == ["a.html", "http://h/b"])
        #expect(fetcher.links.map(\.href) == ["/a", "/a", "http://h/b"])
    }

    @Test("Each child is closed once, however many routes share it")
    func closing() {
        let shared = NotingFetcher()
        let other = NotingFetcher()
        RoutingFetcher(routes: [
            .init(fetcher: shared), .init(fetcher: EmptyFetcher()), .init(fetcher: other),
            .init(fetcher: shared),
        ]).close()
        #expect(shared.closeCount == 1 && other.closeCount == 1)
    }

    @Test("Transformers apply in order, at each get, and forward links and close")
    func transforming() throws {
        let child = NotingFetcher(links: [link])
        func append(_ text: String) -> TransformingFetcher.Transformer {
            { resource in TransformingResource(resource) { $0 + Data(text.utf8) } }
        }
        let fetcher = TransformingFetcher(fetcher: child, transformers: [append("1"), append("2")])
        #expect(try fetcher.get(link).readAsString().get() == "/a12")
        #expect(fetcher.links == [link])
        fetcher.close()
        #expect(child.closeCount == 1)
    }

    @Test("A transformer that does not apply returns the very resource")
    func notApplied() throws {
        let resource = NotingResource(Data())
        let fetcher = TransformingFetcher(fetcher: ProxyFetcher { _ in resource }) { $0 }
        #expect((fetcher.get(link) as? NotingResource) === resource)
    }

    @Test("Nothing is read while wrapping, the transform runs once, and failures pass through")
    func transformingResource() throws {
        let child = NotingResource(Data("0123456789".utf8))
        let calls = Mutex(0)
        let resource = TransformingResource(child) { data in
            calls.withLock { $0 += 1 }
            return Data(data.reversed())
        }
        #expect(child.reads.isEmpty)
        for start in Int64(0)..<10 {
            #expect(
                try resource.read(range: start..<(start + 2)).get()
                    == Data("9876543210".utf8)[start..<min(10, start + 2)])
        }
        #expect(try resource.length.get() == 10)
        #expect(calls.withLock { $0 } == 1 && child.reads == [nil])
        let failing = TransformingResource(FailureResource(link: link, error: .forbidden())) { _ in
            calls.withLock { $0 += 1 }
            return Data()
        }
        #expect(failing.read() == .failure(.forbidden()) && failing.length == .failure(.forbidden()))
        #expect(calls.withLock { $0 } == 1)
        let throwing = TransformingResource(
            child, throwingTransform: { _ in throw RequestProblem(.template, "No.") })
        #expect(throwing.read().error?.httpStatusCode == 500)
    }

    @Test("The link loses what describes other bytes, and has no file")
    func transformedLink() throws {
        let folder = try TemporaryFolder()
        try folder.write("x", "a")
        let file = FileFetcher(href: "/", path: folder.path).get(link)
        #expect(file.file != nil && TransformingResource(file) { $0 }.file == nil)
        let zipped = ArchiveFetcher(archive: try archive(.init(["a": "x"]))).get(link)
        #expect(zipped.link.archiveEntry != nil)
        let transformed = TransformingResource(zipped, type: "text/html") { $0 }
        #expect(
            transformed.link.archiveEntry == nil && transformed.link.properties["compressedLength"] == nil)
        #expect(transformed.link.type == "text/html")
    }

    @Test("A protected package decrypts local entries and passes remote ones on")
    func tree() throws {
        let key: UInt8 = 0x5A
        var builder = ZipBuilder()
        builder.entries = [ZipBuilder.Entry("track.mp3", Data("music".utf8.map { $0 ^ key }))]
        let tree = RoutingFetcher(
            local: TransformingFetcher(fetcher: ArchiveFetcher(archive: try archive(builder))) { resource in
                TransformingResource(resource) { Data($0.map { $0 ^ key }) }
            }, remote: ProxyFetcher { link in "remote \(link.href)" })
        #expect(try tree.get(href: "/track.mp3").readAsString().get() == "music")
        #expect(try tree.get(href: "https://h/x").readAsString().get() == "remote https://h/x")
        #expect(tree.get(href: "/absent").read() == .failure(.notFound()))
        let local = tree.get(href: "/track.mp3")
        tree.close()
        #expect(local.read() == .failure(.unavailable()))
    }

    @Test("An empty fetcher has nothing")
    func empty() {
        #expect(EmptyFetcher().links.isEmpty)
        #expect(EmptyFetcher().get(link).read() == .failure(.notFound()))
    }
}

extension Data {
    fileprivate subscript(range: Range<Int64>) -> Data {
        Data(self[Int(range.lowerBound)..<Int(range.upperBound)])
    }
}
