import FoundationEssentials

/// A type that sends HTTP requests for an `HTTPFetcher`.
///
/// A client follows at most five redirects, never from https to http. It drops `Authorization` and `Cookie` if the
/// host changes, stores no cookies, and delivers the bytes of the body as received. It may be called from any thread;
/// calls block.
///
/// ```swift
/// /// Answers every request with the same page.
/// struct Canned: HTTPClient {
///     var page: Data
///
///     func send(
///         _ request: HTTPRequest, onResponse: (HTTPResponse) -> HTTPFlow, onChunk: (Data) -> HTTPFlow
///     ) -> Result<HTTPResponse, HTTPError> {
///         let response = HTTPResponse(url: request.url, status: 200)
///         if case .proceed = onResponse(response) { _ = onChunk(page) }
///         return .success(response)
///     }
/// }
/// ```
public protocol HTTPClient: Sendable {
    /// Sends a request and delivers the answer.
    ///
    /// - `onResponse`: called once with the answer after redirects, before any chunk.
    /// - `onChunk`: called with pieces of the body in order. Until it returns, only a limited number of bytes is read
    ///   from the network.
    /// - Returns: the answer, even if one of the closures returned `stop`; the rest of the body is then not fetched.
    func send(
        _ request: HTTPRequest, onResponse: (HTTPResponse) -> HTTPFlow, onChunk: (Data) -> HTTPFlow
    ) -> Result<HTTPResponse, HTTPError>
}

/// The decision of a receiver about the transfer.
///
/// ```swift
/// var head = Data()
/// let request = HTTPRequest(url: "https://example.com/emma.epub")
/// let answer = CurlHTTPClient.shared.send(request) { response in
///     response.status == 200 ? .proceed : .stop
/// } onChunk: { chunk in
///     head += chunk
///     return head.count < 1024 ? .proceed : .stop
/// }
/// print(try answer.get().status, head.count)
/// ```
public enum HTTPFlow: Sendable {
    /// Continue.
    case proceed
    /// Stop; the transfer ends without an error.
    case stop
}

/// A client whose bodies can be read piece by piece at the pace of the reader. A fetcher uses this for all reads if
/// available.
///
/// ```swift
/// /// Sends a token with each request.
/// struct Authorized: StreamingHTTPClient {
///     var token: String
///
///     func open(_ request: HTTPRequest) -> Result<any HTTPExchange, HTTPError> {
///         var request = request
///         request.headers["Authorization"] = "Bearer \(token)"
///         return CurlHTTPClient.shared.open(request)
///     }
/// }
/// ```
public protocol StreamingHTTPClient: HTTPClient {
    /// Sends a request and returns when the header of the answer is complete.
    func open(_ request: HTTPRequest) -> Result<any HTTPExchange, HTTPError>
}

/// An answer whose body is being read. Used by one reader at a time. Releasing or closing it early ends the transfer.
///
/// ```swift
/// let request = HTTPRequest(url: "https://example.com/emma.epub")
/// let exchange = try CurlHTTPClient.shared.open(request).get()
/// defer { exchange.close() }
/// print(exchange.response.status)
/// while case let bytes = try exchange.read(upTo: 64 << 10).get(), !bytes.isEmpty { print(bytes.count) }
/// ```
public protocol HTTPExchange: AnyObject, Sendable {
    /// The answer after redirects.
    var response: HTTPResponse { get }
    /// Reads the next bytes of the body: at least one and at most `count`, or none at the end. Blocks.
    func read(upTo count: Int) -> Result<Data, HTTPError>
    /// Ends the transfer. Can be called more than once.
    func close()
}

extension StreamingHTTPClient {
    /// Implements `send` by reading an exchange to its end.
    public func send(
        _ request: HTTPRequest, onResponse: (HTTPResponse) -> HTTPFlow, onChunk: (Data) -> HTTPFlow
    ) -> Result<HTTPResponse, HTTPError> {
        open(request).flatMap { exchange in
            defer { exchange.close() }
            let response = exchange.response
            guard onResponse(response) == .proceed else { return .success(response) }
            while true {
                switch exchange.read(upTo: 64 << 10) {
                case .failure(let error): return .failure(error)
                case .success(let bytes):
                    guard !bytes.isEmpty, onChunk(bytes) == .proceed else { return .success(response) }
                }
            }
        }
    }
}

extension HTTPClient {
    /// Opens an exchange with any client.
    func exchange(_ request: HTTPRequest) -> Result<any HTTPExchange, HTTPError> {
        if let streaming = self as? any StreamingHTTPClient { return streaming.open(request) }
        return PushedExchange.open(request, of: self)
    }
}
