import DeviceTransport
import JSON
import OverlayHost
import Synchronization

/// Gives a request without a session its turn on the threads of the devices that it means.
///
/// A device that the client names by its whole UDID is known without asking, so that the request comes after those that were sent
/// before it. Otherwise usbmuxd, and perhaps the devices for their names, have to be asked first.
struct DeviceTurns: Sendable {
    /// The work for one device, on its thread.
    typealias Work = @Sendable (ServingHost, PendingRequest, String) throws(HostError) -> JSONValue

    private let serving: ServingHost
    private let request: PendingRequest
    /// What names the devices; nil means the only one, or all.
    private let selector: String?

    /// The turns of a request that names devices in its parameter `device`.
    init(_ serving: ServingHost, _ request: PendingRequest) throws(HostError) {
        (self.serving, self.request) = (serving, request)
        selector = try request.parameters.text("device") ?? serving.device
    }

    // MARK: one device

    /// Whether the request names its device by its whole UDID.
    var namesDevice: Bool { selector.map(DeviceNames.isUDID) ?? false }

    /// Takes the next turn on the device that the request names by its UDID. Asks nothing.
    func take(_ work: @escaping Work) {
        guard let selector else { return }
        serving.lane(selector).add(request) {
            do throws(HostError) {
                let udid = try udid()
                if udid == selector {
                    request.answer { () throws(HostError) in try work(serving, request, udid) }
                } else {
                    // It is spelled in another way, and the device's thread is that of its own spelling.
                    takeTurn(on: udid, work)
                }
            } catch {
                request.answer(.failure(RPCFailure(error)))
            }
        }
    }

    /// Finds out which device the request means, and takes the next turn on it. Blocks.
    func findAndTake(_ work: @escaping Work) throws(HostError) { takeTurn(on: try udid(), work) }

    private func takeTurn(on udid: String, _ work: @escaping Work) {
        serving.lane(udid).add(request) {
            request.answer { () throws(HostError) in try work(serving, request, udid) }
        }
    }

    private func udid() throws(HostError) -> String {
        try DeviceSurvey.udid(
            matching: selector, loggers: serving.setup.loggers(), cancellation: request.cancellation)
    }

    // MARK: several devices

    /// The devices that the request names, if it names each by its whole UDID; else nil.
    var namedDevices: [String]? {
        let words: [String] =
            switch DeviceChoice(selector) {
            case .one(let word?): [word]
            case .some(let words): words
            case .one(nil), .all: []
            }
        guard !words.isEmpty, words.allSatisfy(DeviceNames.isUDID) else { return nil }
        return words
    }

    /// Takes the next turn on each of these devices, and answers when all had theirs. Those that are not attached are left out.
    /// An error for one of them answers the request.
    ///
    /// - Parameter answer: makes the answer of what the work gave for the devices, in their order.
    func take(
        _ udids: [String], _ work: @escaping Work, answer: @escaping @Sendable ([JSONValue]) -> JSONValue
    ) {
        let turns = Turns(count: udids.count) { [request] found in
            if request.cancellation.isCancelled {
                request.answerCancelled()
            } else {
                request.answer(.success(answer(found)))
            }
        }
        // The threads of the devices may be busy with other work.
        turns.registration.withLock { [request] in
            $0 = request.cancellation.whenCancelled { request.answerCancelled() }
        }
        for (place, word) in udids.enumerated() {
            serving.lane(word).add {
                guard let udid = attached(word) else { return turns.end(place, nil) }
                guard udid != word else { return turns.end(place, result(work, udid)) }
                serving.lane(udid).add { turns.end(place, result(work, udid)) }
            }
        }
        if udids.isEmpty { request.answer(.success(answer([]))) }
    }

    /// Finds out which devices the request means, and takes the next turn on each. Blocks.
    func findAndTake(
        _ work: @escaping Work, answer: @escaping @Sendable ([JSONValue]) -> JSONValue
    ) throws(HostError) {
        let loggers = serving.setup.loggers()
        var udids = try DeviceSurvey.attached(loggers: loggers, cancellation: request.cancellation)
        if let selector, !udids.isEmpty {
            udids = try DeviceChoice(selector).resolve(loggers: loggers, cancellation: request.cancellation)
                .compactMap(\.udid)
        }
        take(udids, work, answer: answer)
    }

    /// The UDID of the attached device that a word names, as usbmuxd spells it; nil if it is not attached.
    private func attached(_ word: String) -> String? {
        do throws(HostError) {
            return try DeviceSurvey.udid(
                matching: word, loggers: serving.setup.loggers(), cancellation: request.cancellation)
        } catch {
            return nil
        }
    }

    private func result(_ work: Work, _ udid: String) -> JSONValue? {
        do throws(HostError) {
            return try work(serving, request, udid)
        } catch {
            request.answer(.failure(RPCFailure(error)))
            return nil
        }
    }
}

/// Collects what the turns of one request come to. Any thread.
private final class Turns: Sendable {
    private let state: Mutex<(found: [JSONValue?], left: Int)>
    private let ended: @Sendable ([JSONValue]) -> Void
    /// Keeps the cancellation of the request observed until all turns are over.
    let registration = Mutex<Cancellation.Registration?>(nil)

    /// - Parameter ended: called after the last turn with what there is, in the order of the turns.
    init(count: Int, ended: @escaping @Sendable ([JSONValue]) -> Void) {
        state = Mutex(([JSONValue?](repeating: nil, count: count), count))
        self.ended = ended
    }

    /// Ends a turn.
    func end(_ place: Int, _ found: JSONValue?) {
        let all = state.withLock { state -> [JSONValue?]? in
            state.found[place] = found
            state.left -= 1
            return state.left == 0 ? state.found : nil
        }
        guard let all else { return }
        registration.withLock { $0 = nil }
        ended(all.compactMap { $0 })
    }
}
