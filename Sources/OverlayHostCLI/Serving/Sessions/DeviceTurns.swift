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

    /// The most devices that a request may name: each named one gets a thread before it is known whether it is attached.
    private static let most = 64

    private let serving: ServingHost
    private let request: PendingRequest
    /// What names the devices; nil means the only one, or all.
    private let selector: String?
    /// The words of the selector.
    private let words: [String]

    /// The turns of a request that names devices in its parameter `device`. Throws if it names too many.
    init(_ serving: ServingHost, _ request: PendingRequest) throws(HostError) {
        (self.serving, self.request) = (serving, request)
        selector = try request.parameters.text("device") ?? serving.device
        words =
            switch DeviceChoice(selector) {
            case .one(let word?): [word]
            case .some(let words): words
            case .one(nil), .all: []
            }
        guard words.count <= Self.most else {
            throw request.parameters.wrong("device", "at most \(Self.most) devices")
        }
    }

    // MARK: one device

    /// The device that the request names by its whole UDID; else nil.
    var namedDevice: String? { selector.flatMap { DeviceNames.isUDID($0) ? $0 : nil } }

    /// Takes the next turn on the device with this UDID. Asks nothing before.
    func take(_ named: String, _ work: @escaping Work) {
        serving.lane(named).add(request) {
            request.answer { () throws(HostError) in
                guard let udid = try attached(named) else {
                    throw HostError(
                        .noDevice, "No attached device has this UDID.", subject: named,
                        hint: "Connect the device with its cable, unlock it, and tap Trust when it asks.")
                }
                return try work(serving, request, udid)
            }
        }
    }

    /// Finds out which device the request means, and takes the next turn on it. Blocks.
    func findAndTake(_ work: @escaping Work) throws(HostError) {
        let udid = try DeviceSurvey.udid(
            matching: selector, loggers: serving.setup.loggers(), cancellation: request.cancellation)
        take(udid, work)
    }

    // MARK: several devices

    /// The devices that the request names, each once, if it names each by its whole UDID; else nil.
    var namedDevices: [String]? {
        guard !words.isEmpty, words.allSatisfy(DeviceNames.isUDID) else { return nil }
        var known: Set<String> = []
        return words.filter { known.insert(DeviceNames.plain($0)).inserted }
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
        for (place, named) in udids.enumerated() {
            let fail = { @Sendable (error: HostError) in
                request.answer(.failure(RPCFailure(error)))
                turns.end(place, nil)
            }
            serving.lane(named).add(refused: fail) {
                do throws(HostError) {
                    turns.end(
                        place,
                        try attached(named).map { udid throws(HostError) in
                            try work(serving, request, udid)
                        })
                } catch {
                    fail(error)
                }
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

    /// The UDID of a device as usbmuxd spells it; nil if it is not attached.
    private func attached(_ named: String) throws(HostError) -> String? {
        let key = DeviceNames.plain(named)
        return try serving.gate.pass(request.cancellation) { () throws(HostError) in
            try DeviceSurvey.attached(loggers: serving.setup.loggers(), cancellation: request.cancellation)
        }.first { DeviceNames.plain($0) == key }
    }
}

/// Collects the results of one request's turns. Any thread.
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
