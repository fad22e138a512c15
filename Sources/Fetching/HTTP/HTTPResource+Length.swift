import Synchronization
import FoundationEssentials
import JSON

extension HTTPResource {
    /// The length, determined by the cheapest method that the server supports. It is kept once known.
    var length: Result<Int64, ResourceError> {
        if let known = state.withLock({ $0.body.map { Int64($0.count) } ?? $0.total ?? $0.announced }),
            !context.isClosed, !state.withLock({ $0.isClosed })
        {
            return .success(known)
        }
        return attempting { () throws(HTTPError) in
            if let length = try lengthByHead() { return length }
            if let length = try lengthByPart() { return length }
            return try lengthByCounting()
        }
    }

    /// The length that `HEAD` returns; nil if the server does not support the method or does not state a length.
    func lengthByHead() throws(HTTPError) -> Int64? {
        guard !state.withLock({ $0.headTellsNoLength }) else { return nil }
        let exchange = try send(.head, [:])
        let response = exchange.response
        exchange.close()
        if response.status == 405 || response.status == 501 {
            state.withLock { $0.headTellsNoLength = true }
            return nil
        }
        guard (200..<300).contains(response.status) else {
            throw HTTPError.status(of: exchange)
        }
        enrich(response)
        // The length of an encoded body is not the length of the resource.
        guard response.contentCoding == nil, let length = response.contentLength else {
            state.withLock { $0.headTellsNoLength = true }
            return nil
        }
        state.withLock { $0.announced = length }
        return length
    }

    /// The length in the answer to a request for the first byte.
    func lengthByPart() throws(HTTPError) -> Int64? {
        let ignoresRanges = state.withLock { $0.ignoresRanges }
        switch ignoresRanges ? try open() : try open(from: 0, to: 1) {
        case .content(let cursor): putBack(cursor, after: nil)
        case .beyondEnd, .notModified: break
        }
        return state.withLock { $0.total }
    }

    /// The length, determined by reading the complete content.
    private func lengthByCounting() throws(HTTPError) -> Int64 {
        let limit = context.configuration.discardedBody
        // Bytes that were read but not kept must be read again.
        var cursor = takeIdle(0..<Int64.max, gap: 0)
        if cursor == nil, case .content(let opened) = try open() { cursor = opened }
        guard let cursor else { throw notAsked }
        while cursor.position <= limit {
            if try cursor.next(256 << 10).isEmpty { break }
        }
        guard cursor.isAtEnd, cursor.position <= limit else {
            cursor.close()
            throw HTTPError(.unknownLength, "The server did not send the length.", subject: url.string)
        }
        state.withLock { $0.total = cursor.position }
        putBack(cursor, after: nil)
        return cursor.position
    }
}

/// A resource whose server can describe its content without sending it.
package protocol AskableResource: Resource {
    /// The head of an answer that delivered or described the content. If there was none yet, sends one small request.
    func ask() -> Result<HTTPResponse, ResourceError>
}

extension HTTPResource: AskableResource {
    /// Sends `HEAD`, or requests the first byte if the server does not support that.
    func ask() -> Result<HTTPResponse, ResourceError> {
        if let known = state.withLock({ $0.isClosed ? nil : $0.answer }), !context.isClosed {
            return .success(known)
        }
        return attempting { () throws(HTTPError) in
            _ = try lengthByHead()
            if let answer = state.withLock({ $0.answer }) { return answer }
            _ = try lengthByPart()
            // If the first byte of empty content was requested, no answer describes the content.
            return state.withLock { $0.answer } ?? HTTPResponse(url: url.string, status: 200)
        }
    }
}

extension HTTPResource {
    /// Adds the information in an answer to the link.
    func enrich(_ response: HTTPResponse) {
        let metadata = HTTPMetadata(response, requestHeaders: context.configuration.headers)
        let type = response.status == 304 ? nil : response.headers["Content-Type"]
        state.withLock { state in
            if response.status != 304 { state.answer = response }
            if let type, !type.isEmpty, state.link.type == nil || !Self.isGeneric(type) {
                state.link.type = type
            }
            state.link.properties[HTTPMetadata.propertyName] = metadata.json
        }
    }

    /// Whether a type is one that servers send if they do not know it. The caller's type is better then.
    private static func isGeneric(_ type: String) -> Bool {
        let name = ASCII.lowercased(ASCII.trimmed(type.prefix { $0 != ";" }))
        return name == "application/octet-stream" || name == "binary/octet-stream"
    }
}
