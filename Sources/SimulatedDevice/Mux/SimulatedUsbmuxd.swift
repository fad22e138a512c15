import Foundation
import Synchronization

/// A usbmuxd that any libimobiledevice client can be pointed at with `USBMUXD_SOCKET_ADDRESS`.
public final class SimulatedUsbmuxd: Sendable {
    /// The path of the Unix socket, shorter than 108 bytes.
    public let socketPath: String
    /// The folder that keeps the pair records and the host's identity.
    public let recordsFolder: URL

    /// Prepares a daemon for `socketPath`; its pair records are kept in `recordsFolder`, or else in `PairRecords` beside
    /// the socket.
    public init(socketPath: String, recordsFolder: URL? = nil) {
        self.socketPath = socketPath
        self.recordsFolder =
            recordsFolder
            ?? URL(fileURLWithPath: socketPath).deletingLastPathComponent()
            .appendingPathComponent("PairRecords", isDirectory: true)
    }

    /// The value for `USBMUXD_SOCKET_ADDRESS`.
    public var address: String { "UNIX:" + socketPath }

    /// Opens the socket and begins to answer.
    public func start() throws {}

    /// Ends every connection, removes the socket file, and returns when the last thread has ended.
    public func stop() {}

    /// Plugs a device in; listeners are told, and the device gets a DeviceID it never had before.
    public func attach(_ device: SimulatedDevice) {}

    /// Pulls a device's cable: every connection to it ends at once and listeners are told.
    public func detach(_ device: SimulatedDevice) {}
}
