import DeviceTransport
import Platform

/// Reports events of devices and reader apps: the `watch` command.
///
/// For use by one thread at a time. Releasing the watch ends the connections that it opened.
///
/// ```swift
/// func printNews(_ request: SessionRequest) throws {
///     let watch = DeviceWatch(request)
///     while let event = try watch.next() { print(event.event, event.name ?? event.udid) }
/// }
/// ```
public final class DeviceWatch {
    /// An event.
    public struct Event: Sendable, Equatable {
        /// `attached`, `detached` or `paired`; `reloaded` or `not-reloaded` for a new build of an overlay; or a state
        /// of `ReaderConnection` such as `online`.
        public var event: String
        /// The UDID of the device.
        public var udid: String
        /// `usb` or `network`.
        public var connection: String
        /// The name of the device; nil if the device is gone or does not report its name.
        public var name: String?
        /// An explanation as one sentence; nil if the event needs none.
        public var message: String?
        /// The time in nanoseconds since 1970-01-01 00:00 UTC.
        public var time: Int64
    }

    /// The intervals between requests to devices.
    var pace = WatchPace()

    private let request: SessionRequest
    private let subscription: DeviceEventSubscription
    private var devices: [String: WatchedDevice] = [:]
    private var queue: [Event] = []
    private var nextReload = ContinuousClock.now
    private var hasBegun = false

    /// Starts watching. If the request has a `device`, only the devices that it selects are watched (see
    /// `DeviceChoice`). If an overlay serves a reader app on a device, the states of the reader app are also
    /// reported.
    public init(_ request: SessionRequest) {
        self.request = request
        subscription = DeviceCatalog().events()
    }

    deinit { close() }

    /// Waits for the next event; nil once cancelled. Devices that are already attached are reported first.
    ///
    /// Throws if usbmuxd does not answer the first time. If usbmuxd ends or restarts later, devices are reported as
    /// detached and attached.
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

    /// Whether an event is already waiting.
    package var hasNews: Bool { !queue.isEmpty }

    /// The time of the next action without an event from usbmuxd; nil if there is none.
    private var nextPoll: ContinuousClock.Instant? {
        guard let nextCheck = devices.values.map(\.nextCheck).min() else { return nil }
        return request.watchesOverlay ? min(nextCheck, nextReload) : nextCheck
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
            check(device)
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
        if isNew { check(device) }
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

    /// Whether the request selects this device.
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
            check(device)
        }
    }

    private func check(_ device: WatchedDevice) {
        guard let news = device.check() else { return }
        emit(news.state.rawValue, device, device.preferredLink, news.message)
    }

    private func emit(
        _ kind: DeviceEvent.Kind, _ device: WatchedDevice, _ link: DeviceLink, _ message: String?
    ) {
        emit(kind.rawValue, device, link, message)
    }

    private func emit(_ event: String, _ device: WatchedDevice, _ link: DeviceLink, _ message: String?) {
        queue.append(
            Event(
                event: event, udid: device.udid, connection: link.rawValue, name: device.name,
                message: message,
                time: Int64(SystemClock.wall)))
    }
}

/// The intervals at which `DeviceWatch` checks states that devices do not report.
///
/// The notifications of iOS are not used, because they need a service that stays open and that a locked device may
/// refuse.
struct WatchPace: Sendable {
    /// The interval between checks whether a reader app is ready.
    var asking = Duration.seconds(2)
    /// The interval between searches for a reader app. An unlocked device or a new app is found within five seconds,
    /// and the connection of one search is still usable for the next.
    var searching = Duration.seconds(4)
}
