import DeviceTransport
import JSON
import OverlayHost
import Platform
import Synchronization

/// Runs a request without a session on the threads of the devices that it means.
///
/// A device that the client names by its complete UDID is known without a request to usbmuxd, so requests for it run
/// in the order in which they were sent. Otherwise usbmuxd must be asked first, and perhaps the devices for their
/// names.
struct DeviceTurns: Sendable {
    /// The work for one device, which runs on its thread.
    typealias Work = @Sendable (ServingHost, PendingRequest, String) throws(HostError) -> JSONValue

    /// The most devices that a request may name. Each named device gets a thread before it is known whether it is
    /// attached.
    private static let most = 64

    private let serving: ServingHost
    private let request: PendingRequest
    /// The value that names the devices; nil means the only device, or all devices.
    private let selector: String?
    /// The words of the selector.
    private let words: [String]

    /// Creates the turns of a request that names devices in its parameter `device`. Throws if it names too many.
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

    /// The device that the request names by its complete UDID; nil if it does not name one this way.
    var namedDevice: String? { selector.flatMap { DeviceNames.isUDID($0) ? $0 : nil } }

    /// Adds the work to the thread of the device with this UDID. Does not ask usbmuxd first.
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

    /// Determines which device the request means, and adds the work to its thread. Blocks.
    func findAndTake(_ work: @escaping Work) throws(HostError) {
        let udid = try DeviceSurvey.udid(
            matching: selector, loggers: serving.setup.loggers(), cancellation: request.cancellation)
        take(udid, work)
    }

    // MARK: several devices

    /// The devices that the request names, each once; nil unless it names all of them by complete UDIDs.
    var namedDevices: [String]? {
        guard !words.isEmpty, words.allSatisfy(DeviceNames.isUDID) else { return nil }
        var known: Set<String> = []
        return words.filter { known.insert(UDID.plain($0)).inserted }
    }

    /// Adds the work to the thread of each of these devices, and answers when all have finished. Devices that are not
    /// attached are left out. An error for one device answers the request.
    ///
    /// - Parameter answer: creates the answer from the results for the devices, in their order.
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

    /// Determines which devices the request means, and adds the work to the thread of each. Blocks.
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
        let key = UDID.plain(named)
        return try serving.gate.pass(request.cancellation) { () throws(HostError) in
            try DeviceSurvey.attached(loggers: serving.setup.loggers(), cancellation: request.cancellation)
        }.first { UDID.plain($0) == key }
    }
}

/// Collects the results of one request's turns. Any thread.
private final class Turns: Sendable {
    private let state: Mutex<(found: [JSONValue?], left: Int)>
    private let ended: @Sendable ([JSONValue]) -> Void
    /// Observes the cancellation of the request until all turns have ended.
    let registration = Mutex<Cancellation.Registration?>(nil)

    /// - Parameter ended: called after the last turn with the results that are not nil, in the order of the turns.
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
