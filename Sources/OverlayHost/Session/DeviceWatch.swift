import DeviceTransport
import Glibc

/// News about devices and reader apps, as they happen: the `watch` command.
///
/// One thread at a time may use it. Letting go of it ends what it has opened.
///
/// ```swift
/// func printNews(_ request: SessionRequest) throws {
///     let watch = DeviceWatch(request)
///     while let event = try watch.next() { print(event.event, event.name ?? event.udid) }
/// }
/// ```
public final class DeviceWatch {
    /// One piece of news.
    public struct Event: Sendable, Equatable {
        /// `attached`, `detached` or `paired`, `reloaded` or `not-reloaded` for a new build of an overlay, or a state of `ReaderConnection` such as `online`.
        public var event: String
        /// The device.
        public var udid: String
        /// `usb` or `network`.
        public var connection: String
        /// The device's name; nil when it is gone or does not tell.
        public var name: String?
        /// What it means, one sentence; nil when there is nothing to add.
        public var message: String?
        /// Nanoseconds since 1970-01-01 00:00 UTC.
        public var time: Int64
    }

    /// How often devices are asked.
    var pace = WatchPace()

    private let request: SessionRequest
    private let subscription: DeviceEventSubscription
    private var devices: [String: WatchedDevice] = [:]
    private var queue: [Event] = []
    private var nextReload = ContinuousClock.now
    private var hasBegun = false

    /// Begins to listen. With `device` in the request only the devices that it means are watched (see `DeviceChoice`). Where an overlay serves a reader app
    /// on a device, the states of the reader app are news too.
    public init(_ request: SessionRequest) {
        self.request = request
        subscription = DeviceCatalog().events()
    }

    deinit { close() }

    /// Waits for the next event; nil once cancelled. Devices that are there already come first.
    ///
    /// Throws if no usbmuxd answers the first time. One that ends or starts again later only detaches and attaches devices.
    public func next() throws(HostError) -> Event? {
        while true {
            if !queue.isEmpty { return queue.removeFirst() }
            if request.cancellation.isCancelled {
                close()
                return nil
            }
            var context = OperationContext(cancellation: request.cancellation)
            do throws(TransportError) {
                if !hasBegun {
                    _ = try DeviceCatalog(trace: request.loggers.deviceTrace).devices(context)
                    hasBegun = true
                }
                context.deadline = nextPoll
                take(try subscription.next(context))
            } catch {
                switch error.code {
                case .timedOut where hasBegun: poll()
                case .cancelled: continue
                default: throw HostError(error)
                }
            }
        }
    }

    /// Whether the next event is known already.
    package var hasNews: Bool { !queue.isEmpty }

    /// When something has to be done without news from usbmuxd; nil: never.
    private var nextPoll: ContinuousClock.Instant? {
        guard let nextLook = devices.values.map(\.nextLook).min() else { return nil }
        return request.watchesOverlay ? min(nextLook, nextReload) : nextLook
    }

    private func close() {
        for device in devices.values { device.close() }
        devices = [:]
    }

    // MARK: devices

    private func take(_ event: DeviceEvent) {
        switch event.kind {
        case .attached: attached(event)
        case .paired:
            guard let device = devices[event.udid] else { return }
            emit(.paired, device, event.link, "The device now trusts this computer.")
            device.tryAgain()
            look(at: device)
        case .detached: detached(event)
        }
    }

    private func attached(_ event: DeviceEvent) {
        let device = devices[event.udid] ?? WatchedDevice(event.udid, request, pace)
        guard isWanted(device) else { return }
        let isNew = device.links.isEmpty
        device.links.insert(event.link)
        devices[event.udid] = device
        emit(.attached, device, event.link, nil)
        if isNew { look(at: device) }
    }

    private func detached(_ event: DeviceEvent) {
        guard let device = devices[event.udid] else { return }
        device.links.remove(event.link)
        guard device.links.isEmpty else { return emit(.detached, device, event.link, nil) }
        devices[event.udid] = nil
        if let state = device.leave() {
            emit(
                state.rawValue, device, event.link,
                "The device was unplugged while \(device.appName) was in use.")
        }
        emit(.detached, device, event.link, nil)
        device.close()
    }

    /// Whether the request means this device.
    private func isWanted(_ device: WatchedDevice) -> Bool {
        DeviceChoice(request.device).means(udid: device.udid, name: device.name)
    }

    // MARK: reader apps

    private func poll() {
        let reloads = request.watchesOverlay && ContinuousClock.now >= nextReload
        if reloads { nextReload = .now.advanced(by: OverlayWatch.interval) }
        for udid in devices.keys.sorted() {
            guard let device = devices[udid] else { continue }
            if reloads, let (isTaken, message) = device.reloadIfChanged() {
                emit(isTaken ? "reloaded" : "not-reloaded", device, device.preferredLink, message)
                device.tryAgain()
            }
            look(at: device)
        }
    }

    private func look(at device: WatchedDevice) {
        guard let news = device.look() else { return }
        emit(news.state.rawValue, device, device.preferredLink, news.message)
    }

    private func emit(
        _ kind: DeviceEvent.Kind, _ device: WatchedDevice, _ link: DeviceLink, _ message: String?
    ) {
        emit(kind.rawValue, device, link, message)
    }

    private func emit(_ event: String, _ device: WatchedDevice, _ link: DeviceLink, _ message: String?) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        queue.append(
            Event(
                event: event, udid: device.udid, connection: link.rawValue, name: device.name,
                message: message,
                time: Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)))
    }
}

/// How often `DeviceWatch` asks a device for something that the device does not report.
///
/// The notifications of iOS are not used: they need a service that stays open, and that a locked device may refuse.
struct WatchPace: Sendable {
    /// Between two questions to a reader app whether it is ready.
    var asking = Duration.seconds(2)
    /// Between two searches for a reader app: a device that is unlocked and an app that is installed are seen within five
    /// seconds, and a conversation that is kept for the next search is not too old for it.
    var searching = Duration.seconds(4)
}
