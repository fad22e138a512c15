import CCurl
import FoundationEssentials
import Platform
import Synchronization

/// An HTTP client that uses libcurl. The first request loads libcurl, so that programs without requests do not need
/// it.
///
/// It uses HTTP/1.1 on connections that are kept and reused. Bodies are received at the pace at which they are read.
/// Safe from any thread, with any number of transfers at once.
///
/// ```swift
/// var configuration = CurlHTTPClient.Configuration()
/// configuration.userAgent = "Bookshelf/1.0"
/// configuration.maximumRedirects = 2
/// let fetcher = HTTPFetcher(client: CurlHTTPClient(configuration: configuration))
/// print(try fetcher.get(href: "https://example.com/emma.epub").length.get())
/// ```
public final class CurlHTTPClient: StreamingHTTPClient {
    /// The settings for all requests of a client.
    public struct Configuration: Sendable {
        /// The `User-Agent` of requests that have none.
        public var userAgent = "OverlayHost"
        /// The number of redirects that are followed before the request fails.
        public var maximumRedirects = 5
        /// The largest total size of header fields in bytes, over all redirects of one request.
        public var maximumHeaderBytes = 128 << 10
        /// Whether the environment variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` are used.
        public var followsProxyVariables = true
        /// A PEM file of certificates that are trusted instead of the system's.
        public var certificateFile: String?

        /// Decides whether the client may connect to an address, after each name resolution, including those of
        /// redirects; nil allows all. Use it only without `followsProxyVariables`, because a proxy would hide the
        /// addresses.
        package var allowsAddress: (@Sendable (IPAddress) -> Bool)?

        /// Creates the default settings.
        public init() {}
    }

    /// The default client of fetchers.
    public static let shared = CurlHTTPClient()

    /// The client for requests whose URLs come from untrusted sources. It connects only to addresses of the public
    /// internet, not to those in the networks of the host's interfaces, and does not use a proxy.
    package static let publicAddresses = {
        var configuration = Configuration()
        configuration.followsProxyVariables = false
        configuration.allowsAddress = { $0.isPublic(outside: NetworkPrefix.ofInterfaces()) }
        return CurlHTTPClient(configuration: configuration)
    }()

    let configuration: Configuration
    private let pool = CurlLanePool()

    /// Creates a client with its own connections, which close when it is released.
    public init(configuration: Configuration = Configuration()) { self.configuration = configuration }

    /// Sends a request, follows redirects, and returns when the header is complete.
    public func open(_ request: HTTPRequest) -> Result<any HTTPExchange, HTTPError> {
        do throws(HTTPError) {
            return .success(try follow(request))
        } catch {
            return .failure(error)
        }
    }

    private func follow(_ request: HTTPRequest) throws(HTTPError) -> any HTTPExchange {
        guard var url = HTTPURL(request.url) else {
            throw HTTPError(.malformedURL, "This is not an http or https URL.", subject: request.url)
        }
        if let field = request.headers.firstInvalid {
            throw HTTPError(
                .malformedRequest, "The header field \(field.name) cannot be sent.", subject: url.string)
        }
        if let reason = ccurl_load() {
            throw HTTPError(
                .clientFailure, "HTTP is not available: \(String(cString: reason)).", subject: url.string,
                hint: "Install the package libcurl4.")
        }
        var headers = request.headers
        if headers["Authorization"] == nil { headers["Authorization"] = url.basicAuthorization }
        if headers["User-Agent"] == nil { headers["User-Agent"] = configuration.userAgent }
        var headerBytes = configuration.maximumHeaderBytes
        for _ in 0...max(0, configuration.maximumRedirects) {
            let exchange = try CurlExchange(
                request: request, url: url, headers: headers, headerBytes: headerBytes,
                configuration: configuration, pool: pool)
            headerBytes -= exchange.headerBytes
            guard let target = try Self.redirect(exchange.response, from: url) else { return exchange }
            exchange.drain()
            if !target.isSameHost(as: url) {
                for name in ["Authorization", "Cookie", "Proxy-Authorization", "Host"] { headers[name] = nil }
            }
            url = target
        }
        throw HTTPError(
            .tooManyRedirects, "The server redirected more than \(configuration.maximumRedirects) times.",
            subject: request.url)
    }

    /// The URL to which an answer redirects; nil if it is not a redirect that can be followed.
    static func redirect(_ response: HTTPResponse, from url: HTTPURL) throws(HTTPError) -> HTTPURL? {
        guard [301, 302, 303, 307, 308].contains(response.status), let location = response.headers["Location"]
        else { return nil }
        guard let target = HTTPURL(location, relativeTo: url) else {
            throw HTTPError(
                .unsafeRedirect, "The server redirects to \(location), which is not an http or https URL.",
                subject: url.string)
        }
        if url.scheme == "https", target.scheme != "https" {
            throw HTTPError(
                .unsafeRedirect, "The server redirects from https to \(target.string).", subject: url.string)
        }
        return target
    }
}
