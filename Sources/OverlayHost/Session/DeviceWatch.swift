import DeviceTransport
import Glibc

/// News about devices and reader apps, as they happen: the `watch` command.
///
/// One thread at a time; waiting ends when the request's cancellation is set. It survives a usbmuxd that starts late or
/// restarts.
public final class DeviceWatch {
    /// One piece of news.
    public struct Event: Sendable, Equatable {
        /// `attached`, `detached` or `paired`, or a state of `ReaderConnection` such as `online`.
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

    /// How often a reader app is looked at.
    private static let pollInterval = Duration.seconds(2)
    /// How long a device may take to tell its name.
    private static let nameLimit = Duration.seconds(5)

    private let request: SessionRequest
    private let subscription: DeviceEventSubscription
    private var readers: [String: WatchedReader] = [:]
    private var pending: [Event] = []
    private var nextLook = ContinuousClock.now

    /// Begins to listen. What is attached already comes first. The state of the reader app that the request chooses is told
    /// for each device it is on.
    public init(_ request: SessionRequest) {
        self.request = request
        subscription = DeviceCatalog().events()
    }

    deinit { for reader in readers.values { reader.close() } }

    /// Waits for the next event; nil once cancelled. Devices that are there already come first.
    public func next() throws(HostError) -> Event? {
        while !request.cancellation.isCancelled {
            if !pending.isEmpty { return pending.removeFirst() }
            var context = OperationContext(cancellation: request.cancellation)
            if !readers.isEmpty { context.deadline = nextLook }
            do throws(TransportError) {
                take(try subscription.next(context))
            } catch {
                switch error.code {
                case .cancelled: return nil
                case .timedOut: look()
                default: throw HostError(error)
                }
            }
        }
        return nil
    }

    private func take(_ news: DeviceEvent) {
        let key = news.udid
        switch news.kind {
        case .attached:
            let name = self.name(of: key)
            guard isWanted(key, name) else { return }
            tell(news.kind.rawValue, key, news.link.rawValue, name, nil)
            if readers[key] == nil {
                readers[key] = WatchedReader(udid: key, connection: news.link.rawValue, name: name)
                nextLook = .now
            }
        case .detached:
            guard let reader = readers.removeValue(forKey: key) else { return }
            reader.close()
            tell(news.kind.rawValue, key, news.link.rawValue, reader.name, nil)
        case .paired:
            guard let reader = readers[key] else { return }
            tell(news.kind.rawValue, key, news.link.rawValue, reader.name, nil)
            nextLook = .now
        }
    }

    private func look() {
        nextLook = ContinuousClock.now.advanced(by: Self.pollInterval)
        for (udid, reader) in readers.sorted(by: { $0.key < $1.key }) {
            guard let change = reader.look(request) else { continue }
            tell(change.state, udid, reader.connection, reader.name, change.message)
        }
    }

    private func tell(
        _ event: String, _ udid: String, _ connection: String, _ name: String?, _ message: String?
    ) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        pending.append(
            Event(
                event: event, udid: udid, connection: connection, name: name, message: message,
                time: Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)))
    }

    /// The device's name; nil when it does not tell, for instance because it does not trust this computer.
    private func name(of udid: String) -> String? {
        let context = OperationContext(cancellation: request.cancellation, limit: Self.nameLimit)
        do throws(TransportError) {
            let session = try DeviceSession(try DeviceCatalog().device(matching: udid, context), context)
            defer { session.close() }
            return try session.information(context).name
        } catch {
            request.loggers.host.debug("asking \(udid) for its name: \(error)")
            return nil
        }
    }

    private func isWanted(_ udid: String, _ name: String?) -> Bool {
        guard let wanted = request.device?.lowercased() else { return true }
        return udid.lowercased().hasPrefix(wanted) || name?.lowercased().hasPrefix(wanted) == true
    }
}
