import FoundationEssentials
import Synchronization

/// A resource of a web server.
///
/// Several reads may run at the same time, each on its own connection. The lock is never held while waiting for the
/// network.
final class HTTPResource: Resource {
    struct State {
        var link: Link
        /// The head of the last answer that delivered or described the content.
        var answer: HTTPResponse?
        /// Whether `HEAD` was tried and returned no length.
        var headTellsNoLength = false
        /// The length, from an answer with content.
        var total: Int64?
        /// The length that `HEAD` returned, which is only a hint.
        var announced: Int64?
        /// Whether the server answered a range request with the complete content.
        var ignoresRanges = false
        /// The complete content, if it had to be read and is small.
        var body: Data?
        /// An answer that the next read may continue.
        var idle: BodyCursor?
        /// The end of the last range, used to detect sequential reads.
        var lastEnd: Int64?
        var isClosed = false
    }

    let url: HTTPURL
    let context: HTTPContext
    let cancellation: HTTPCancellation
    let state: Mutex<State>

    /// - Parameter parent: a resource that also ends this one's requests when it is closed.
    init(link: Link, url: HTTPURL, context: HTTPContext, parent: HTTPResource? = nil) {
        self.url = url
        self.context = context
        cancellation = HTTPCancellation(parent: parent?.cancellation ?? context.cancellation)
        state = Mutex(State(link: link))
    }

    /// The link, including the information from earlier answers.
    var link: Link { state.withLock { $0.link } }

    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            state.body = nil
            defer { state.idle = nil }
            return state.idle
        }
        idle?.close()
        cancellation.cancel()
    }

    /// Runs a step. Runs it once more if the connection broke, because nothing was delivered by then.
    func attempting<Value>(_ step: () throws(HTTPError) -> Value) -> Result<Value, ResourceError> {
        var mayRetry = true
        while true {
            guard !context.isClosed, !state.withLock({ $0.isClosed }) else {
                return .failure(
                    .unavailable(
                        HTTPError(.cancelled, "The resource is closed.", subject: url.string)))
            }
            do throws(HTTPError) {
                return .success(try step())
            } catch {
                guard error.deservesRetry, mayRetry else { return .failure(ResourceError(error)) }
                mayRetry = false
            }
        }
    }
}
