import Synchronization
import FoundationEssentials

// The requests that a cache needs.
extension HTTPResource {
    /// Asks the server whether the version that a validator identifies is current. The validator is an entity tag or
    /// a modification date.
    ///
    /// - Returns: the head of the answer that confirms the version; nil if the server sends another version, which
    ///   the next reads continue.
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

    /// Reads a range of the version that a validator identifies. Fails with `contentChanged` if the server has
    /// another one.
    func read(range: Range<Int64>, ofVersion validator: String) -> Result<Data, ResourceError> {
        attempting { () throws(HTTPError) in try read(range, version: validator) }
    }

    /// The length, if earlier answers stated it. Sends no request.
    var knownLength: Int64? { state.withLock { $0.body.map { Int64($0.count) } ?? $0.total } }

    /// The head of the last answer that delivered or described the content. Sends no request.
    var knownAnswer: HTTPResponse? { state.withLock { $0.answer } }
}
