import Foundation
import Synchronization

/// A simulated iOS device: a plain folder of files, settings, and the services in front of them.
///
/// A device is reached once it is attached to a `SimulatedUsbmuxd`. All members may be used from any thread.
public final class SimulatedDevice: Sendable {
    /// The folder that holds the device's state: `Media` and `Containers/<bundle id>` are its files, and a person may
    /// look into them.
    public let folder: URL

    /// What the device's file connections share.
    package let fileService = FileServiceState()
    private let currentSettings: Mutex<SimulatedDeviceSettings>
    private let currentCounters = Mutex(SimulatedDeviceCounters())
    /// The reader apps that run, by bundle id.
    let marvins = Mutex<[String: SimulatedMarvin]>([:])

    /// Makes a device whose files live in `folder`, which is created when absent.
    ///
    /// Throws the file system's error when the folder cannot be made.
    public init(folder: URL, settings: SimulatedDeviceSettings) throws {
        self.folder = folder
        currentSettings = Mutex(settings)
        try makeFolders(for: settings)
    }

    /// The settings as they are now.
    public var settings: SimulatedDeviceSettings {
        currentSettings.withLock { $0 }
    }

    /// Changes the settings while the device runs; connections that are open see the change at their next request.
    public func update(_ change: (inout SimulatedDeviceSettings) -> Void) throws {
        let settings = currentSettings.withLock { settings in
            change(&settings)
            return settings
        }
        try makeFolders(for: settings)
    }

    /// What the device was asked to do so far.
    public var counters: SimulatedDeviceCounters {
        currentCounters.withLock { $0 }
    }

    /// Starts counting at nothing again.
    public func resetCounters() {
        currentCounters.withLock { $0 = SimulatedDeviceCounters() }
    }

    /// The folder behind `com.apple.afc`.
    public var mediaFolder: URL { folder.appendingPathComponent("Media", isDirectory: true) }

    /// The container of an app: `Documents`, `Library` and `tmp`.
    public func containerFolder(of bundleID: String) -> URL {
        folder.appendingPathComponent("Containers", isDirectory: true)
            .appendingPathComponent(bundleID, isDirectory: true)
    }

    /// Counts a request that arrived on `stream` and spends the time the device takes for it.
    ///
    /// A service calls this once per request, before it acts on it. `name` is as in `SimulatedDeviceCounters`.
    package func accept(_ name: String, on stream: any ServiceStream) throws {
        currentCounters.withLock { $0.requests[name, default: 0] += 1 }
        let latency = currentSettings.withLock { $0.requestLatency }
        if latency > .zero { try stream.pause(latency) }
    }

    package func count(_ change: (inout SimulatedDeviceCounters) -> Void) {
        currentCounters.withLock { change(&$0) }
    }

    private func makeFolders(for settings: SimulatedDeviceSettings) throws {
        let manager = FileManager.default
        try manager.createDirectory(at: mediaFolder, withIntermediateDirectories: true)
        for app in settings.apps {
            for name in ["Documents", "Library", "tmp"] {
                try manager.createDirectory(
                    at: containerFolder(of: app.bundleID).appendingPathComponent(name, isDirectory: true),
                    withIntermediateDirectories: true)
            }
        }
        try launchApps(settings)
    }
}
