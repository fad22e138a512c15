import FoundationEssentials

/// What sends HTTP requests for an `HTTPFetcher`.
///
/// A client follows at most five redirects, never from https to http, drops `Authorization` and `Cookie` when the host
/// changes, keeps no cookies, and hands over the bytes of the body as they came. Any thread may call it; calls block.
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
    /// Sends a request and hands over what comes.
    ///
    /// - `onResponse`: called once, before any chunk, with the answer after redirects.
    /// - `onChunk`: called with pieces of the body in order. Until it returns, no more than a bounded number of bytes is
    ///   read from the network.
    /// - Returns: the answer, also when one of the closures said `stop`; then the rest of the body is not fetched.
    func send(
        _ request: HTTPRequest, onResponse: (HTTPResponse) -> HTTPFlow, onChunk: (Data) -> HTTPFlow
    ) -> Result<HTTPResponse, HTTPError>
}

/// What a receiver wants next.
public enum HTTPFlow: Sendable {
    /// More.
    case proceed
    /// No more; the transfer ends without an error.
    case stop
}

/// A client whose bodies can be read piece by piece at the reader's pace, which a fetcher then uses for all its reading.
public protocol StreamingHTTPClient: HTTPClient {
    /// Sends a request and returns when the answer's header is there.
    func open(_ request: HTTPRequest) -> Result<any HTTPExchange, HTTPError>
}

/// An answer with a body that is being read. One reader at a time; released or closed early, the transfer ends.
public protocol HTTPExchange: AnyObject, Sendable {
    /// The answer after redirects.
    var response: HTTPResponse { get }
    /// The next bytes of the body, at least one and at most `count`; none at the end. Blocks.
    func read(upTo count: Int) -> Result<Data, HTTPError>
    /// Ends the transfer; idempotent.
    func close()
}

extension StreamingHTTPClient {
    /// `send` by reading an exchange to its end.
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
    /// An exchange of any client.
    func exchange(_ request: HTTPRequest) -> Result<any HTTPExchange, HTTPError> {
        if let streaming = self as? any StreamingHTTPClient { return streaming.open(request) }
        return PushedExchange.open(request, of: self)
    }
}
