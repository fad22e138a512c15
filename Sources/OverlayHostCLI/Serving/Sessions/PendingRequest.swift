import DeviceTransport
import JSON
import OverlayHost
import Synchronization

/// A request that has not been answered. Any thread.
final class PendingRequest: Sendable {
    let id: JSONValue
    let parameters: RequestParameters
    /// Cancels the work of the request.
    let cancellation = Cancellation()
    private let writer: LineWriter
    private let ended: @Sendable () -> Void
    private let sent: @Sendable () -> Void
    private let state = Mutex((isAnswered: false, phase: "", reported: ContinuousClock.Instant?.none))

    /// The minimum time between two progress notifications in one phase.
    private static let pace = Duration.milliseconds(100)

    /// - Parameters:
    ///   - ended: called once, before the answer is sent, because the client may reuse the id as soon as it has the
    ///     answer.
    ///   - sent: called once, after the answer has been passed to the writer.
    init(
        id: JSONValue, _ parameters: RequestParameters, _ writer: LineWriter,
        ended: @escaping @Sendable () -> Void, sent: @escaping @Sendable () -> Void
    ) {
        (self.id, self.parameters) = (id, parameters)
        self.writer = writer
        self.ended = ended
        self.sent = sent
    }

    /// Answers the request, unless it has already been answered.
    func answer(_ result: Result<JSONValue, RPCFailure>) {
        let isFirst = state.withLock { state in
            defer { state.isAnswered = true }
            return !state.isAnswered
        }
        guard isFirst else { return }
        ended()
        writer.send(Self.message(id, result))
        sent()
    }

    /// Answers with the result or error of `body`.
    func answer(_ body: () throws(HostError) -> JSONValue) {
        do throws(HostError) {
            answer(.success(try body()))
        } catch {
            answer(.failure(RPCFailure(error)))
        }
    }

    /// The message with an answer.
    static func message(_ id: JSONValue, _ result: Result<JSONValue, RPCFailure>) -> JSONValue {
        switch result {
        case .success(let value): .document(["jsonrpc": .string("2.0"), "id": id, "result": value])
        case .failure(let failure): .document(["jsonrpc": .string("2.0"), "id": id, "error": failure.json])
        }
    }

    /// Notifies the client of progress, at most ten times a second in one phase.
    func report(_ progress: ProgressUpdate) {
        let isDue = state.withLock { state in
            let now = ContinuousClock.now
            if state.isAnswered { return false }
            if state.phase == progress.phase, let reported = state.reported,
                reported.duration(to: now) < Self.pace
            {
                return false
            }
            (state.phase, state.reported) = (progress.phase, now)
            return true
        }
        guard isDue else { return }
        func number(_ value: UInt64?) -> JSONValue { value.map { .integer(Int64(clamping: $0)) } ?? .null }
        writer.notify(
            "progress",
            .document([
                "request": id, "phase": .string(progress.phase), "items_done": number(progress.itemsDone),
                "items_total": number(progress.itemsTotal), "bytes_done": number(progress.bytesDone),
                "bytes_total": number(progress.bytesTotal),
            ]))
    }

    /// Notifies the client of the result of one item.
    func report(_ index: Int, _ row: ItemRow) {
        writer.notify(
            "row",
            .document([
                "request": id, "index": .integer(Int64(index)), "result": BatchDocument.json(row),
            ]))
    }

    /// Throws if the request has been cancelled.
    func checkCancellation() throws(HostError) {
        if cancellation.isCancelled { throw HostError(.cancelled, "The request was cancelled.") }
    }

    /// How this request may name books. If the client works with an earlier list, only by path.
    ///
    /// - Parameter others: the naming to use otherwise.
    func naming(else others: BookNaming = .names) throws(HostError) -> BookNaming {
        try parameters.flag("paths_only") == true ? .paths : others
    }

    /// Answers that the request was cancelled.
    func answerCancelled() {
        answer(.failure(RPCFailure(HostError(.cancelled, "The request was cancelled."))))
    }
}

/// The request for which a connection is working; it changes while the connection stays. Any thread.
final class RequestSlot: Sendable {
    private let current: Mutex<PendingRequest?>

    init(_ request: PendingRequest?) { current = Mutex(request) }

    /// The request; nil between requests.
    var request: PendingRequest? {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }
}
