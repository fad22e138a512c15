import Dispatch
import Fetching
import Foundation
import HTTPTestSupport
import Synchronization
import Testing

@Suite("Readers of one content share one fetch") struct SingleFlightTests {
    /// Starts reads on threads of their own and hands out what they got.
    private final class Readers: Sendable {
        private let results = Mutex<[Result<Data, ResourceError>]>([])
        private let ended = DispatchSemaphore(value: 0)

        func start(_ resource: any Resource, _ range: Range<Int64>? = nil) {
            Thread.detachNewThread { [self] in
                let result = resource.read(range: range)
                results.withLock { $0.append(result) }
                ended.signal()
            }
        }

        func wait(_ count: Int) -> [Result<Data, ResourceError>] {
            for _ in 0..<count { ended.wait() }
            return results.withLock { $0 }
        }
    }

    @Test("Many readers at once make one request")
    func shared() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "max-age=60", "size": "300000", "hold": "k"])
        let readers = Readers()
        for _ in 0..<8 { readers.start(bench.fetcher().get(bench.link())) }
        try bench.server.waitForHeld("k")
        try bench.server.release("k")
        let results = readers.wait(8)
        #expect(try results.allSatisfy { try $0.get() == ScriptedContent.bytes(0..<300_000) })
        #expect(try bench.count() == 1)
    }

    @Test("What has come is read while the rest is on its way")
    func readsAlong() throws {
        let bench = try CacheTestBench()
        try bench.server.set(
            "/r/book", ["cc": "max-age=60", "size": "3000000", "holdbody": "k", "at": "2000000"])
        let readers = Readers()
        readers.start(bench.fetcher().get(bench.link()))
        try bench.server.waitForHeld("k")
        let part = try bench.fetcher().get(bench.link()).read(range: 500_000..<500_100).get()
        #expect(part == ScriptedContent.bytes(500_000..<500_100))
        try bench.server.release("k")
        #expect(try readers.wait(1)[0].get().count == 3_000_000)
        #expect(try bench.count() == 1)
    }

    @Test("A reader that leaves does not end what others wait for, not even the one who began")
    func leaving() throws {
        let bench = try CacheTestBench()
        try bench.server.set(
            "/r/book", ["cc": "max-age=60", "size": "2000000", "holdbody": "k", "at": "1000000"])
        let (leaving, staying) = (Readers(), Readers())
        let first = bench.fetcher().get(bench.link())
        leaving.start(first)
        try bench.server.waitForHeld("k")
        let second = bench.fetcher().get(bench.link())
        // What has come can be read: the second has joined the fetch.
        #expect(try second.read(range: 0..<10).get() == ScriptedContent.bytes(0..<10))
        staying.start(second)
        first.close()
        #expect(leaving.wait(1)[0].failure == .cancelled)
        try bench.server.release("k")
        #expect(try staying.wait(1)[0].get() == ScriptedContent.bytes(0..<2_000_000))
        #expect(try bench.count() == 1)
    }

    @Test("A fetch that nobody wants any more ends")
    func abandoned() throws {
        let bench = try CacheTestBench()
        try bench.server.set(
            "/r/book", ["cc": "max-age=60", "size": "20000000", "holdbody": "k", "at": "100000"])
        let readers = Readers()
        let resource = bench.fetcher().get(bench.link())
        readers.start(resource)
        try bench.server.waitForHeld("k")
        resource.close()
        #expect(readers.wait(1)[0].failure == .cancelled)
        try bench.server.release("k")
        #expect(try bench.server.bytesSent("/r/book") < 20_000_000)
    }

    @Test("A content that is not kept is fetched by each for itself")
    func notShared() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "no-store", "hold": "k"])
        let readers = Readers()
        for _ in 0..<4 { readers.start(bench.fetcher().get(bench.link())) }
        try bench.server.waitForHeld("k")
        try bench.server.release("k")
        #expect(try readers.wait(4).allSatisfy { try $0.get() == ScriptedContent.bytes(0..<1000) })
        #expect(try bench.count() == 4)
    }

    @Test("Many readers of many ranges get the right bytes")
    func manyRanges() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "max-age=60", "size": "1000000", "etag": "\"v1\""])
        let wrong = Mutex<[Int]>([])
        let fetcher = bench.fetcher()
        DispatchQueue.concurrentPerform(iterations: 40) { index in
            let start = index * 24_000
            let range = Int64(start)..<Int64(start + 30_000)
            let result = fetcher.get(bench.link()).read(range: range)
            let expected = ScriptedContent.bytes(start..<min(start + 30_000, 1_000_000))
            if case .success(expected) = result { return }
            wrong.withLock { $0.append(index) }
        }
        #expect(wrong.withLock { $0 } == [])
    }
}
