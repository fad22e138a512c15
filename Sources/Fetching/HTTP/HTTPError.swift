/// Why a request brought no answer, or an answer no whole body. An error status is an answer and not one of these.
public struct HTTPError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// Lower case words joined by `_`; never renamed.
        public let rawValue: String
        /// A code by its text; any text is a code.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The text of the code.
        public var description: String { rawValue }

        /// The URL is not one that can be asked.
        public static let malformedURL = Code(rawValue: "malformed_url")
        /// A header field cannot be sent.
        public static let malformedRequest = Code(rawValue: "malformed_request")
        /// The name of the host has no address.
        public static let cannotResolve = Code(rawValue: "cannot_resolve")
        /// The host refused the connection or there is no way to it.
        public static let cannotConnect = Code(rawValue: "cannot_connect")
        /// The client may not connect to the address of the host.
        public static let addressRefused = Code(rawValue: "address_refused")
        /// The connection ended or broke before the answer began.
        public static let connectionLost = Code(rawValue: "connection_lost")
        /// The body ended before its announced length.
        public static let incompleteBody = Code(rawValue: "incomplete_body")
        /// Connecting took too long, or the server sent nothing for too long.
        public static let timedOut = Code(rawValue: "timed_out")
        /// The server's certificate was refused or TLS failed otherwise.
        public static let tls = Code(rawValue: "tls")
        /// More redirects than are followed.
        public static let tooManyRedirects = Code(rawValue: "too_many_redirects")
        /// A redirect from https to http, or to something else than HTTP.
        public static let unsafeRedirect = Code(rawValue: "unsafe_redirect")
        /// The answer is not HTTP.
        public static let malformedResponse = Code(rawValue: "malformed_response")
        /// The header fields of the answer are larger than what is accepted.
        public static let headersTooLarge = Code(rawValue: "headers_too_large")
        /// The content is larger than what is read at once.
        public static let contentTooLarge = Code(rawValue: "content_too_large")
        /// The server sends only the whole, and that is too much.
        public static let noRanges = Code(rawValue: "no_ranges")
        /// The server does not tell how long the content is.
        public static let unknownLength = Code(rawValue: "unknown_length")
        /// Somebody cancelled the request.
        public static let cancelled = Code(rawValue: "cancelled")
        /// The HTTP library is missing or failed by itself.
        public static let clientFailure = Code(rawValue: "client_failure")
    }

    /// What kind of failure it is.
    public var code: Code
    /// One clause for a person.
    public var message: String
    /// The URL.
    public var subject: String?
    /// What helps, if something does.
    public var hint: String?
    /// What lay under it.
    public var underlying: (any Error)?

    /// A failure of a request to `subject`.
    public init(
        _ code: Code, _ message: String, subject: String? = nil, hint: String? = nil,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.subject = subject
        self.hint = hint
        self.underlying = underlying
    }

    /// `URL: message. hint`, on one line.
    public var description: String {
        let text = subject.map { "\($0): \(message)" } ?? message
        return hint.map { "\(text). \($0)" } ?? text
    }

    /// Whether asking once more is worth while: the connection broke, which a busy server or a kept connection does.
    var deservesRetry: Bool { code == .connectionLost || code == .incompleteBody }
}
