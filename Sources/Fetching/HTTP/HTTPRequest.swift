/// What an `HTTPClient` is asked to send.
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
