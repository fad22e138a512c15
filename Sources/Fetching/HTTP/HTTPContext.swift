import Synchronization

/// What the resources of one fetcher share.
final class HTTPContext: Sendable {
    let client: any HTTPClient
    let configuration: HTTPFetcher.Configuration
    let cancellation: HTTPCancellation
    private let closed = Mutex(false)

    init(client: any HTTPClient, configuration: HTTPFetcher.Configuration, cancellation: HTTPCancellation) {
        self.client = client
        self.configuration = configuration
        self.cancellation = HTTPCancellation(parent: cancellation)
    }

    var isClosed: Bool { closed.withLock { $0 } }

    func close() {
        closed.withLock { $0 = true }
        cancellation.cancel()
    }
}
