import Foundation
import SimulatedDevice

/// Simulated devices in a separate process, `overlayhost simulate`, so that they share no locks and no memory with
/// the measured programs.
final class DeviceProcess {
    private let process = Process()

    /// Starts the devices of these folders, sets `USBMUXD_SOCKET_ADDRESS`, and returns when they answer requests.
    ///
    /// - Parameters:
    ///   - folders: folders that `device` and the benchmark have made.
    ///   - bandwidth: bytes per second of each device's link; 0 for no limit.
    init(_ folders: [URL], _ delay: Delay, bandwidth: Int = 0) throws {
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: try ProgramRun.sibling("overlayhost"))
        process.arguments =
            ["simulate"] + folders.map(\.path) + [
                "--latency", "\(delay.device / .milliseconds(1))",
                "--round-trip", "\(delay.link / .milliseconds(1))", "--bandwidth", "\(bandwidth)",
            ]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var text = ""
        while !text.contains("\n") {
            let piece = output.fileHandleForReading.availableData
            guard !piece.isEmpty else { throw BenchmarkFailure("the simulated device does not start") }
            text += String(decoding: piece, as: UTF8.self)
        }
        let address = text.prefix { $0 != "\n" }.dropFirst("USBMUXD_SOCKET_ADDRESS=".count)
        setenv("USBMUXD_SOCKET_ADDRESS", String(address), 1)
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
    }

    /// Makes the folder of a device with these apps.
    static func make(_ folder: URL, udid: String, ios: String, _ apps: SimulatedApp...) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var settings = SimulatedDeviceSettings(udid: udid, iosVersion: ios, apps: apps)
        settings.name = folder.lastPathComponent
        try SimulatedDeviceFile(settings).write(to: folder.appendingPathComponent("device.json"))
    }
}
