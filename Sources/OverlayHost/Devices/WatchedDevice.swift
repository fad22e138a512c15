import Logging
import DeviceTransport

/// A device that `DeviceWatch` follows, and its reader app when one is found.
final class WatchedDevice {
    /// A change of the reader app's state.
    struct News: Equatable {
        var state: ReaderConnection.State
        var message: String?
    }

    let udid: String
    /// The name of the device; nil if the device does not report one.
    let name: String?
    /// The current connections of the device.
    var links: Set<DeviceLink> = []
    /// The time of the next check. Before this time, `check` does not send requests.
    private(set) var nextCheck = ContinuousClock.now
    private let request: SessionRequest
    private let pace: WatchPace
    /// The connection to the device while no reader app is found. Reused, because a new one needs several requests.
    private var device: (any DeviceAccess)?
    private var link: ReaderLink?
    private var last: News?
    /// Whether the device refused access to its files because it is locked.
    private var isLocked = false
    /// The time of the next search for an app that takes precedence over one that is on every device; nil if there is
    /// no such search.
    private var nextChoice: ContinuousClock.Instant?

    init(_ udid: String, _ request: SessionRequest, _ pace: WatchPace = WatchPace()) {
        self.udid = udid
        self.pace = pace
        var own = request
        own.device = udid
        own.progress = nil
        own.notice = nil
        self.request = own
        name = DeviceSurvey.name(of: udid, loggers: request.loggers, cancellation: request.cancellation)
    }

    /// The connection to report in events.
    var preferredLink: DeviceLink { links.contains(.usb) ? .usb : .network }

    /// The reader app's name for messages.
    var appName: String { link?.target.app.name ?? "the reader app" }

    /// Lets the next check ask the device immediately.
    func tryAgain() { nextCheck = .now }

    /// Checks the reader app, if it is time; nil if nothing has changed, or if there are no overlays.
    func check(_ now: ContinuousClock.Instant = .now) -> News? {
        guard now >= nextCheck else { return nil }
        // Measure the interval from the end of the check, so that a slow device is not asked more often.
        defer { nextCheck = max(now, .now).advanced(by: link == nil ? pace.searching : pace.asking) }
        guard !request.overlays.overlays.isEmpty else { return nil }
        if let nextChoice, now >= nextChoice { leaveLastResort(now) }
        let news = link == nil ? find(now) : ask()
        guard let news, news != last else { return nil }
        last = news
        return news
    }

    /// Switches to a new build of the overlay, if there is one and this is enabled. See `ReaderLink.reloadIfChanged`.
    func reloadIfChanged() -> (isTaken: Bool, message: String)? { link?.reloadIfChanged() }

    /// Handles the device as gone. Returns the state to report; nil if there is none.
    func leave() -> ReaderConnection.State? {
        link?.leave()
        guard link?.connection.state == .yanked else { return nil }
        return .yanked
    }

    /// Ends the overlay and the connection to the device.
    func close() {
        link?.close()
        link = nil
        device?.close()
        device = nil
        nextChoice = nil
    }

    private func find(_ now: ContinuousClock.Instant) -> News? {
        do throws(HostError) {
            try find(OperationContext(cancellation: request.cancellation), now)
        } catch {
            isLocked = error.code == .deviceLocked
            if device?.isGone == true { close() }
            return Self.news(of: error)
        }
        return ask()
    }

    /// Creates the link in the same steps as `ReaderTarget.find`, with one connection for all attempts.
    private func find(_ context: OperationContext, _ now: ContinuousClock.Instant) throws(HostError) {
        let device = try conversation(context)
        if isLocked { try checkLock(of: device, context) }
        let choice = try ReaderTarget.choose(request, on: device, context)
        let (app, access) = try ReaderTarget.app(choice, on: device, context)
        // iOS may grant access later if it was refused for these reasons.
        let refusals = access.refused.map { HostError($0.error) }
        if let refusal = refusals.first(where: { [.deviceLocked, .notPaired].contains($0.code) }) {
            throw refusal
        }
        let overlay = try ReaderTarget.overlay(choice, request)
        let information = try transporting { () throws(TransportError) in try device.information(context) }
        link = try ReaderLink(
            ReaderTarget(
                device: device, information: information, overlay: overlay, app: app, access: access,
                choice: choice), request)
        self.device = nil
        isLocked = false
        nextChoice = choice.isLastResort ? now.advanced(by: pace.searching) : nil
    }

    /// The connection of the previous attempt, or a new one.
    private func conversation(_ context: OperationContext) throws(HostError) -> any DeviceAccess {
        if let device { return device }
        let new = try ReaderTarget.device(udid, trace: request.loggers.deviceTrace, context)
        device = new
        return new
    }

    /// Throws an error if a device that was locked still is. This needs only one request.
    private func checkLock(of device: any DeviceAccess, _ context: OperationContext) throws(HostError) {
        do throws(HostError) {
            let files = try transporting { () throws(TransportError) in try device.openFiles(.media, context)
            }
            files.close()
        } catch {
            // Other errors are not related to the lock.
            if error.code == .deviceLocked { throw error }
        }
    }

    /// Ends the link to an app that is on every device, if an app that takes precedence has been installed.
    private func leaveLastResort(_ now: ContinuousClock.Instant) {
        guard let link else { return }
        let context = OperationContext(cancellation: request.cancellation)
        do throws(HostError) {
            let choice = try ReaderTarget.choose(request, on: link.target.device, context)
            guard choice.isLastResort else { return close() }
        } catch {
            request.loggers.host.debug("looking for another reader app: \(error)")
        }
        nextChoice = now.advanced(by: pace.searching)
    }

    private func ask() -> News? {
        guard let link else { return last }
        do throws(HostError) {
            try link.checkApp()
        } catch {
            // The end of the device is reported separately.
            if error.code == .deviceGone || error.code == .cancelled { return last }
            return Self.news(of: error)
        }
        let connection = link.connection
        return News(
            state: connection.state, message: connection.message ?? "\(appName) is \(connection.state.words)."
        )
    }

    /// The state to report for an error; nil if the error does not concern the reader app.
    private static func news(of error: HostError) -> News? {
        let message = error.subject.map { "\($0): \(error.message)" } ?? error.message
        switch error.code {
        case .deviceLocked, .notPaired: return News(state: .unreachable, message: error.message)
        case .noOverlay, .appNotChosen, .deviceGone, .noDevice, .cancelled: return nil
        case .appNotInstalled: return News(state: .appMissing, message: message)
        case .accessRefused: return News(state: .accessRefused, message: message)
        default: return News(state: .unreachable, message: message)
        }
    }
}

extension ReaderConnection.State {
    /// A description of the state.
    fileprivate var words: String {
        switch self {
        case .online: "ready"
        case .notInConnectionMode: "not in connection mode"
        case .appMissing: "not on the device"
        case .accessRefused: "out of reach"
        case .notServed: "not served by its overlay"
        default: rawValue
        }
    }
}
