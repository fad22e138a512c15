import DeviceWire
import Foundation
import SimulatedDevice
import TestSupport

/// A simulated device in a folder of its own whose Media folder is served to clients inside the process.
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

    /// Puts a file onto the device behind the protocol's back.
    func put(_ path: String, _ content: String) throws {
        let url = URL(fileURLWithPath: host(path))
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(content.utf8).write(to: url)
    }

    /// What a file on the device holds; nil when there is none.
    func content(_ path: String) -> String? {
        FileManager.default.contents(atPath: host(path)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// A new connection.
    func connect(subtree: String = "/") throws -> AFCTestClient {
        let root = try ConfinedRoot(folder: device.mediaFolder.path, subtree: subtree)
        return try AFCTestClient(root: root, device: device)
    }

    /// Puts a fault plan in place.
    func fail(_ plan: FaultPlan) throws {
        try device.update { $0.faults = plan }
    }
}
