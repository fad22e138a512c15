import Fetching
import Foundation
import HTTPTestSupport
import Synchronization
import TestSupport
import Testing

/// A server, a folder for a store, and fetchers between them. Each reading corresponds to a new run of a program.
struct CacheTestBench {
    let server: ScriptedServer
    let folder: TemporaryFolder
    let clock = TestClock()
    let maximumBytes: Int64

    init(maximumBytes: Int64 = 100 << 20) throws {
        server = try ScriptedServer()
        folder = try TemporaryFolder()
        self.maximumBytes = maximumBytes
    }

    var path: String { folder.path("cache") }

    func store() throws -> CacheStore {
        let clock = clock
        let store = CacheStore(directory: path, maximumBytes: maximumBytes, now: { clock.now })
        return try #require(store)
    }

    /// A fetcher with its own store.
    func fetcher(headers: HTTPHeaders = [:]) throws -> CachingFetcher {
        CachingFetcher(Self.http(headers: headers), store: try store())
    }

    static func http(headers: HTTPHeaders = [:]) -> HTTPFetcher {
        var client = CurlHTTPClient.Configuration()
        client.followsProxyVariables = false
        var configuration = HTTPFetcher.Configuration()
        configuration.headers = headers
        return HTTPFetcher(
            client: CurlHTTPClient(configuration: client), base: nil, configuration: configuration)
    }

    func resource(_ target: String = "/r/book") throws -> any Resource {
        try fetcher().get(href: server.url(target))
    }

    /// Reads ranges of one resource and closes it.
    @discardableResult
    func read(_ target: String = "/r/book", _ ranges: Range<Int64>?...) throws -> [Data] {
        let resource = try resource(target)
        defer { resource.close() }
        return try ranges.map { try resource.read(range: $0).get() }
    }

    func count(_ path: String = "/r/book") throws -> Int { try server.requests(path).count }

    func files(_ suffix: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(suffix) }
            .map { path + "/" + $0 }
    }
}

/// A time of day that tests move.
final class TestClock: Sendable {
    private let seconds = Mutex<Int64>(1_000_000_000)

    var now: Int64 { seconds.withLock { $0 } }

    func advance(_ count: Int64) { seconds.withLock { $0 += count } }
}
