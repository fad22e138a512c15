import FoundationEssentials
import Synchronization

/// Serves resources of web servers by their URLs.
///
/// Resources are read by ranges where the server can, and in full otherwise. Every call may be made from any thread; calls
/// block while they wait for the network. `close`, of the fetcher or of a resource, ends what is under way with `cancelled`.
///
/// ```swift
/// let book = HTTPFetcher().get(href: "https://example.com/emma.epub")
/// print(try book.length.get(), try book.read(range: 0..<4).get())
/// ```
public final class HTTPFetcher: Fetcher {
    /// What holds for all requests of a fetcher. Sizes are in bytes.
    public struct Configuration: Sendable {
        /// Sent with each request, for example `Authorization`, which a client drops when redirected to another host.
        public var headers: HTTPHeaders = [:]
        /// How long name resolution, connection and TLS may take together.
        public var connectTimeout: Duration = .seconds(15)
        /// How long a server may send nothing.
        public var idleTimeout: Duration = .seconds(30)
        /// How far behind the end of the last range the next may begin to continue the same answer.
        public var continuationGap: Int64 = 8 << 10
        /// How much of an answer is kept in memory when a server knows no ranges.
        public var keptBody: Int64 = 8 << 20
        /// How much of an answer may be thrown away to come to a range, or counted to learn a length.
        public var discardedBody: Int64 = 64 << 20
        /// The largest content that `read` returns; larger ones have to be read by ranges.
        public var largestContent: Int64 = 1 << 30

        /// The values above.
        public init() {}
    }

    let context: HTTPContext
    private let baseURL: String?

    /// A fetcher of absolute URLs.
    public convenience init(client: any HTTPClient = CurlHTTPClient.shared) {
        self.init(client: client, base: nil, configuration: Configuration())
    }

    /// A fetcher that resolves relative HREFs against `baseURL`.
    public convenience init(
        baseURL: URL, client: any HTTPClient = CurlHTTPClient.shared,
        configuration: Configuration = Configuration(), cancellation: HTTPCancellation = HTTPCancellation()
    ) {
        self.init(
            client: client, base: baseURL.absoluteString, configuration: configuration,
            cancellation: cancellation)
    }

    /// A fetcher with a base URL or nil, whose requests end when `cancellation` is cancelled.
    public init(
        client: any HTTPClient, base: String?, configuration: Configuration,
        cancellation: HTTPCancellation = HTTPCancellation()
    ) {
        baseURL = base
        context = HTTPContext(client: client, configuration: configuration, cancellation: cancellation)
    }

    /// None: a server does not say what it has.
    public var links: [Link] { [] }

    /// The resource at the link's HREF; parameters fill its template or become query items. Asks the server nothing.
    public func get(_ link: Link, parameters: [String: String] = [:]) -> any Resource {
        let expanded: Link
        switch link.expanded(with: parameters) {
        case .success(let link): expanded = link
        case .failure(let error): return FailureResource(link: link, error: error)
        }
        guard let url = HTTPURL(expanded.href, relativeTo: baseURL.flatMap { HTTPURL($0) }) else {
            let error = HTTPError(.malformedURL, "This is not an http or https URL.", subject: expanded.href)
            return FailureResource(link: expanded, error: .badRequest(error))
        }
        return HTTPResource(
            link: expanded, url: link.templated ? url : url.addingQuery(parameters), context: context)
    }

    /// Ends all requests; resources used later fail with `unavailable`.
    public func close() { context.close() }
}

/// What the resources of one fetcher share.
final class HTTPContext: Sendable {
    let client: any HTTPClient
    let configuration: HTTPFetcher.Configuration
    let cancellation: HTTPCancellation
    private let closed = Mutex(false)

    init(client: any HTTPClient, configuration: HTTPFetcher.Configuration, cancellation: HTTPCancellation) {
        self.client = client
        self.configuration = configuration
        self.cancellation = HTTPCancellation(parent: cancellation)
    }

    var isClosed: Bool { closed.withLock { $0 } }

    func close() {
        closed.withLock { $0 = true }
        cancellation.cancel()
    }
}
