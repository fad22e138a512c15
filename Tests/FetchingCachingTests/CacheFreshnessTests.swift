import Fetching
import Foundation
import HTTPTestSupport
import Testing

@Suite("How long a kept content is used, and how it is confirmed") struct CacheFreshnessTests {
    @Test("When its time is over it is asked about, and an answer 304 makes it fresh again")
    func notModified() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "max-age=60", "etag": "\"v1\""])
        _ = try bench.read()
        bench.clock.advance(59)
        _ = try bench.read()
        #expect(try bench.count() == 1)
        bench.clock.advance(1)
        #expect(bench.fetcher().state(bench.link()) == .stale)
        #expect(try bench.read() == ScriptedContent.bytes(0..<1000))
        #expect(bench.fetcher().state(bench.link()) == .complete)
        _ = try bench.read()
        let requests = try bench.server.requests("/r/book")
        #expect(requests.map { $0.headers["if-none-match"] } == [nil, "\"v1\""])
    }

    @Test("Without an entity tag the date of the last change is the question")
    func lastModified() throws {
        let bench = try CacheTestBench()
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        try bench.server.set("/r/book", ["cc": "max-age=0", "modified": date])
        for _ in 0..<2 { #expect(try bench.read() == ScriptedContent.bytes(0..<1000)) }
        #expect(try bench.server.requests("/r/book").map { $0.headers["if-modified-since"] } == [nil, date])
    }

    @Test("A changed content replaces the old")
    func modified() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "max-age=60", "etag": "\"v1\""])
        _ = try bench.read()
        bench.clock.advance(100)
        try bench.server.set("/r/book", ["seed": "2", "size": "500", "etag": "\"v2\""])
        #expect(try bench.read() == ScriptedContent.bytes(0..<500, seed: 2))
        #expect(try bench.read() == ScriptedContent.bytes(0..<500, seed: 2))
        #expect(try bench.count() == 2)
        #expect(try bench.files("body").count == 1)
    }

    @Test("A content that changed between two ranges is never mixed")
    func noMixture() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "max-age=60", "size": "300000", "etag": "\"v1\""])
        let resource = bench.fetcher().get(bench.link())
        #expect(try resource.read(range: 0..<10).get() == ScriptedContent.bytes(0..<10))
        try bench.server.set("/r/book", ["seed": "2", "etag": "\"v2\""])
        let crossing = try resource.read(range: 60_000..<140_000).get()
        #expect(crossing == ScriptedContent.bytes(60_000..<140_000, seed: 2))
        #expect(try resource.read(range: 0..<10).get() == ScriptedContent.bytes(0..<10, seed: 2))
        #expect(try bench.read() == ScriptedContent.bytes(0..<300_000, seed: 2))
    }

    @Test("A stale part is confirmed before it is completed")
    func stalePart() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "max-age=60", "size": "200000", "etag": "\"v1\""])
        _ = try bench.read("/r/book", 0..<10)
        bench.clock.advance(100)
        #expect(try bench.read() == ScriptedContent.bytes(0..<200_000))
        let requests = try bench.server.requests("/r/book")
        #expect(requests.map { $0.headers["if-none-match"] } == [nil, "\"v1\"", nil])
        #expect(requests.map(\.range) == ["bytes=0-65535", nil, "bytes=65536-199999"])
    }

    @Test(
        "What must not be kept is not",
        arguments: [
            ["cc": "no-store"], ["cc": "max-age=60, No-Store"], ["cc": "max-age=60", "vary": "*"], [:],
        ])
    func notKept(options: [String: String]) throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", options)
        for _ in 0..<2 {
            let resource = bench.fetcher().get(bench.link())
            #expect(try resource.read(range: nil).get() == ScriptedContent.bytes(0..<1000))
            #expect(try resource.read(range: 5..<9).get() == ScriptedContent.bytes(5..<9))
        }
        #expect(bench.fetcher().state(bench.link()) == .absent)
        #expect(try bench.files("").filter { $0.hasSuffix(".body") || $0.hasSuffix(".meta") } == [])
        #expect(try bench.temporaryFiles() == [])
    }

    @Test("What becomes not to be kept goes when that is seen")
    func becomesNoStore() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "max-age=60", "etag": "\"v1\""])
        _ = try bench.read()
        bench.clock.advance(100)
        try bench.server.set("/r/book", ["cc": "no-store", "seed": "2", "etag": "\"v2\""])
        #expect(try bench.read() == ScriptedContent.bytes(0..<1000, seed: 2))
        #expect(bench.fetcher().state(bench.link()) == .absent)
    }

    @Test("A response with no-cache is requested every time")
    func noCache() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "no-cache, max-age=60", "etag": "\"v1\""])
        for _ in 0..<3 { #expect(try bench.read() == ScriptedContent.bytes(0..<1000)) }
        let tags = try bench.server.requests("/r/book").map { $0.headers["if-none-match"] }
        #expect(tags == [nil, "\"v1\"", "\"v1\""])
    }

    @Test("A clock that went back makes everything stale")
    func backwards() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "max-age=60", "etag": "\"v1\""])
        _ = try bench.read()
        bench.clock.advance(-1)
        #expect(bench.fetcher().state(bench.link()) == .stale)
        _ = try bench.read()
        #expect(try bench.count() == 2)
    }

    @Test(
        "Offline, what is stale is used if policy and server allow",
        arguments: [
            ("max-age=0", true, true), ("max-age=0", false, false),
            ("max-age=0, must-revalidate", true, false),
            ("no-cache", true, false),
        ])
    func offline(control: String, staleIfUnavailable: Bool, isServed: Bool) throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": control, "etag": "\"v1\""])
        _ = try bench.read()
        try bench.server.set("/r/book", ["drop": "yes"])
        var policy = CachePolicy.respectHeaders
        policy.staleIfUnavailable = staleIfUnavailable
        let resource = bench.fetcher(policy).get(bench.link())
        if isServed {
            #expect(try resource.read(range: nil).get() == ScriptedContent.bytes(0..<1000))
            #expect(try resource.read(range: 5..<9).get() == ScriptedContent.bytes(5..<9))
            #expect(try resource.length.get() == 1000)
        } else {
            #expect(resource.read(range: nil).failure == .unavailable())
            #expect(resource.read(range: 5..<9).failure == .unavailable())
        }
    }

    @Test("A content that is gone is reported and forgotten", arguments: [404, 410])
    func gone(status: Int) throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "max-age=60", "etag": "\"v1\""])
        _ = try bench.read()
        bench.clock.advance(100)
        try bench.server.set("/r/book", ["status": "\(status)"])
        #expect(bench.fetcher().get(bench.link()).read(range: nil).failure == .notFound())
        #expect(bench.fetcher().state(bench.link()) == .absent)
    }

    @Test("Errors are not kept unless the policy says so, and then for a time")
    func errors() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["status": "404", "cc": "max-age=60"])
        let fetcher = bench.fetcher()
        #expect(fetcher.get(bench.link()).read(range: nil).failure == .notFound())
        #expect(fetcher.get(bench.link()).read(range: nil).failure == .notFound())
        #expect(try bench.count() == 2)
        var policy = CachePolicy.respectHeaders
        policy.cacheErrors = true
        let remembering = bench.fetcher(policy)
        #expect(remembering.get(bench.link()).read(range: nil).failure == .notFound())
        #expect(remembering.get(bench.link()).read(range: nil).failure == .notFound())
        #expect(try bench.count() == 3)
        bench.clock.advance(61)
        try bench.server.set("/r/book", ["status": ""])
        #expect(try remembering.get(bench.link()).read(range: nil).get().count == 1000)
    }

    @Test("Policies: always, never, only what is pinned")
    func policies() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/always", ["cc": "no-store"])
        for _ in 0..<2 { _ = try bench.read("/r/always", policy: .always(maxAge: 10)) }
        #expect(try bench.count("/r/always") == 1)
        bench.clock.advance(10)
        _ = try bench.read("/r/always", policy: .always(maxAge: 10))
        #expect(try bench.count("/r/always") == 2)

        try bench.server.set("/r/never", ["cc": "max-age=60"])
        for _ in 0..<2 { _ = try bench.read("/r/never", policy: .never) }
        #expect(try bench.count("/r/never") == 2)

        try bench.server.set("/r/pinned", ["cc": "max-age=60"])
        for _ in 0..<2 { _ = try bench.read("/r/pinned", policy: .onlyPinned) }
        #expect(try bench.count("/r/pinned") == 2)
        try bench.fetcher(.onlyPinned).pin(bench.link("/r/pinned")).get()
        for _ in 0..<2 { _ = try bench.read("/r/pinned", policy: .onlyPinned) }
        #expect(try bench.count("/r/pinned") == 3)
    }

    @Test("A property of the link overrides what the server says")
    func linkProperty() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "no-store"])
        var link = bench.link()
        link.properties["cacheControl"] = .string("max-age=60")
        for _ in 0..<2 { #expect(try bench.fetcher().get(link).read(range: nil).get().count == 1000) }
        #expect(try bench.count() == 1)
    }

    @Test("Answers to requests with a password are kept only in a namespace per account")
    func authorization() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "max-age=60"])
        let headers: HTTPHeaders = ["Authorization": "Bearer x"]
        for _ in 0..<2 { _ = try bench.fetcher(headers: headers).get(bench.link()).read(range: nil).get() }
        #expect(try bench.count() == 2)
        for _ in 0..<2 {
            _ = try bench.fetcher(isPerAccount: true, headers: headers).get(bench.link()).read(range: nil)
                .get()
        }
        #expect(try bench.count() == 3)
    }
}
