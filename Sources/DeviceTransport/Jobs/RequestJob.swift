import DeviceWire

/// One request and its answer.
final class RequestJob: AFCJob {
    /// Bytes of a listing taken from a device.
    static let maximumListing = 64 << 20

    private let request: AFCRequest
    private let path: String
    private let expecting: Int
    private let mayRepeat: Bool
    private let handler: (AFCAnswer) -> TransportError?

    /// - Parameters:
    ///   - expecting: the most bytes of data the answer may have.
    ///   - mayRepeat: whether the request may be sent again when the connection broke before the answer.
    ///   - handler: keeps the answer; returns its failure.
    init(
        _ index: Int, _ request: AFCRequest, about path: String, expecting: Int = 0, mayRepeat: Bool,
        _ handler: @escaping (AFCAnswer) -> TransportError?
    ) {
        self.request = request
        self.path = path
        self.expecting = expecting
        self.mayRepeat = mayRepeat
        self.handler = handler
        super.init(index: index)
    }

    override var subject: String { path }
    override var isSmall: Bool { true }

    override func begin(on channel: AFCChannel) { channel.send(request, for: self, expecting: expecting) }

    override func take(_ answer: AFCAnswer, slot: Int, on channel: AFCChannel) {
        if let error = handler(answer) { fail(error) }
        done()
    }

    override func reset() -> Bool { mayRepeat }
}

/// A job that failed before anything was asked, e.g. for an impossible path.
final class RefusedJob: AFCJob {
    init(_ index: Int, _ error: TransportError) {
        super.init(index: index)
        failure = error
        done()
    }
}
