import DeviceTransport

/// One device that `DeviceWatch` follows, with its reader app as soon as one can be found.
final class WatchedDevice {
    /// News about the reader app.
    struct News: Equatable {
        var state: ReaderConnection.State
        var message: String?
    }

    let udid: String
    /// The name it told; nil if it did not.
    let name: String?
    /// The ways it can be reached now.
    var links: Set<DeviceLink> = []
    /// When it is to be looked at; before that `look` asks it nothing.
    private(set) var nextLook = ContinuousClock.now
    private let request: SessionRequest
    private let pace: WatchPace
    /// The conversation with the device while no reader app is found: a new one for each question would cost it several.
    private var device: (any DeviceAccess)?
    private var link: ReaderLink?
    private var last: News?
    /// Whether the device refused its files because it is locked.
    private var isLocked = false
    /// When an app is looked for that is meant before the one that every device has; nil: never.
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

    /// The way news are said to have come by.
    var preferredLink: DeviceLink { links.contains(.usb) ? .usb : .network }

    /// The reader app's name, for messages.
    var appName: String { link?.target.app.name ?? "the reader app" }

    /// Makes the next look ask the device at once.
    func tryAgain() { nextLook = .now }

    /// Looks at the reader app, if it is time; nil when nothing has changed, or when no overlay serves anything here.
    func look(_ now: ContinuousClock.Instant = .now) -> News? {
        guard now >= nextLook else { return nil }
        // A device that takes its time is left alone as long as any other.
        defer { nextLook = max(now, .now).advanced(by: link == nil ? pace.searching : pace.asking) }
        guard !request.overlays.overlays.isEmpty else { return nil }
        if let nextChoice, now >= nextChoice { leaveLastResort(now) }
        let news = link == nil ? find(now) : ask()
        guard let news, news != last else { return nil }
        last = news
        return news
    }

    /// Takes a new build of the overlay, if there is one and that is wanted. See `ReaderLink.reloadIfChanged`.
    func reloadIfChanged() -> (isTaken: Bool, message: String)? { link?.reloadIfChanged() }

    /// Takes the device as gone. The state that is worth telling, if there is one.
    func leave() -> ReaderConnection.State? {
        link?.leave()
        guard link?.connection.state == .yanked else { return nil }
        return .yanked
    }

    /// Ends the overlay, and the conversation with the device.
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

    /// Makes the link, in the same steps as `ReaderTarget.find`, over one conversation for all attempts.
    private func find(_ context: OperationContext, _ now: ContinuousClock.Instant) throws(HostError) {
        let device = try conversation(context)
        if isLocked { try checkLock(of: device, context) }
        let choice = try ReaderTarget.choose(request, on: device, context)
        let (app, access) = try ReaderTarget.app(choice, on: device, context)
        // What iOS refuses for these reasons it may grant later.
        let refusals = access.refused.map { HostError($0.error) }
        if let refusal = refusals.first(where: { [.deviceLocked, .notPaired].contains($0.code) }) {
            throw refusal
        }
        let overlay = try ReaderTarget.overlay(choice, request)
        let information = try transporting { () throws(TransportError) in try device.information(context) }
        link = try ReaderLink(
            ReaderTarget(
                device: device, information: information, overlay: overlay, app: app, access: access,
                notes: choice.notes), request)
        self.device = nil
        isLocked = false
        nextChoice = choice.isLastResort ? now.advanced(by: pace.searching) : nil
    }

    /// The conversation of the attempt before, or a new one.
    private func conversation(_ context: OperationContext) throws(HostError) -> any DeviceAccess {
        if let device { return device }
        let new = try ReaderTarget.device(udid, trace: request.loggers.deviceTrace, context)
        device = new
        return new
    }

    /// Throws if a device that was locked still is: one question is enough to learn that.
    private func checkLock(of device: any DeviceAccess, _ context: OperationContext) throws(HostError) {
        do throws(HostError) {
            let files = try transporting { () throws(TransportError) in try device.openFiles(.media, context)
            }
            files.close()
        } catch {
            // Any other refusal is not about the lock.
            if error.code == .deviceLocked { throw error }
        }
    }

    /// Ends the link to an app that every device has, if an app that is meant before it has been installed.
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
            try link.look()
        } catch {
            // The device reports its own end.
            if error.code == .deviceGone || error.code == .cancelled { return last }
            return Self.news(of: error)
        }
        let connection = link.connection
        return News(
            state: connection.state, message: connection.message ?? "\(appName) is \(connection.state.words)."
        )
    }

    /// What an obstacle means for the person who watches; nil if it concerns no reader app.
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
    /// The state in a sentence.
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
