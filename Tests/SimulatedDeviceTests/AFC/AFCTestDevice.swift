import DeviceWire
import Foundation
import SimulatedDevice
import TestSupport

/// A simulated device in its own folder, whose Media folder is served to clients inside the process.
final class AFCTestDevice {
    let device: SimulatedDevice
    private let folder: TemporaryFolder

    init(_ change: (inout SimulatedDeviceSettings) -> Void = { _ in }) throws {
        folder = try TemporaryFolder()
        var settings = SimulatedDeviceSettings()
        change(&settings)
        device = try SimulatedDevice(folder: folder.url, settings: settings)
    }

    /// The path on the host of a path on the device.
    func host(_ path: String) -> String { device.mediaFolder.path + path }

    /// Writes a file to the device without the protocol.
    func put(_ path: String, _ content: String) throws {
        let url = URL(fileURLWithPath: host(path))
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(content.utf8).write(to: url)
    }

    /// The content of a file on the device; nil if it does not exist.
    func content(_ path: String) -> String? {
        FileManager.default.contents(atPath: host(path)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// A new connection.
    func connect(subtree: String = "/") throws -> AFCTestClient {
        let root = try ConfinedRoot(folder: device.mediaFolder.path, subtree: subtree)
        return try AFCTestClient(root: root, device: device)
    }

    /// Sets a fault plan.
    func fail(_ plan: FaultPlan) throws {
        try device.update { $0.faults = plan }
    }
}
