import CCurl
import FoundationEssentials
import Platform
import Synchronization

/// The HTTP client: libcurl, which the first request loads, so that programs without requests do not need it.
///
/// HTTP/1.1 on connections that are kept and used again; bodies come at the pace at which they are read. Safe from any
/// thread, any number of transfers at once.
public final class CurlHTTPClient: StreamingHTTPClient {
    /// What holds for every request of a client.
    public struct Configuration: Sendable {
        /// Sent as `User-Agent` where a request has none.
        public var userAgent = "OverlayHost"
        /// Redirects that are followed before it counts as a failure.
        public var maximumRedirects = 5
        /// Bytes of header fields that are accepted, over all redirects of one request.
        public var maximumHeaderBytes = 128 << 10
        /// Whether the environment's `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` are followed.
        public var followsProxyVariables = true
        /// A file of certificates in PEM that are trusted instead of the system's.
        public var certificateFile: String?

        /// Which addresses may be connected to, asked after each resolution of a name, also that of a redirect. Nil: all. A proxy
        /// would hide them: without `followsProxyVariables` only.
        package var allowsAddress: (@Sendable (IPAddress) -> Bool)?

        /// The values above.
        public init() {}
    }

    /// The client that fetchers use unless they are given another.
    public static let shared = CurlHTTPClient()

    /// The client for requests that others decide: it connects to addresses of the public internet only, not to
    /// those in the networks of the computer's interfaces, and through no proxy.
    package static let publicAddresses = {
        var configuration = Configuration()
        configuration.followsProxyVariables = false
        configuration.allowsAddress = { $0.isPublic(outside: NetworkPrefix.ofInterfaces()) }
        return CurlHTTPClient(configuration: configuration)
    }()

    let configuration: Configuration
    private let pool = CurlLanePool()

    /// A client with its own connections, which end with it.
    public init(configuration: Configuration = Configuration()) { self.configuration = configuration }

    /// Sends a request, follows redirects, and returns when the last header is there.
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
                .clientFailure, "libcurl cannot be loaded: \(String(cString: reason)).", subject: url.string,
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

    /// Where an answer sends the client; nil when it is not a redirect that can be followed.
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
