import DeviceWire
import FoundationEssentials
import Glibc
import Platform
import PropertyLists
import Synchronization

/// A simulated iOS device: a plain folder of files, settings, and the services in front of them.
///
/// A device is reached once it is attached to a `SimulatedUsbmuxd`. All members may be used from any thread.
///
/// ```swift
/// let device = try SimulatedDevice(
///     folder: folder, settings: SimulatedDeviceSettings(apps: [SimulatedReader.paperback()]))
/// let daemon = SimulatedUsbmuxd(socketPath: folder.appendingPathComponent("usbmuxd").path)
/// try daemon.start()
/// daemon.attach(device)
/// ```
public final class SimulatedDevice: Sendable {
    /// The folder that holds the device's state: `Media` and `Containers/<bundle id>` are its files, and a person may
    /// look into them.
    public let folder: URL

    /// What the device's file connections share.
    package let fileService = FileServiceState()
    private let currentSettings: Mutex<SimulatedDeviceSettings>
    let counting = DeviceCounters()
    /// What of the settings is asked for with every request.
    let frequent: SettingsSnapshot
    /// The reader apps that run, by bundle id.
    let runningApps = Mutex<[String: any RunningApp]>([:])
    /// Launches the apps that the settings name and closes the others.
    private let launchApps: @Sendable (SimulatedDevice, SimulatedDeviceSettings) throws -> Void
    private let changedValues = Mutex<[String?: [String: PropertyList]]>([:])
    private let network = Mutex<(presence: NetworkPresence?, failure: (any Error)?)>((nil, nil))
    private let trustObserver = Mutex<(@Sendable () -> Void)?>(nil)
    private let lockdownHook = Mutex<LockdownHook?>(nil)

    let pairing: DevicePairing
    let ports = ServicePorts()
    let notifications = NotificationHub()

    /// A device whose apps run when `launchApps` has launched them; `Apps` knows the kinds of apps.
    init(
        folder: URL, settings: SimulatedDeviceSettings,
        launchApps: @escaping @Sendable (SimulatedDevice, SimulatedDeviceSettings) throws -> Void
    ) throws {
        OpenSSLLibrary.prepare()
        self.folder = folder
        self.launchApps = launchApps
        currentSettings = Mutex(settings)
        frequent = SettingsSnapshot(settings)
        pairing = DevicePairing(folder: folder.appendingPathComponent("Lockdown", isDirectory: true))
        try makeFolders(for: settings)
        if settings.trust != .trusted { try pairing.removeAll() }
    }

    /// The settings as they are now.
    public var settings: SimulatedDeviceSettings {
        currentSettings.withLock { $0 }
    }

    /// How many of `count` bytes may pass on a file connection; fewer mean that it ends after them.
    func pass(_ count: Int) -> Int {
        guard frequent.isFaulty else { return count }
        return fileService.pass(count, under: setting(\.faults))
    }

    /// One thing of the settings as they are now; much cheaper than a copy of all.
    func setting<Value>(_ read: (SimulatedDeviceSettings) -> Value) -> Value {
        currentSettings.withLock { read($0) }
    }

    /// Changes the settings while the device runs; connections that are open see the change at their next request.
    ///
    /// A device that stops being `trusted` forgets every host; one that becomes it is given a pair record as if it had
    /// been paired. Throws the file system's error when folders of new apps cannot be made.
    public func update(_ change: (inout SimulatedDeviceSettings) -> Void) throws {
        let (old, new) = currentSettings.withLock { settings in
            let old = settings
            change(&settings)
            frequent.adopt(settings)
            // A plan that comes back later starts at nothing.
            if !frequent.isFaulty { fileService.forgetFaults() }
            return (old, settings)
        }
        try makeFolders(for: new)
        guard old.trust != new.trust else { return }
        if new.trust != .trusted { try pairing.removeAll() }
        trustObserver.withLock { $0 }?()
    }

    /// What the device was asked to do so far.
    public var counters: SimulatedDeviceCounters { counting.current }

