import FoundationEssentials
import Synchronization

/// Serves resources of web servers by their URLs.
///
/// It reads resources by ranges if the server supports them, and completely otherwise. All members may be called from
/// any thread; calls block while they wait for the network. Closing the fetcher or a resource ends its requests with
/// `cancelled`.
///
/// ```swift
/// let book = HTTPFetcher().get(href: "https://example.com/emma.epub")
/// print(try book.length.get(), try book.read(range: 0..<4).get())
/// ```
public final class HTTPFetcher: Fetcher {
    /// The settings for all requests of a fetcher. Sizes are in bytes.
    public struct Configuration: Sendable {
        /// Header fields for each request, for example `Authorization`. A client drops that one when it is redirected
        /// to another host.
        public var headers: HTTPHeaders = [:]
        /// The time limit for name resolution, connection and TLS together.
        public var connectTimeout: Duration = .seconds(15)
        /// The time limit for a server that sends nothing.
        public var idleTimeout: Duration = .seconds(30)
        /// The largest gap after the end of the last range for which a read continues the same answer.
        public var continuationGap: Int64 = 8 << 10
        /// The largest part of an answer that is kept in memory if a server does not support ranges.
        public var keptBody: Int64 = 8 << 20
        /// The largest part of an answer that is discarded to reach a range, or counted to determine a length.
        public var discardedBody: Int64 = 64 << 20
        /// The largest content that `read` returns. Larger content must be read by ranges.
        public var largestContent: Int64 = 1 << 30

        /// Creates the default settings.
        public init() {}
    }

    let context: HTTPContext
    private let baseURL: String?

    /// Creates a fetcher for absolute URLs.
    public convenience init(client: any HTTPClient = CurlHTTPClient.shared) {
        self.init(client: client, base: nil, configuration: Configuration())
    }

    /// Creates a fetcher that resolves relative HREFs against `baseURL`.
    public convenience init(
        baseURL: URL, client: any HTTPClient = CurlHTTPClient.shared,
        configuration: Configuration = Configuration(), cancellation: HTTPCancellation = HTTPCancellation()
    ) {
        self.init(
            client: client, base: baseURL.absoluteString, configuration: configuration,
            cancellation: cancellation)
    }

    /// Creates a fetcher with an optional base URL. Its requests end when `cancellation` is cancelled.
    public init(
        client: any HTTPClient, base: String?, configuration: Configuration,
        cancellation: HTTPCancellation = HTTPCancellation()
    ) {
        baseURL = base
        context = HTTPContext(client: client, configuration: configuration, cancellation: cancellation)
    }

    /// Always empty, because a server does not list its content.
    public var links: [Link] { [] }

    /// Returns the resource at the link's HREF. Parameters are inserted into its template or become query items.
    /// Sends no request.
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

    /// Ends all requests. Resources used later fail with `unavailable`.
    public func close() { context.close() }
}

/// The state that the resources of one fetcher share.
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
