import FoundationEssentials
import Synchronization

/// A resource of a web server.
///
/// Reads may run at the same time, each on its own connection; the lock is never held while waiting for the network.
final class HTTPResource: Resource {
    struct State {
        var link: Link
        /// The head of the last answer that brought content or described it.
        var answer: HTTPResponse?
        /// Whether `HEAD` was asked and told no length.
        var headTellsNoLength = false
        /// The length, learnt from an answer with content.
        var total: Int64?
        /// The length that `HEAD` announced, a hint.
        var announced: Int64?
        /// Whether the server answered a range with the whole.
        var ignoresRanges = false
        /// The whole content, when it had to be read and is small.
        var body: Data?
        /// An answer that the next read may continue.
        var idle: BodyCursor?
        /// Where the last range ended, to notice reading in sequence.
        var lastEnd: Int64?
        var isClosed = false
    }

    let url: HTTPURL
    let context: HTTPContext
    let cancellation: HTTPCancellation
    let state: Mutex<State>

    /// - Parameter parent: the resource with which this one ends, beside the fetcher.
    init(link: Link, url: HTTPURL, context: HTTPContext, parent: HTTPResource? = nil) {
        self.url = url
        self.context = context
        cancellation = HTTPCancellation(parent: parent?.cancellation ?? context.cancellation)
        state = Mutex(State(link: link))
    }

    /// The link with what answers so far said about the resource.
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

    /// Runs a step, and runs it once more when the connection broke: nothing has been delivered by then.
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
