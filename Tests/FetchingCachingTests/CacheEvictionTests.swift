import Dispatch
import Fetching
import Foundation
import Glibc
import HTTPTestSupport
import Synchronization
import Testing

@Suite("The bound of the cache") struct CacheEvictionTests {
    /// Ten contents of 100 kB fit, and nothing more.
    private func bench() throws -> CacheTestBench {
        let bench = try CacheTestBench(maxBytes: 1_150_000, maxEntryBytes: 500_000)
        for index in 0..<16 {
            try bench.server.set(
                "/r/\(index)", ["cc": "max-age=1000000", "size": "100000", "seed": "\(index)"])
        }
        return bench
    }

    private func kept(_ bench: CacheTestBench) -> [Int] {
        let fetcher = bench.fetcher()
        return (0..<16).filter { fetcher.state(bench.link("/r/\($0)")) != .absent }
    }

    @Test("What was not used for the longest time goes first, down to nine tenths")
    func order() throws {
        let bench = try bench()
        for index in 0..<10 {
            _ = try bench.read("/r/\(index)")
            bench.clock.advance(100)
        }
        #expect(kept(bench) == Array(0..<10))
        // Looking at the state was a use of each: now use them again in another order.
        for index in [3, 1, 0, 2, 4, 5, 6, 7, 8, 9] {
            bench.clock.advance(100)
            _ = try bench.read("/r/\(index)")
        }
        bench.clock.advance(100)
        _ = try bench.read("/r/10")
        #expect(kept(bench) == [0, 2, 4, 5, 6, 7, 8, 9, 10])
        #expect(try bench.store.usage <= 1_150_000)
        #expect(try bench.count("/r/0") == 1)
    }

    @Test("Within a minute a use is not written down again")
    func recencyOfAMinute() throws {
        let bench = try bench()
        _ = try bench.read("/r/0")
        let record = try #require(try bench.files(".meta").first)
        let first = try modification(record)
        bench.clock.advance(59)
        _ = try bench.read("/r/0")
        #expect(try modification(record) == first)
        bench.clock.advance(1)
        _ = try bench.read("/r/0")
        #expect(try modification(record) == first + 60)
    }

    private func modification(_ path: String) throws -> Int {
        var status = stat()
        try #require(stat(path, &status) == 0)
        return status.st_mtim.tv_sec
    }

    @Test("Pinned contents stay; when they leave no room, others pass through")
    func pinned() throws {
        let bench = try bench()
        let fetcher = bench.fetcher()
        for index in 0..<10 {
            try fetcher.pin(bench.link("/r/\(index)")).get()
            bench.clock.advance(100)
        }
        for index in 10..<14 {
            #expect(try bench.read("/r/\(index)") == ScriptedContent.bytes(0..<100_000, seed: index))
        }
        #expect(kept(bench) == Array(0..<10))
        let error = bench.fetcher().pin(bench.link("/r/15")).failure
        #expect((error?.cause as? CacheError)?.code == .notStorable)
        try fetcher.unpin(bench.link("/r/4")).get()
        _ = try bench.read("/r/15")
        #expect(kept(bench) == [0, 1, 2, 3, 5, 6, 7, 8, 9, 15])
    }

    @Test(
        "Contents above the largest size pass through, whether or not the length is known",
        arguments: ["", "chunked"])
    func tooLarge(length: String) throws {
        let bench = try bench()
        try bench.server.set("/r/big", ["cc": "max-age=60", "size": "600000", "length": length])
        let resource = bench.fetcher().get(bench.link("/r/big"))
        #expect(try resource.read(range: nil).get() == ScriptedContent.bytes(0..<600_000))
        #expect(bench.fetcher().state(bench.link("/r/big")) == .absent)
        #expect(try bench.count("/r/big") == 1)
        #expect(try bench.temporaryFiles() == [])
    }

    @Test("A content that is open can be read on when it was evicted")
    func openEvicted() throws {
        let bench = try bench()
        let resource = bench.fetcher().get(bench.link("/r/0"))
        _ = try resource.read(range: 0..<10).get()
        _ = try resource.read(range: nil).get()
        for index in 1..<14 {
            bench.clock.advance(100)
            _ = try bench.read("/r/\(index)")
        }
        #expect(!kept(bench).contains(0))
        let before = try bench.count("/r/0")
        #expect(try resource.read(range: nil).get() == ScriptedContent.bytes(0..<100_000, seed: 0))
        #expect(try bench.count("/r/0") == before)
    }

    @Test("The bound holds under many writers at once")
    func concurrentWriters() throws {
        let bench = try bench()
        let wrong = Mutex<[Int]>([])
        let over = Mutex<[Int64]>([])
        DispatchQueue.concurrentPerform(iterations: 64) { round in
            let index = round * 7 % 16
            let result = bench.fetcher().get(bench.link("/r/\(index)")).read(range: nil)
            if case .success(ScriptedContent.bytes(0..<100_000, seed: index)) = result {
            } else {
                wrong.withLock { $0.append(index) }
            }
            do throws(CacheError) {
                let usage = try bench.store.usage
                if usage > bench.store.maxBytes { over.withLock { $0.append(usage) } }
            } catch {
                over.withLock { $0.append(-1) }
            }
        }
        #expect(wrong.withLock { $0 } == [])
        #expect(over.withLock { $0 } == [])
        #expect(try bench.store.usage == bench.reopened().usage)
    }

    @Test("A store of ten thousand entries opens, and counts them all")
    func tenThousand() throws {
        let bench = try CacheTestBench()
        _ = try bench.read("/r/book?cc=max-age%3D60&size=10")
        let (record, body) = (try bench.files(".meta")[0], try bench.files(".body")[0])
        let root = bench.folder.path("cache/v1")
        for index in 0..<10_000 {
            let name = String(String(index + (1 << 24), radix: 16).reversed())
            let folder = "\(root)/\(name.prefix(2))"
            _ = mkdir(folder, 0o700)
            // Names of the same two files: a tenth of the work of making new ones.
            for (file, suffix) in [(record, "meta"), (body, "body")] {
                try #require(link(file, "\(folder)/\(name).\(suffix)") == 0)
            }
        }
        let store = try bench.reopened()
        #expect(try store.usage >= 10_001 * 8192)
        #expect(try bench.files(".meta").count == 10_001)
    }
}
