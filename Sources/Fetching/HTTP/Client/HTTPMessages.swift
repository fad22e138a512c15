import Formats
import FoundationEssentials
import Platform

/// A switch that ends requests from any thread, once and for good.
public typealias HTTPCancellation = Cancellation

/// What an `HTTPClient` is asked to send.
///
/// ```swift
/// var request = HTTPRequest(url: "https://example.org/books/emma.epub", idleTimeout: .seconds(10))
/// request.headers["Range"] = "bytes=0-1023"
/// print(request.method.rawValue, request.url)
/// ```
public struct HTTPRequest: Sendable {
    /// The methods that reading needs, both without effect on the server.
    public enum Method: String, Sendable {
        /// The content.
        case get = "GET"
        /// The header fields alone.
        case head = "HEAD"
    }

    /// What is asked.
    public var method: Method
    /// An absolute `http` or `https` URL, percent-encoded, without fragment.
    public var url: String
    /// Sent as they are. A client adds `Host` and `User-Agent` where they are missing, and never `Accept-Encoding`.
    public var headers: HTTPHeaders
    /// How long name resolution, connection and TLS may take together. 15 s (fetcher reference, section 10.2).
    public var connectTimeout: Duration
    /// How long the server may send nothing. 30 s (fetcher reference, section 10.2).
    public var idleTimeout: Duration
    /// Ends the transfer from another thread.
    public var cancellation: HTTPCancellation

    /// A request; `GET` with the usual time-outs unless told otherwise.
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

/// What a server answered, without the body.
public struct HTTPResponse: Sendable, Equatable {
    /// The URL that answered, after redirects.
    public var url: String
    /// 200 to 599; interim answers below 200 are not shown.
    public var status: Int
    /// The fields of the last answer.
    public var headers: HTTPHeaders

    /// An answer.
    public init(url: String, status: Int, headers: HTTPHeaders = [:]) {
        self.url = url
        self.status = status
        self.headers = headers
    }

    /// `Content-Length`, when it is one number; several equal ones count as one (RFC 9110 section 8.6).
    public var contentLength: Int64? {
        let parts = (headers["Content-Length"] ?? "").split(separator: ",").map {
            ASCII.number(ASCII.trimmed($0))
        }
        guard let first = parts.first, parts.allSatisfy({ $0 == first }) else { return nil }
        return first
    }

    /// The entity tag, if equal tags mean equal bytes.
    var strongTag: String? { headers["ETag"].flatMap { $0.hasPrefix("\"") ? $0 : nil } }

    /// What names the version: the strong entity tag, else the date of the last change.
    var validator: String? { strongTag ?? headers["Last-Modified"] }

    /// The coding of the body, nil when the bytes are those of the resource.
    public var contentCoding: String? {
        guard let coding = headers["Content-Encoding"].map({ ASCII.lowercased(ASCII.trimmed($0)) }),
            !coding.isEmpty, coding != "identity"
        else { return nil }
        return coding
    }
}

extension HTTPResponse {
    /// The format of the content, from the header, the URLs and, if those do not tell, the body (File and Format proposal;
    /// format reference, section 9).
    ///
    /// The status is not looked at: the format of an error page is that of the page.
    ///
    /// - `bytes`: the body, asked for at most once and only if the hints do not tell.
    /// - `requestedURL`: the URL before redirects, whose extension counts after that of the final one.
    /// - `fileExtensions`: extensions that other sources tell.
    /// - `mediaTypes`: media types that other sources tell, such as the type of a link.
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
