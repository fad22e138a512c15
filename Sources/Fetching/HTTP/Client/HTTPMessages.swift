import Formats
import FoundationEssentials
import Platform

/// A switch that any thread can use to end requests permanently.
///
/// ```swift
/// let cancellation = HTTPCancellation()
/// let request = HTTPRequest(url: "https://example.com/emma.epub", cancellation: cancellation)
/// Thread.detachNewThread {
///     if case .failure(let error) = CurlHTTPClient.shared.open(request) { print(error.code) }  // cancelled
/// }
/// cancellation.cancel()
/// ```
public typealias HTTPCancellation = Cancellation

/// A request for an `HTTPClient`.
///
/// ```swift
/// var request = HTTPRequest(url: "https://example.org/books/emma.epub", idleTimeout: .seconds(10))
/// request.headers["Range"] = "bytes=0-1023"
/// print(request.method.rawValue, request.url)
/// ```
public struct HTTPRequest: Sendable {
    /// The methods that reading needs. Both have no side effects on the server.
    public enum Method: String, Sendable {
        /// Requests the content.
        case get = "GET"
        /// Requests only the header fields.
        case head = "HEAD"
    }

    /// The method of the request.
    public var method: Method
    /// An absolute `http` or `https` URL, percent-encoded, without fragment.
    public var url: String
    /// The header fields, which are sent unchanged. A client adds `Host` and `User-Agent` if they are missing, and
    /// never `Accept-Encoding`.
    public var headers: HTTPHeaders
    /// The time limit for name resolution, connection and TLS together. 15 s by default.
    public var connectTimeout: Duration
    /// The time limit for a server that sends nothing. 30 s by default.
    public var idleTimeout: Duration
    /// Allows another thread to end the transfer.
    public var cancellation: HTTPCancellation

    /// Creates a request; by default, `GET` with the default timeouts.
    public init(
        method: Method = .get, url: String, headers: HTTPHeaders = [:],
        connectTimeout: Duration = .seconds(15),
        idleTimeout: Duration = .seconds(30), cancellation: HTTPCancellation = HTTPCancellation()
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.connectTimeout = connectTimeout
        self.idleTimeout = idleTimeout
        self.cancellation = cancellation
    }
}

/// The answer of a server, without the body.
///
/// ```swift
/// let request = HTTPRequest(method: .head, url: "https://example.com/emma.epub")
/// let exchange = try CurlHTTPClient.shared.open(request).get()
/// let response = exchange.response
/// print(response.status, response.url, response.contentLength ?? 0, response.headers["Content-Type"] ?? "")
/// exchange.close()
/// ```
public struct HTTPResponse: Sendable, Equatable {
    /// The URL that answered, after redirects.
    public var url: String
    /// The status, 200 to 599. Interim answers below 200 are not reported.
    public var status: Int
    /// The header fields of the final answer.
    public var headers: HTTPHeaders

    /// Creates an answer.
    public init(url: String, status: Int, headers: HTTPHeaders = [:]) {
        self.url = url
        self.status = status
        self.headers = headers
    }

    /// `Content-Length` as a number; nil if it is missing or invalid. Several equal values count as one (RFC 9110
    /// section 8.6).
    public var contentLength: Int64? {
        let parts = (headers["Content-Length"] ?? "").split(separator: ",").map {
            ASCII.number(ASCII.trimmed($0))
        }
        guard let first = parts.first, parts.allSatisfy({ $0 == first }) else { return nil }
        return first
    }

    /// The entity tag if it is strong, so that equal tags mean equal bytes.
    var strongTag: String? { headers["ETag"].flatMap { $0.hasPrefix("\"") ? $0 : nil } }

    /// The identifier of the version: the strong entity tag, or else the modification date.
    var validator: String? { strongTag ?? headers["Last-Modified"] }

    /// The encoding of the body; nil if the bytes are those of the resource.
    public var contentCoding: String? {
        guard let coding = headers["Content-Encoding"].map({ ASCII.lowercased(ASCII.trimmed($0)) }),
            !coding.isEmpty, coding != "identity"
        else { return nil }
        return coding
    }
}

extension HTTPResponse {
    /// Guesses the format of the content from the header, the URLs and, if those are not sufficient, the body
    /// (Readium's File and Format proposal).
    ///
    /// The status is ignored: the format of an error page is the format of that page.
    ///
    /// - `bytes`: returns the body; called at most once, and only if the hints are not sufficient.
    /// - `requestedURL`: the URL before redirects. Its extension counts after that of the final URL.
    /// - `fileExtensions`: extensions from other sources.
    /// - `mediaTypes`: media types from other sources, such as the type of a link.
    public func guessFormat(
        bytes: @escaping () -> Data, requestedURL: String? = nil, fileExtensions: [String] = [],
        mediaTypes: [String] = [], sniffers: [Format.Sniffer] = Format.defaultSniffers
    ) -> Format? {
        let hints = ResponseHints(
            headers: headers.fields.map { (name: $0.name, value: $0.value) },
            addresses: [url] + (requestedURL.map { [$0] } ?? []), fileExtensions: fileExtensions,
            mediaTypes: mediaTypes)
        return Format.guess(
            bytes: bytes, fileExtensions: hints.fileExtensions, mediaTypes: hints.mediaTypes,
            sniffers: sniffers)
    }
}
