import Fetching
import Foundation
import HTTPTestSupport
import Synchronization
import Testing

@Suite("Fetching ahead, pinning and removing") struct CacheOfflineTests {
    @Test("Fetching ahead keeps what it can and says what it could not, with progress")
    func prefetch() throws {
        let bench = try CacheTestBench()
        for path in ["/r/a", "/r/b"] { try bench.server.set(path, ["cc": "max-age=60", "size": "700000"]) }
        try bench.server.set("/r/missing", ["status": "404"])
        try bench.server.set("/r/secret", ["cc": "no-store"])
        let links = ["/r/a", "/r/missing", "/r/secret", "/r/b"].map { bench.link($0) }
        let seen = Mutex<[CacheProgress]>([])
        let results = bench.fetcher().prefetch(links) { progress in seen.withLock { $0.append(progress) } }
        #expect(try results[links[0]]?.get() == 700_000)
        #expect(results[links[1]]?.failure == .notFound())
        #expect((results[links[2]]?.failure?.cause as? CacheError)?.code == .notStorable)
        #expect(try results[links[3]]?.get() == 700_000)
        let steps = seen.withLock { $0 }.filter { $0.link == links[3] }
        #expect(
            steps.last.map {
                $0.received <= 700_000 && $0.total == 700_000 && $0.finished == 3 && $0.count == 4
            } ?? false)
        #expect(steps.map(\.received) == steps.map(\.received).sorted())
        try bench.server.set("/r/a", ["drop": "yes"])
        #expect(try bench.read("/r/a") == ScriptedContent.bytes(0..<700_000))
    }

    @Test("What is pinned is used offline whatever its age and the server's wishes, until it is unpinned")
    func pin() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "max-age=60, must-revalidate", "etag": "\"v1\""])
        let fetcher = bench.fetcher()
        try fetcher.pin(bench.link()).get()
        bench.clock.advance(1e7)
        try bench.server.set("/r/book", ["drop": "yes"])
        #expect(try bench.read() == ScriptedContent.bytes(0..<1000))
        try fetcher.unpin(bench.link()).get()
        #expect(bench.fetcher().get(bench.link()).read(range: nil).failure == .unavailable())
    }

    @Test("A pinned content that changed stays pinned")
    func pinSurvivesChange() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "max-age=60, must-revalidate", "etag": "\"v1\""])
        try bench.fetcher().pin(bench.link()).get()
        bench.clock.advance(100)
        try bench.server.set("/r/book", ["seed": "2", "etag": "\"v2\""])
        #expect(try bench.read() == ScriptedContent.bytes(0..<1000, seed: 2))
        bench.clock.advance(100)
        try bench.server.set("/r/book", ["drop": "yes"])
        #expect(try bench.read() == ScriptedContent.bytes(0..<1000, seed: 2))
    }

    @Test("Pinning fails with the reason when nothing can be kept")
    func pinFails() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["status": "403"])
        #expect(bench.fetcher().pin(bench.link()).failure == .forbidden())
        #expect(throws: Never.self) { try bench.fetcher().unpin(bench.link()).get() }
    }

    @Test("Removing one, and all of a namespace")
    func remove() throws {
        let bench = try CacheTestBench()
        for path in ["/r/a", "/r/b", "/r/c"] { try bench.server.set(path, ["cc": "max-age=60"]) }
        let (one, other) = (bench.fetcher(namespace: "one"), bench.fetcher(namespace: "other"))
        let links = ["/r/a", "/r/b", "/r/c"].map { bench.link($0) }
        for result in one.prefetch(links).values { _ = try result.get() }
        _ = try other.prefetch([links[0]])[links[0]]?.get()
        try one.pin(links[2]).get()
        try one.remove(links[0])
        #expect(links.map { one.state($0) } == [.absent, .complete, .complete])
        #expect(other.state(links[0]) == .complete)
        let usage = try bench.store.usage
        try one.removeAll()
        #expect(links.map { one.state($0) } == [.absent, .absent, .absent])
        #expect(other.state(links[0]) == .complete)
        #expect(try bench.store.usage < usage)
        #expect(try bench.store.usage == bench.reopened().usage)
    }

    @Test("After closing, resources are unavailable and the store goes on")
    func close() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "max-age=60"])
        let fetcher = bench.fetcher()
        let resource = fetcher.get(bench.link())
        _ = try resource.read(range: nil).get()
        fetcher.close()
        fetcher.close()
        #expect(resource.read(range: nil).failure == .unavailable())
        #expect(fetcher.get(bench.link()).read(range: nil).failure == .unavailable())
        #expect(fetcher.pin(bench.link()).failure == .unavailable())
        #expect(try bench.read().count == 1000)
        #expect(try bench.count() == 1)
    }

    @Test("The links are those of the child")
    func links() throws {
        let bench = try CacheTestBench()
        let child = ListingFetcher(links: [Link(href: "/a"), Link(href: "/b")])
        let fetcher = CachingFetcher(fetcher: child, store: bench.store, namespace: "n")
        #expect(fetcher.links == child.links)
    }

    private struct ListingFetcher: Fetcher {
        let links: [Link]
        func get(_ link: Link, parameters: [String: String]) -> any Resource {
            FailureResource(link: link, error: .notFound())
        }
        func close() {}
    }
}
