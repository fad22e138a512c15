import DeviceTransport

/// One device that `DeviceWatch` follows, with its reader app as soon as one can be found.
final class WatchedDevice {
    /// News about the reader app.
    struct News: Equatable {
        var state: ReaderConnection.State
        var message: String?
    }

    /// How long a device without a usable reader app is left alone before it is asked again; asking costs it several
    /// conversations.
    private static let retryInterval = Duration.seconds(10)

    let udid: String
    /// The name it told; nil if it did not.
    let name: String?
    /// The ways it can be reached now.
    var links: Set<DeviceLink> = []
    private let request: SessionRequest
    private var link: ReaderLink?
    private var watch: OverlayWatch?
    private var last: News?
    private var nextTry = ContinuousClock.now

    init(_ udid: String, _ request: SessionRequest) {
        self.udid = udid
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

    /// Makes the next look try again to find the reader app.
    func tryAgain() { nextTry = .now }

    /// Looks at the reader app; nil when nothing has changed, or when no overlay serves anything here.
    func look() -> News? {
        guard !request.overlays.overlays.isEmpty else { return nil }
        let news = link == nil ? find() : ask()
        guard let news, news != last else { return nil }
        last = news
        return news
    }

    /// Takes a new build of the overlay, if there is one and that is wanted; what came of it, in a sentence, and whether it was
    /// taken.
    func reload() -> (isTaken: Bool, message: String)? {
        guard request.watchesOverlay, let link else { return nil }
        let watch = watch ?? OverlayWatch(link.target.overlay)
        self.watch = watch
        guard watch.hasChanged, watch.wait(request.cancellation, within: OverlayWatch.patience * 2) else {
            return nil
        }
        do throws(HostError) {
            try link.reload(try request.discovery.load(link.target.overlay.file))
            return (true, HostSession.taken(link.target.overlay.descriptor))
        } catch {
            return (false, HostSession.refused(error))
        }
    }

    /// Takes the device as gone. The state that is worth telling, if there is one.
    func leave() -> ReaderConnection.State? {
        link?.leave()
        guard link?.connection.state == .yanked else { return nil }
        return .yanked
    }

    /// Ends the overlay.
    func close() {
        link?.close()
        link = nil
        watch = nil
    }

    private func find() -> News? {
        guard ContinuousClock.now >= nextTry else { return last }
        nextTry = ContinuousClock.now.advanced(by: Self.retryInterval)
        do throws(HostError) {
            link = try ReaderLink(try ReaderTarget.find(request), request)
        } catch {
            return Self.news(of: error)
        }
        return ask()
    }

    private func ask() -> News? {
        guard let link else { return last }
        do throws(HostError) {
            try link.look()
        } catch {
            // The end of the device is news by itself.
            if error.code == .deviceGone || error.code == .cancelled { return last }
            return Self.news(of: error)
        }
        let connection = link.connection
        if connection.state == .accessRefused, let refusal = link.target.access.refused.first?.error,
            [.deviceLocked, .notPaired].contains(HostError(refusal).code)
        {
            // What iOS refused while the device was locked it may grant later: everything is asked anew.
            close()
            return News(state: .unreachable, message: HostError(refusal).message)
        }
        return News(
            state: connection.state, message: connection.message ?? "\(appName) is \(connection.state.words)."
        )
    }

    /// What an obstacle means for the person who watches; nil if it concerns no reader app.
    private static func news(of error: HostError) -> News? {
        let message = error.subject.map { "\($0): \(error.message)" } ?? error.message
        switch error.code {
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
