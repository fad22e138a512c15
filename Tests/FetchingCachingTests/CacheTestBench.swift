import Fetching
import Foundation
import HTTPTestSupport
import Synchronization
import TestSupport

/// A time of day that tests move.
final class TestClock: Sendable {
    private let seconds = Mutex<Double>(1_000_000_000)

    var now: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }

    func advance(_ count: Double) { seconds.withLock { $0 += count } }
}

/// A server, a store in a folder of its own, and fetchers between them.
struct CacheTestBench {
    let server: ScriptedServer
    let folder: TemporaryFolder
    let clock = TestClock()
    let store: CacheStore

    init(
        maxBytes: Int64 = 100 << 20, maxEntryBytes: Int64? = nil,
        beforeChange: @escaping @Sendable (CacheStep) -> Int32 = { _ in 0 }
    ) throws {
        server = try ScriptedServer()
        folder = try TemporaryFolder()
        store = try Self.store(
            folder.path("cache"), maxBytes: maxBytes, maxEntryBytes: maxEntryBytes, clock: clock,
            beforeChange: beforeChange)
    }

    static func store(
        _ path: String, maxBytes: Int64 = 100 << 20, maxEntryBytes: Int64? = nil, clock: TestClock,
        beforeChange: @escaping @Sendable (CacheStep) -> Int32 = { _ in 0 }
    ) throws -> CacheStore {
        try CacheStore(
            path: path, maxBytes: maxBytes, maxEntryBytes: maxEntryBytes, verifiesContents: true,
            clock: { clock.now }, beforeChange: beforeChange)
    }

    /// The same folder as another start of the program sees it.
    func reopened() throws -> CacheStore { try Self.store(folder.path("cache"), clock: clock) }

    /// A fetcher from the server through a store.
    func fetcher(
        _ policy: CachePolicy = .respectHeaders, store: CacheStore? = nil, namespace: String = "tests",
        isPerAccount: Bool = false, headers: HTTPHeaders = [:]
    ) -> CachingFetcher {
        CachingFetcher(
            fetcher: Self.http(headers: headers), store: store ?? self.store, namespace: namespace,
            policy: policy, isPerAccount: isPerAccount)
    }

    static func http(headers: HTTPHeaders = [:]) -> HTTPFetcher {
        var client = CurlHTTPClient.Configuration()
        client.followsProxyVariables = false
        var configuration = HTTPFetcher.Configuration()
        configuration.headers = headers
        return HTTPFetcher(
            client: CurlHTTPClient(configuration: client), base: nil, configuration: configuration)
    }

    func link(_ target: String = "/r/book") -> Link { Link(href: server.url(target)) }

    /// Reads a resource through a fetcher of its own, like a program that starts anew.
    func read(
        _ target: String = "/r/book", _ range: Range<Int64>? = nil, policy: CachePolicy = .respectHeaders,
        store: CacheStore? = nil
    ) throws -> Data {
        try fetcher(policy, store: store).get(link(target)).read(range: range).get()
    }

    func count(_ path: String = "/r/book") throws -> Int { try server.requests(path).count }

    /// The files of the store's entries.
    func files(_ suffix: String) throws -> [String] {
        let root = folder.path("cache/v1")
        return try FileManager.default.subpathsOfDirectory(atPath: root).filter { $0.hasSuffix(suffix) }
            .map { root + "/" + $0 }
    }

    func temporaryFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path("cache/tmp"))
    }
}
