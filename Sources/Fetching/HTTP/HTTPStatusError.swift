import FoundationEssentials

/// An answer that says that a request failed, or one that was not asked for.
public struct HTTPStatusError: Error, Sendable, CustomStringConvertible {
    /// The status, such as 404.
    public var status: Int
    /// The URL that answered.
    public var url: String
    /// `Content-Type` of the body, which may be `application/problem+json` (RFC 9457).
    public var mediaType: String?
    /// The body, at most 64 KiB of it; empty after `HEAD`.
    public var body: Data

    /// `URL: HTTP status 404`.
    public var description: String { "\(url): HTTP status \(status)" }

    /// The error of an answer, with as much of its body as comes.
    init(reading exchange: any HTTPExchange) {
        let response = exchange.response
        status = response.status
        url = response.url
        mediaType = response.headers["Content-Type"]
        body = Data()
        while body.count < 64 << 10, case .success(let bytes) = exchange.read(upTo: (64 << 10) - body.count),
            !bytes.isEmpty
        {
            body.append(bytes)
        }
        exchange.close()
    }
}
