import Fetching
import Foundation
import HTTPTestSupport
import Testing

@Suite("Content in the cache is not fetched again") struct CacheReadingTests {
    @Test("A content within its lifetime is read without a request")
    func fresh() throws {
        let bench = try CacheTestBench()
        try bench.server.set(
            "/r/book", ["cc": "max-age=60", "size": "300000", "etag": "\"v1\"", "type": "audio/mpeg"])
        let expected = ScriptedContent.bytes(0..<300_000)
        #expect(try bench.read("/r/book", nil) == [expected])
        #expect(try bench.read("/r/book", nil, 100_000..<100_010) == [expected, expected[100_000..<100_010]])
        let resource = try bench.resource()
        #expect(try resource.length.get() == 300_000)
        let answer = try (resource as? any AskableResource)?.ask().get()
        #expect(answer?.headers["Content-Type"] == "audio/mpeg")
        #expect(answer?.url == bench.server.url("/r/book"))
        #expect(try bench.count() == 1)
    }

    @Test("After its lifetime one request confirms it, and makes it fresh again")
    func confirmed() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "max-age=60", "etag": "\"v1\""])
        try bench.read("/r/book", nil)
        bench.clock.advance(60)
        #expect(try bench.read("/r/book", nil, 5..<9) == [bytes(0..<1000), bytes(5..<9)])
        try bench.read("/r/book", nil)
        let requests = try bench.server.requests("/r/book")
        #expect(requests.map { $0.headers["if-none-match"] } == [nil, "\"v1\""])
    }

    @Test("Without an entity tag the date of the last change is used")
    func lastModified() throws {
        let bench = try CacheTestBench()
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        try bench.server.set("/r/book", ["modified": date, "date": "Sun, 06 Nov 1994 08:50:00 GMT"])
        for _ in 0..<2 { #expect(try bench.read("/r/book", nil) == [bytes(0..<1000)]) }
        #expect(try bench.server.requests("/r/book").map { $0.headers["if-modified-since"] } == [nil, date])
    }

    @Test("Ranges are kept, and only what is missing is fetched, of the same version")
    func gaps() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["size": "300000", "etag": "\"v1\""])
        #expect(try bench.read("/r/book", 70_000..<90_000) == [bytes(70_000..<90_000)])
        #expect(
            try bench.read("/r/book", 80_000..<81_000, 60_000..<100_000, nil)
                == [bytes(80_000..<81_000), bytes(60_000..<100_000), bytes(0..<300_000)])
        let requests = try bench.server.requests("/r/book")
        #expect(requests.map { $0.headers["if-none-match"] }.prefix(2) == [nil, "\"v1\""])
        for request in requests.dropFirst(2) { #expect(request.headers["if-range"] == "\"v1\"") }
        let last = try bench.count()
        #expect(try bench.read("/r/book", nil) == [bytes(0..<300_000)])
        #expect(try bench.count() == last + 1)
    }

    @Test(
        "Bounds outside the content are clamped",
        arguments: [999..<1000, 1000..<1001, 5000..<6000, 990..<Int64.max, 0..<0, -5..<3])
    func outside(range: Range<Int64>) throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "max-age=60", "etag": "\"v1\""])
        let expected = bytes(
            Int(min(max(0, range.lowerBound), 1000))..<Int(min(max(0, range.upperBound), 1000)))
        #expect(try bench.read("/r/book", range, nil, range) == [expected, bytes(0..<1000), expected])
        #expect(try bench.read("/r/book", range) == [expected])
    }

    @Test("A content of unknown length is kept", arguments: ["chunked", "no"])
    func unknownLength(length: String) throws {
        let bench = try CacheTestBench()
        try bench.server.set(
            "/r/book", ["cc": "max-age=60", "length": length, "size": "100000", "etag": "\"v1\""])
        for _ in 0..<2 { #expect(try bench.read("/r/book", nil) == [bytes(0..<100_000)]) }
        #expect(try bench.count() == 1)
    }

    @Test("A server without ranges is asked for the whole content once, not for every piece")
    func withoutRanges() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["size": "600000", "etag": "\"v1\"", "ranges": "no"])
        let pieces = stride(from: Int64(0), to: 600_000, by: 100_000).map { $0..<$0 + 100_000 }
        let resource = try bench.resource()
        var content = Data()
        for piece in pieces { content += try resource.read(range: piece).get() }
        resource.close()
        #expect(content == bytes(0..<600_000))
        #expect(try bench.count() <= 2)
    }

    @Test("A changed content replaces the kept one")
    func changed() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["etag": "\"v1\""])
        try bench.read("/r/book", nil)
        try bench.server.set("/r/book", ["seed": "2", "size": "500", "etag": "\"v2\""])
        for _ in 0..<2 {
            #expect(try bench.read("/r/book", nil) == [ScriptedContent.bytes(0..<500, seed: 2)])
        }
        #expect(try bench.count() == 3)
        #expect(try bench.files().count == 2)
    }

    @Test("Two versions are never mixed in one reading")
    func noMixture() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["size": "300000", "etag": "\"v1\""])
        let resource = try bench.resource()
        #expect(try resource.read(range: 0..<10).get() == bytes(0..<10))
        try bench.server.set("/r/book", ["seed": "2", "etag": "\"v2\""])
        let error = resource.read(range: 200_000..<200_010).failure
        #expect((error?.cause as? HTTPError)?.code == .contentChanged)
        resource.close()
        #expect(try bench.read("/r/book", nil) == [ScriptedContent.bytes(0..<300_000, seed: 2)])
    }

    @Test(
        "Content that must not be stored, or has no version, leaves no file",
        arguments: [
            ["cc": "no-store", "etag": "\"v1\""], ["cc": "max-age=60, No-Store", "etag": "\"v1\""],
            ["vary": "*", "etag": "\"v1\""], ["cc": "max-age=60"], ["etag": "W/\"v1\""],
        ])
    func notKept(options: [String: String]) throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", options)
        for _ in 0..<2 { #expect(try bench.read("/r/book", nil, 5..<9) == [bytes(0..<1000), bytes(5..<9)]) }
        #expect(try bench.files() == [])
    }

    @Test("Answers to requests with a password are not kept")
    func password() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "max-age=60", "etag": "\"v1\""])
        let url = bench.server.url("/r/book").replacingOccurrences(of: "://", with: "://me:secret@")
        #expect(try bench.fetcher().get(href: url).read(range: nil).get() == bytes(0..<1000))
        let fetcher = try bench.fetcher(headers: ["Authorization": "Bearer x"])
        #expect(try fetcher.get(href: bench.server.url("/r/book")).read(range: nil).get() == bytes(0..<1000))
        #expect(try bench.files() == [])
    }

    @Test("A response with no-cache is confirmed every time, and so is one from the future")
    func noCache() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "no-cache, max-age=60", "etag": "\"v1\""])
        for _ in 0..<2 { try bench.read("/r/book", nil) }
        #expect(try bench.count() == 2)
        try bench.server.set("/r/later", ["cc": "max-age=60", "etag": "\"v1\""])
        try bench.read("/r/later", nil)
        bench.clock.advance(-1)
        try bench.read("/r/later", nil)
        #expect(try bench.count("/r/later") == 2)
    }

    @Test("A content that is gone is reported and forgotten", arguments: [404, 410])
    func gone(status: Int) throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["etag": "\"v1\""])
        try bench.read("/r/book", nil)
        try bench.server.set("/r/book", ["status": "\(status)"])
        #expect(try bench.resource().read(range: nil).failure == .notFound())
        #expect(try bench.files() == [])
    }

    @Test("A server that does not answer is an error, and loses nothing")
    func offline() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["etag": "\"v1\""])
        try bench.read("/r/book", nil)
        try bench.server.set("/r/book", ["drop": "yes"])
        let resource = try bench.resource()
        #expect(resource.read(range: nil).failure == .unavailable())
        try bench.server.set("/r/book", ["drop": ""])
        #expect(try resource.read(range: nil).get() == bytes(0..<1000))
        #expect(try bench.server.requests("/r/book").last?.headers["if-none-match"] == "\"v1\"")
    }

    @Test("Closing ends a reading that waits for the server, and keeps what has come")
    func closing() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["size": "300000", "etag": "\"v1\""])
        let resource = try bench.resource()
        #expect(try resource.read(range: 0..<1000).get() == bytes(0..<1000))
        try bench.server.set("/r/book", ["hold": "gate"])
        let ended = DispatchSemaphore(value: 0)
        // Written before the semaphore is signalled, read after.
        nonisolated(unsafe) var failure: ResourceError?
        Thread.detachNewThread {
            failure = resource.read(range: 200_000..<200_010).failure
            ended.signal()
        }
        try bench.server.waitForHeld("gate")
        resource.close()
        ended.wait()
        #expect(failure != nil)
        #expect(resource.read(range: 0..<10).failure == .unavailable())
        try bench.server.release("gate")
        #expect(try bench.files(".json").count == 1)
    }

    private func bytes(_ range: Range<Int>) -> Data { ScriptedContent.bytes(range) }
}
