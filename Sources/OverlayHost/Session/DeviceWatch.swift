import DeviceTransport

/// News about devices and reader apps, as they happen: the `watch` command.
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

    /// Begins to listen. With an app or overlay in the request, `reader` events tell how the reader app is.
    public init(_ request: SessionRequest) {}

    /// Waits for the next event; nil once cancelled. Devices that are there already come first.
    public func next() throws(HostError) -> Event? { nil }
}