    /// Starts counting at nothing again.
    public func resetCounters() { counting.reset() }

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
        counting.count { $0.requests[name, default: 0] += 1 }
        spendTime(on: stream)
    }

    /// The same for a request to the file service.
    func accept(_ operation: AFCOperation, on stream: any ServiceStream) {
        counting.count(operation)
        spendTime(on: stream)
    }

    private func spendTime(on stream: any ServiceStream) {
        let latency = frequent.requestLatency
        guard latency > .zero else { return }
        do {
            try stream.pause(latency)
        } catch {
            // The client has gone; a request that reached the device is carried out anyway.
        }
    }

    /// Changes what the device thinks of its hosts because of something a host did, which needs no new pair record.
    func changeTrustQuietly(to trust: DeviceTrust) {
        currentSettings.withLock { $0.trust = trust }
    }

    /// Calls `observer` after the owner of the device has changed its trust.
    func setTrustObserver(_ observer: (@Sendable () -> Void)?) {
        trustObserver.withLock { $0 = observer }
    }

    /// The values of a lockdown domain that hosts have written.
    func changedValues(of domain: String?) -> [String: PropertyList] {
        changedValues.withLock { $0[domain] ?? [:] }
    }

    func changeValue(of domain: String?, key: String, to value: PropertyList?) {
        changedValues.withLock { $0[domain, default: [:]][key] = value }
    }

    /// Why the device is not on the network although its settings say so; nil when it is, or need not be.
    public var networkFailure: (any Error)? { network.withLock { $0.failure } }

    /// Opens a service's port on the network the device is on, if it is on one.
    func openNetworkPort(_ port: UInt16) throws {
        let presence = network.withLock { $0.presence }
        try presence?.open(port) { ports.isWaiting($0) }
    }

    func setNetwork(_ presence: NetworkPresence?) {
        network.withLock { $0 = (presence, nil) }
    }

    func noteNetworkFailure(_ error: any Error) {
        network.withLock { $0.failure = error }
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
        try launchApps(self, settings)
        try makeUndecodableNames(settings)
    }
}

/// A reader app that runs on a device until it is stopped.
protocol RunningApp: Sendable {
    /// The installed version.
    var version: String { get }
    /// Ends the app as if the user closed it, and waits until it is done.
    func stop()
}

extension SimulatedDevice {
    /// The latest requests of the file service, oldest first, at most 4,096 of them.
    public var fileRequests: [TracedRequest] { fileService.recorded }

    /// Calls `hook` for each request of the file service, carried out and about to be answered, in place of any former hook; nil ends it.
    ///
    /// The hook is called on the thread that serves the connection, several at a time when there are several
    /// connections, and delays that connection while it runs.
    public func onFileRequest(_ hook: (@Sendable (TracedRequest) -> Void)?) {
        fileService.setHook(hook)
    }

    /// May answer a request to lockdownd over the stream itself; returns whether it has.
    package typealias LockdownHook =
        @Sendable (_ request: PropertyList, _ stream: any ServiceStream) throws -> Bool

    /// Calls `hook` for each request to lockdownd before the device answers it, in place of any former hook; nil ends it.
    ///
    /// The hook is called on the thread that serves the connection. If it throws, the connection ends.
    package func onLockdownRequest(_ hook: LockdownHook?) { lockdownHook.withLock { $0 = hook } }

    /// Whether the hook has answered the request.
    func hasHookAnswered(_ request: PropertyList, on stream: any ServiceStream) throws -> Bool {
        try lockdownHook.withLock({ $0 })?(request, stream) ?? false
    }

    /// Posts a notification, as the device does when something happens on it, to every host that observes it.
    public func postNotification(_ name: String) {
        notifications.post(name)
    }
}

extension SimulatedDevice {
    /// `café.epub` in Latin-1.
    private static let undecodableName: [CChar] = [0x63, 0x61, 0x66, -0x17, 0x2E, 0x65, 0x70, 0x75, 0x62, 0]

    /// Makes a file with a name that is not UTF-8 in each folder that the rules name, where the folder exists.
    func makeUndecodableNames(_ settings: SimulatedDeviceSettings) throws {
        let roots = [mediaFolder] + settings.apps.map { containerFolder(of: $0.bundleID) }
        for path in settings.fileRules.foldersWithUndecodableNames {
            for root in roots { try makeUndecodableName(in: path, of: root) }
        }
    }

    private func makeUndecodableName(in path: String, of root: URL) throws(AFCFailure) {
        do throws(AFCFailure) {
            let place = try ConfinedRoot(folder: root.path).locate(path, following: true)
            let folder = try FolderDescriptor(opening: place.name, in: place.folder.number)
            let file = try AFCFailure.check {
                openat(
                    folder.number, Self.undecodableName, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o644)
            }
            _ = close(file)
        } catch {
            if error.status != .objectNotFound { throw error }
        }
    }
}
