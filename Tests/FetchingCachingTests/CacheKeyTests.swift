import Fetching
import Foundation
import HTTPTestSupport
import Testing

@Suite("What is kept apart, and what is the same") struct CacheKeyTests {
    @Test("Namespaces, queries and parameters are kept apart")
    func apart() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "max-age=60"])
        _ = try bench.fetcher(namespace: "a").get(bench.link()).read(range: nil).get()
        _ = try bench.fetcher(namespace: "b").get(bench.link()).read(range: nil).get()
        _ = try bench.fetcher(namespace: "a").get(bench.link("/r/book?x=1")).read(range: nil).get()
        _ = try bench.fetcher(namespace: "a").get(bench.link(), parameters: ["x": "2"]).read(range: nil).get()
        #expect(try bench.count() == 4)
        #expect(try bench.files("meta").count == 4)
    }

    @Test("Fragments, the default port and the case of scheme and host make no difference")
    func same() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "max-age=60"])
        _ = try bench.read()
        let port = bench.server.port
        for href in ["HTTP://127.0.0.1:\(port)/r/book#part", "http://127.0.0.1:\(port)/r/./book"] {
            #expect(try bench.fetcher().get(href: href).read(range: nil).get().count == 1000)
        }
        #expect(try bench.count() == 1)
    }

    @Test("A templated link is what it expands to")
    func template() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "max-age=60"])
        let templated = Link(href: bench.server.url("/r/book{?q}"), templated: true)
        _ = try bench.fetcher().get(templated, parameters: ["q": "a b"]).read(range: nil).get()
        #expect(try bench.read("/r/book?q=a%20b").count == 1000)
        #expect(try bench.count() == 1)
    }

    @Test("Answers that vary are kept per value of what they vary by")
    func vary() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "max-age=60", "vary": "Accept-Language, accept-encoding"])
        for _ in 0..<2 {
            for language in ["de", "fr"] {
                let fetcher = bench.fetcher(headers: ["Accept-Language": language])
                #expect(try fetcher.get(bench.link()).read(range: nil).get().count == 1000)
                #expect(fetcher.state(bench.link()) == .complete)
            }
        }
        #expect(try bench.server.requests("/r/book").map { $0.headers["accept-language"] } == ["de", "fr"])
        let german = bench.fetcher(headers: ["Accept-Language": "de"])
        try german.remove(bench.link())
        #expect(german.state(bench.link()) == .absent)
    }
}
