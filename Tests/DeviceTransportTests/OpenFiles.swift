import DeviceTransport
import Foundation
import SimulatedDevice
import Synchronization
import TestSupport

let appID = "org.example.reader"

extension SimulatedDeviceSettings {
    /// A device without TLS, of a version that opens containers, with one app.
    static var reader: SimulatedDeviceSettings {
        SimulatedDeviceSettings(
            iosVersion: "8.1", usesTLS: false, serviceTLS: false,
            apps: [SimulatedApp(bundleID: appID, name: "Reader")])
    }

    /// The same device with encrypted sessions and services.
    static var encryptedReader: SimulatedDeviceSettings {
        var settings = reader
        settings.usesTLS = true
        settings.serviceTLS = true
        return settings
    }
}

/// A session with a device of the shared daemon.
func openSession(_ device: SimulatedDevice, _ options: DeviceSessionOptions = DeviceSessionOptions()) throws
    -> DeviceSession
{
    try DeviceSession(
        DeviceDescription(udid: device.settings.udid, links: [.usb]), options: options)
}

/// The container of the only app.
func openFiles(_ device: SimulatedDevice, _ options: DeviceSessionOptions = DeviceSessionOptions()) throws
    -> DeviceFiles
{
    try openSession(device, options).open(.container(bundleID: appID))
}

extension SimulatedDevice {
    /// The local folder with the app's documents.
    var documents: URL { containerFolder(of: appID).appendingPathComponent("Documents", isDirectory: true) }

    /// Names in the app's Documents folder, hidden ones included.
    func documentNames() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: documents.path).sorted()
    }
}

/// Bytes that differ from place to place. They repeat after a prime number, so that no two pieces are equal.
func pattern(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + patternBlock.count)
    while bytes.count < count { bytes += patternBlock }
    bytes.removeLast(bytes.count - count)
    return bytes
}

private let patternBlock = (0..<7919).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

/// The code of the error that `body` throws; nil if it does not throw.
func code<Value>(_ body: () throws -> Value) -> TransportError.Code? { failure(body)?.code }

/// The subject of the error that `body` throws.
func subject<Value>(_ body: () throws -> Value) -> String? { failure(body)?.subject }

/// The error that `body` throws.
func failure<Value>(_ body: () throws -> Value) -> TransportError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? TransportError ?? TransportError(.internalFailure, "\(error)")
    }
}

/// Runs `body` on its own thread. The returned closure waits for its end.
func inBackground<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> () -> Value {
    let box = Shared<Value>()
    Thread.detachNewThread {
        let value = body()
        box.set(value)
    }
    return { box.wait() }
}

/// A value that another thread will provide.
final class Shared<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let done = DispatchSemaphore(value: 0)

    func set(_ new: Value) {
        value.withLock { $0 = new }
        done.signal()
    }

    func wait() -> Value {
        done.wait()
        defer { done.signal() }
        return value.withLock { $0! }
    }
}
