import FoundationEssentials

// What a cache asks of a web resource.
extension HTTPResource {
    /// Asks whether the version that a validator names is current, an entity tag or a date of the last change.
    ///
    /// - Returns: the head of the answer that confirms it; nil if the server sends another version, which the next reads continue.
    func revalidate(_ validator: String) -> Result<HTTPResponse?, ResourceError> {
        attempting { () throws(HTTPError) in
            let name = validator.hasPrefix("\"") ? "If-None-Match" : "If-Modified-Since"
            switch try open(conditions: [name: validator]) {
            case .notModified(let response): return response
            case .content(let cursor):
                putBack(cursor, after: nil)
                return nil
            case .beyondEnd: throw notAsked
            }
        }
    }

    /// Reads a range of the version that a validator names; fails with `contentChanged` if the server has another one.
    func read(range: Range<Int64>, ofVersion validator: String) -> Result<Data, ResourceError> {
        attempting { () throws(HTTPError) in try read(range, version: validator) }
    }

    /// The length, if answers so far told it. Sends no request.
    var knownLength: Int64? { state.withLock { $0.body.map { Int64($0.count) } ?? $0.total } }

    /// The head of the last answer that brought or described content. Sends no request.
    var knownAnswer: HTTPResponse? { state.withLock { $0.answer } }
}
