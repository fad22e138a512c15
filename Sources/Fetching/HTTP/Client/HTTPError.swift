import FoundationEssentials

/// The reason why a request delivered no content: no answer, an error status, or an incomplete body. `subject` is the
/// URL.
///
/// If there was an answer, `native` is its status.
///
/// ```swift
/// func explain(_ error: ResourceError) {
///     guard let problem = error.cause as? HTTPError else { return }
///     print(problem.subject ?? "", problem.message)
///     if problem.code == .timedOut { print("Try again later.") }
/// }
/// ```
public typealias HTTPError = Failure<HTTPErrorCode>

/// The kind of an `HTTPError`. Later versions may add codes.
///
/// ```swift
/// func advice(_ code: HTTPErrorCode) -> String {
///     switch code {
///     case .cannotResolve, .cannotConnect, .timedOut: "Check the connection and try again."
///     case .tls, .unsafeRedirect: "Do not trust this server."
///     default: "The book cannot be read."
///     }
/// }
/// ```
public struct HTTPErrorCode: FailureCode {
    /// The text of the code: lower case words joined by `_`. Codes are never renamed.
    public let rawValue: String

    /// Creates a code from its text; any text is valid.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The server answered with an error status, which is in `native`; `underlying` is an `HTTPErrorAnswer`.
    public static let status = Self(rawValue: "status")
    /// The URL is not an http or https URL.
    public static let malformedURL = Self(rawValue: "malformed_url")
    /// A header field is invalid and cannot be sent.
    public static let malformedRequest = Self(rawValue: "malformed_request")
    /// The name of the host has no address.
    public static let cannotResolve = Self(rawValue: "cannot_resolve")
    /// The host refused the connection or cannot be reached.
    public static let cannotConnect = Self(rawValue: "cannot_connect")
    /// The client does not allow connections to the host's address.
    public static let addressRefused = Self(rawValue: "address_refused")
    /// The connection closed or broke before the answer began.
    public static let connectionLost = Self(rawValue: "connection_lost")
    /// The body ended before its stated length.
    public static let incompleteBody = Self(rawValue: "incomplete_body")
    /// Connecting took too long, or the server sent nothing for too long.
    public static let timedOut = Self(rawValue: "timed_out")
    /// The server's certificate was refused or TLS failed otherwise.
    public static let tls = Self(rawValue: "tls")
    /// There were more redirects than the limit.
    public static let tooManyRedirects = Self(rawValue: "too_many_redirects")
    /// A redirect from https to http, or to another protocol.
    public static let unsafeRedirect = Self(rawValue: "unsafe_redirect")
    /// The answer is not HTTP.
    public static let malformedResponse = Self(rawValue: "malformed_response")
    /// The header fields of the answer exceed the limit.
    public static let headersTooLarge = Self(rawValue: "headers_too_large")
    /// The content is too large to be read at once.
    public static let contentTooLarge = Self(rawValue: "content_too_large")
    /// The content changed between two answers.
    public static let contentChanged = Self(rawValue: "content_changed")
    /// The server does not support ranges, and the complete content exceeds the limit.
    public static let noRanges = Self(rawValue: "no_ranges")
    /// The server does not state the length of the content.
    public static let unknownLength = Self(rawValue: "unknown_length")
    /// The caller cancelled the request.
    public static let cancelled = Self(rawValue: "cancelled")
    /// libcurl is missing or failed.
    public static let clientFailure = Self(rawValue: "client_failure")
}

/// An answer with an error status, or one that does not match the request. An `HTTPError` with the code `status` has
/// it in `underlying`.
///
/// ```swift
/// func explain(_ error: HTTPError) {
///     guard let answer = error.underlying as? HTTPErrorAnswer else { return }
///     print(answer.response.status, answer.response.headers["Retry-After"] ?? "")
///     print(String(decoding: answer.body, as: UTF8.self))
/// }
/// ```
public struct HTTPErrorAnswer: Error, Sendable {
    /// The status, the URL that answered, and the header fields. `Content-Type` may be `application/problem+json`
    /// (RFC 9457).
    public var response: HTTPResponse
    /// The body, limited to 64 KiB; empty after `HEAD`.
    public var body: Data
}

extension Failure where Code == HTTPErrorCode {
    /// Creates the error of an answer with an error status. Includes as much of its body as can be read, and closes
    /// the exchange.
    static func status(of exchange: any HTTPExchange) -> HTTPError {
        let response = exchange.response
        var body = Data()
        while body.count < 64 << 10, case .success(let bytes) = exchange.read(upTo: (64 << 10) - body.count),
            !bytes.isEmpty
        {
            body.append(bytes)
        }
        exchange.close()
        return HTTPError(
            .status, "The server answered with status \(response.status).", subject: response.url,
            native: NativeCode(NativeCode.Domain(rawValue: "HTTP"), Int64(response.status)),
            underlying: HTTPErrorAnswer(response: response, body: body))
    }

    /// Whether the same request may be sent once more. This is the case if the connection broke, as happens with a
    /// busy server or a kept connection.
    var deservesRetry: Bool { code == .connectionLost || code == .incompleteBody }
}

extension ResourceError {
    /// Converts the error of a failed request.
    init(_ error: HTTPError) {
        switch error.code {
        case .status: self.init(status: error.native?.number ?? 0, error)
        case .cancelled: self = .cancelled
        case .malformedURL, .malformedRequest: self = .badRequest(error)
        case .addressRefused: self = .forbidden(error)
        case .cannotResolve, .cannotConnect, .connectionLost, .incompleteBody, .timedOut, .contentChanged,
            .noRanges,
            .unknownLength:
            self = .unavailable(error)
        default: self = .other(error)
        }
    }

    private init(status: Int64, _ error: HTTPError) {
        switch status {
        case 400: self = .badRequest(error)
        case 401, 402, 403, 407, 451: self = .forbidden(error)
        case 404, 410: self = .notFound(error)
        case 408, 425, 429, 502, 503, 504: self = .unavailable(error)
        default: self = .other(error)
        }
    }
}
