import DeviceWire

/// One request and its answer. It is sent again if the connection breaks before the answer, so it must be safe to
/// repeat.
final class RequestJob: AFCJob {
    /// The largest size of a listing, in bytes.
    static let maximumListing = 64 << 20

    private let request: AFCRequest
    private let path: String
    private let expecting: Int
    private let removes: Bool
    private let handler: (BorrowedReply) -> TransportError?
    private var isUnanswered = false

    /// - Parameters:
    ///   - expecting: the largest size of the answer's data, in bytes.
    /// - removes: whether the request removes a file. If the file is gone when the request is repeated, the first one
    ///   removed it.
    /// - handler: processes the answer and returns its failure, if any.
    init(
        _ index: Int, _ request: AFCRequest, about path: String, expecting: Int = 0, removes: Bool = false,
        _ handler: @escaping (BorrowedReply) -> TransportError?
    ) {
        self.request = request
        self.path = path
        self.expecting = expecting
        self.removes = removes
        self.handler = handler
        super.init(index: index)
    }

    override var subject: String { path }

    override var expectedRequests: Int { 1 }

    override var doubt: String? { removes && isUnanswered ? "\(path) may have been removed" : nil }

    override func begin(on channel: AFCChannel) {
        isUnanswered = true
        channel.send(request, for: self, expecting: expecting)
    }

    override func take(_ answer: BorrowedReply, slot: Int, on channel: AFCChannel) {
        isUnanswered = false
        if answer.meansShortage { return holdBack(answer) }
        let wasRemovedBefore =
            if removes, wasRepeated, case .status(.objectNotFound) = answer { true } else { false }
        if let error = handler(wasRemovedBefore ? .status(.success) : answer) { fail(error) }
        done()
    }

    override func abandon(_ error: TransportError, on channel: AFCChannel) {
        // Wait for a removal in flight, because it decides whether the file still exists.
        if doubt == nil || owed == 0 { super.abandon(error, on: channel) }
    }

    override func forgot(_ slot: Int) { isUnanswered = wasRepeated }

    override func reset() -> Bool { true }
}

/// A job that failed before a request was sent, for example because of an invalid path.
final class RefusedJob: AFCJob {
    init(_ index: Int, _ error: TransportError) {
        super.init(index: index)
        failure = error
        done()
    }
}
