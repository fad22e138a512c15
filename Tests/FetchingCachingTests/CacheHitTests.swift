import Fetching
import Foundation
import HTTPTestSupport
import Testing

@Suite("What the cache has is not asked for again") struct CacheHitTests {
    @Test("The second reading touches nobody, in this process and after a new start")
    func hit() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "max-age=60", "size": "300000", "type": "audio/mpeg"])
        let expected = ScriptedContent.bytes(0..<300_000)
        #expect(try bench.read() == expected)
        #expect(try bench.read() == expected)
        #expect(try bench.read("/r/book", 100_000..<100_010) == expected[100_000..<100_010])
        let reopened = try bench.reopened()
        let resource = bench.fetcher(store: reopened).get(bench.link())
        #expect(try resource.read(range: nil).get() == expected)
        #expect(try resource.length.get() == 300_000)
        #expect(resource.link.type == "audio/mpeg")
        #expect(try bench.count() == 1)
    }

    @Test("The file of a complete content holds its bytes")
    func file() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "max-age=60"])
        let resource = bench.fetcher().get(bench.link())
        #expect(resource.file == nil)
        _ = try resource.read(range: nil).get()
        let file = try #require(resource.file)
        #expect(try Data(contentsOf: file) == ScriptedContent.bytes(0..<1000))
        #expect(file.path.hasPrefix(bench.folder.path))
    }

    @Test("A range, then the whole: only what is missing is fetched, of the same version")
    func gaps() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "max-age=60", "size": "300000", "etag": "\"v1\""])
        #expect(try bench.read("/r/book", 70_000..<70_010) == ScriptedContent.bytes(70_000..<70_010))
        #expect(try bench.read("/r/book", 70_500..<131_000) == ScriptedContent.bytes(70_500..<131_000))
        #expect(bench.fetcher().state(bench.link()) == .partial(bytes: 65536))
        #expect(try bench.read() == ScriptedContent.bytes(0..<300_000))
        #expect(bench.fetcher().state(bench.link()) == .complete)
        #expect(try bench.read("/r/book", 5..<299_000) == ScriptedContent.bytes(5..<299_000))
        let requests = try bench.server.requests("/r/book")
        #expect(requests.map(\.range) == ["bytes=65536-131071", "bytes=0-65535", "bytes=131072-299999"])
        #expect(requests.map { $0.headers["if-range"] } == [nil, "\"v1\"", "\"v1\""])
    }

    @Test(
        "Ranges outside the content",
        arguments: [999..<1000, 1000..<1001, 5000..<6000, 990..<Int64.max, 0..<0, -5..<3])
    func outside(range: Range<Int64>) throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "max-age=60", "etag": "\"v1\""])
        let expected = ScriptedContent.bytes(0..<1000)
        let part = expected[Int(min(max(0, range.lowerBound), 1000))..<Int(min(range.upperBound, 1000))]
        #expect(try bench.read("/r/book", range) == part)
        _ = try bench.read()
        #expect(try bench.read("/r/book", range) == part)
    }

    @Test(
        "Parts of a content without a strong entity tag are passed on and not kept",
        arguments: ["", "W/\"v1\""])
    func weak(etag: String) throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "max-age=60", "size": "300000", "etag": etag])
        #expect(try bench.read("/r/book", 7..<9) == ScriptedContent.bytes(7..<9))
        #expect(bench.fetcher().state(bench.link()) == .absent)
        #expect(try bench.read() == ScriptedContent.bytes(0..<300_000))
        #expect(bench.fetcher().state(bench.link()) == .complete)
        #expect(try bench.read("/r/book", 7..<9) == ScriptedContent.bytes(7..<9))
        #expect(try bench.count() == 2)
    }

    @Test("A content of unknown length is kept when it ended")
    func unknownLength() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "max-age=60", "length": "chunked", "size": "100000"])
        #expect(try bench.read() == ScriptedContent.bytes(0..<100_000))
        #expect(try bench.read() == ScriptedContent.bytes(0..<100_000))
        #expect(try bench.count() == 1)
    }

    @Test(
        "A broken answer is kept as far as it came if it has a strong entity tag", arguments: [true, false])
    func broken(hasTag: Bool) throws {
        let bench = try CacheTestBench()
        let tag = hasTag ? "\"v1\"" : ""
        try bench.server.set(
            "/r/book", ["cc": "max-age=60", "size": "600000", "short": "400000", "etag": tag])
        #expect(bench.fetcher().get(bench.link()).read(range: nil).failure == .unavailable())
        let state = bench.fetcher().state(bench.link())
        try bench.server.set("/r/book", ["short": ""])
        let before = try bench.count()
        #expect(try bench.read() == ScriptedContent.bytes(0..<600_000))
        let range = try bench.server.requests("/r/book")[before].range
        if hasTag {
            guard case .partial(let bytes) = state else {
                Issue.record("nothing was kept: \(state)")
                return
            }
            #expect(bytes > 0 && bytes <= 400_000)
            #expect(range == "bytes=\(bytes)-599999")
        } else {
            #expect(state == .absent)
            #expect(range == nil)
        }
    }

    @Test("A stream of the whole is one request, and keeps it")
    func stream() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "max-age=60", "size": "2000000"])
        for _ in 0..<2 {
            var bytes = Data()
            let count = try bench.fetcher().get(bench.link()).stream(range: nil) { piece in
                bytes.append(piece)
                return true
            }.get()
            #expect(count == 2_000_000)
            #expect(bytes == ScriptedContent.bytes(0..<2_000_000))
        }
        #expect(try bench.count() == 1)
    }

    @Test("Children without versions are kept whole only when the policy gives them a lifetime")
    func plainChild() throws {
        let bench = try CacheTestBench()
        let calls = CallCounter()
        let child = ProxyFetcher { link in
            calls.count()
            return BytesResource(link: link, bytes: Data("text".utf8)) as any Resource
        }
        var policy = CachePolicy.respectHeaders
        for (age, expected) in [(nil, CacheState.absent), (60, .complete)] as [(Int64?, CacheState)] {
            policy.defaultMaxAge = age
            let fetcher = CachingFetcher(fetcher: child, store: bench.store, namespace: "n", policy: policy)
            let resource = fetcher.get(href: "/a.txt")
            #expect(try resource.read(range: nil).get() == Data("text".utf8))
            #expect(try resource.read(range: 1..<3).get() == Data("ex".utf8))
            #expect(fetcher.state(Link(href: "a.txt")) == expected)
        }
    }
}
