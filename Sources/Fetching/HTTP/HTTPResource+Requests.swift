import Synchronization
import FoundationEssentials
import Platform

extension HTTPResource {
    /// The result of a request for content.
    enum Answer {
        /// Content, and its position.
        case content(BodyCursor)
        /// The range begins at or after the end.
        case beyondEnd
        /// The version in the conditions is the current one.
        case notModified(HTTPResponse)
    }

    /// Requests everything, or the bytes from `start` up to `end` (nil: to the end), with additional header fields.
    func open(
        from start: Int64? = nil, to end: Int64? = nil, conditions: HTTPHeaders = [:]
    ) throws(HTTPError) -> Answer {
        var headers = conditions
        // Both bounds in the header are inclusive.
        if let start { headers["Range"] = "bytes=\(start)-" + (end.map { String($0 - 1) } ?? "") }
        let exchange = try send(.get, headers)
        let response = exchange.response
        switch response.status {
        case 206:
            guard let start else {
                throw unexpected(response, "The server sent a part that was not requested.", exchange)
            }
            return .content(try part(exchange, from: start))
        case 200..<300:
            enrich(response)
            let total = response.contentLength
            // With a condition, the server also sends everything if the version has changed.
            let version = conditions["If-Range"]
            let isRefused =
                start != nil && response.status == 200 && (version == nil || version == response.validator)
            let ignoresRanges = state.withLock { state in
                if isRefused { state.ignoresRanges = true }
                if let total { state.total = total }
                return state.ignoresRanges
            }
            let kept = ignoresRanges ? context.configuration.keptBody : 0
            return .content(BodyCursor(exchange, position: 0, end: total, prefixLimit: kept))
        case 304:
            exchange.close()
            enrich(response)
            return .notModified(response)
        case 416:
            exchange.close()
            let total = response.headers["Content-Range"].flatMap { ContentRange($0)?.total }
            guard let start, let total, start >= total else {
                throw unexpected(response, "The server refused a valid range.", exchange)
            }
            state.withLock { $0.total = total }
            return .beyondEnd
        default:
            throw HTTPError.status(of: exchange)
        }
    }

    /// Creates the cursor of a 206 answer.
    private func part(_ exchange: any HTTPExchange, from start: Int64) throws(HTTPError) -> BodyCursor {
        let response = exchange.response
        guard let text = response.headers["Content-Range"], let sent = ContentRange(text),
            let range = sent.range, range.lowerBound == start
        else {
            let field = response.headers["Content-Range"] ?? "nothing"
            throw unexpected(
                response, "Byte \(start) was requested, but Content-Range is \(field).", exchange)
        }
        if let length = response.contentLength, length != range.upperBound - range.lowerBound {
            throw unexpected(
                response, "Content-Length \(length) does not match Content-Range \(text).", exchange)
        }
        enrich(response)
        if let total = sent.total { state.withLock { $0.total = total } }
        let reachesEnd = sent.total == range.upperBound
        return BodyCursor(exchange, position: start, end: range.upperBound, reachesEnd: reachesEnd)
    }

    /// Sends a request, and refuses answers whose bytes are not those of the resource.
    func send(_ method: HTTPRequest.Method, _ more: HTTPHeaders) throws(HTTPError) -> any HTTPExchange {
        let configuration = context.configuration
        var headers = configuration.headers
        if headers["Authorization"] == nil { headers["Authorization"] = url.basicAuthorization }
        // Ranges and lengths must refer to the unencoded bytes.
        headers["Accept-Encoding"] = "identity"
        for field in more.fields { headers[field.name] = field.value }
        let request = HTTPRequest(
            method: method, url: url.string, headers: headers, connectTimeout: configuration.connectTimeout,
            idleTimeout: configuration.idleTimeout, cancellation: cancellation)
        let exchange: any HTTPExchange
        switch context.client.exchange(request) {
        case .success(let opened): exchange = opened
        case .failure(let error): throw error
        }
        let response = exchange.response
        if url.scheme == "https", HTTPURL(response.url)?.scheme != "https" {
            exchange.close()
            throw HTTPError(
                .unsafeRedirect, "The server redirects from https to \(response.url).", subject: url.string)
        }
        if method == .get, let coding = response.contentCoding, (200..<300).contains(response.status) {
            throw unexpected(
                response, "The body is encoded with \(coding), which was not requested.", exchange)
        }
        return exchange
    }

    private func unexpected(_ response: HTTPResponse, _ message: String, _ exchange: any HTTPExchange)
        -> HTTPError
    {
        exchange.close()
        return HTTPError(.malformedResponse, message, subject: response.url)
    }
}
