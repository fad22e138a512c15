import DeviceWire
import FoundationEssentials
import Glibc
import Platform
import PropertyLists
import Synchronization

/// A simulated iOS device: a plain folder of files, settings, and the services in front of them.
///
/// A device is reachable once it is attached to a `SimulatedUsbmuxd`. All members may be used from any thread.
///
/// ```swift
/// let device = try SimulatedDevice(
///     folder: folder, settings: SimulatedDeviceSettings(apps: [SimulatedReader.paperback()]))
/// let daemon = SimulatedUsbmuxd(socketPath: folder.appendingPathComponent("usbmuxd").path)
/// try daemon.start()
/// daemon.attach(device)
/// ```
public final class SimulatedDevice: Sendable {
    /// The folder that holds the device's state. Its files are in `Media` and `Containers/<bundle id>`, where users
    /// may look at them.
    public let folder: URL

    /// The state that the device's file connections share.
    package let fileService = FileServiceState()
    private let currentSettings: Mutex<SimulatedDeviceSettings>
    let counting = DeviceCounters()
    /// The settings that every request needs.
    let frequent: SettingsSnapshot
    /// The running reader apps, by bundle id.
    let runningApps = Mutex<[String: any RunningApp]>([:])
    /// The behaviour of the installed BibDesks according to the last settings.
    let bibDeskBehaviour = Mutex(BibDeskBehaviour.normal)
    /// Launches the apps in the settings and closes all others.
    private let launchApps: @Sendable (SimulatedDevice, SimulatedDeviceSettings) throws -> Void
    private let changedValues = Mutex<[String?: [String: PropertyList]]>([:])
    private let network = Mutex<(presence: NetworkPresence?, failure: (any Error)?)>((nil, nil))
    private let trustObserver = Mutex<(@Sendable () -> Void)?>(nil)
    private let lockdownHook = Mutex<LockdownHook?>(nil)
    private let refusedConnections = Mutex(0)

    let pairing: DevicePairing
    let ports = ServicePorts()
    let notifications = NotificationHub()

    /// Creates a device whose apps are launched by `launchApps`; `Apps` knows the kinds of apps.
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

    /// The current settings.
    public var settings: SimulatedDeviceSettings {
        currentSettings.withLock { $0 }
    }

    /// How many of `count` bytes may pass on a file connection. If fewer, the connection ends after them.
    func pass(_ count: Int) -> Int {
        guard frequent.isFaulty else { return count }
        return fileService.pass(count, under: setting(\.faults))
    }

    /// Reads one value of the current settings, which is much cheaper than copying all of them.
    func setting<Value>(_ read: (SimulatedDeviceSettings) -> Value) -> Value {
        currentSettings.withLock { read($0) }
    }

    /// Changes the settings while the device runs. Open connections see the change at their next request.
    ///
    /// A device that is no longer `trusted` forgets all hosts. One that becomes `trusted` gets a pair record, as if
    /// it had been paired. Throws the file system's error if the folders of new apps cannot be created.
    public func update(_ change: (inout SimulatedDeviceSettings) -> Void) throws {
        let (old, new) = currentSettings.withLock { settings in
            let old = settings
            change(&settings)
            frequent.adopt(settings)
            // If a plan is set again later, its counts start at zero.
            if !frequent.isFaulty { fileService.forgetFaults() }
            return (old, settings)
        }
        try makeFolders(for: new)
        guard old.trust != new.trust else { return }
        if new.trust != .trusted { try pairing.removeAll() }
        trustObserver.withLock { $0 }?()
    }

    /// The requests and bytes that the device has handled so far.
    public var counters: SimulatedDeviceCounters { counting.current }

    /// Resets all counters to zero.
    public func resetCounters() { counting.reset() }

    /// The folder that the service `com.apple.afc` exposes.
    public var mediaFolder: URL { folder.appendingPathComponent("Media", isDirectory: true) }

    /// The container of an app: `Documents`, `Library` and `tmp`.
    public func containerFolder(of bundleID: String) -> URL {
        folder.appendingPathComponent("Containers", isDirectory: true)
            .appendingPathComponent(bundleID, isDirectory: true)
    }

    /// Counts a request that arrived on `stream`, and waits for the time that the device takes for it.
    ///
    /// A service calls this once per request before it acts on it. `name` is as in `SimulatedDeviceCounters`.
    package func accept(_ name: String, on stream: any ServiceStream) throws {
        counting.count { $0.requests[name, default: 0] += 1 }
        spendTime(on: stream)
    }

    /// Does the same for a request to the file service.
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

    /// Changes the trust state because of an action of a host. Unlike `update`, this creates no new pair record.
    func changeTrustQuietly(to trust: DeviceTrust) {
        currentSettings.withLock { $0.trust = trust }
    }

    /// Sets a function that is called after the owner of the device has changed its trust.
    func setTrustObserver(_ observer: (@Sendable () -> Void)?) {
        trustObserver.withLock { $0 = observer }
    }

    /// The values of a lockdown domain that hosts have changed.
    func changedValues(of domain: String?) -> [String: PropertyList] {
        changedValues.withLock { $0[domain] ?? [:] }
    }

    func changeValue(of domain: String?, key: String, to value: PropertyList?) {
        changedValues.withLock { $0[domain, default: [:]][key] = value }
    }

    /// The reason why the device is not on the network although its settings require it; nil if it is, or if they do
    /// not.
    public var networkFailure: (any Error)? { network.withLock { $0.failure } }

    /// Opens a service's port if the device is on a network.
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
    /// Ends the app as if the user closed it, and waits until it has ended.
    func stop()
}

extension SimulatedDevice {
    /// The latest requests of the file service, oldest first, at most 4,096 of them.
    public var fileRequests: [TracedRequest] { fileService.recorded }

    /// Sets a function that is called for each request of the file service, after the request was carried out and
    /// before it is answered. It replaces any former hook; nil removes it.
    ///
    /// The hook is called on the thread that serves the connection, which it delays. It may be called by several
    /// connections at the same time.
    public func onFileRequest(_ hook: (@Sendable (TracedRequest) -> Void)?) {
        fileService.setHook(hook)
    }

    /// A function that may answer a request to lockdownd over the stream itself. Returns whether it has.
    package typealias LockdownHook =
        @Sendable (_ request: PropertyList, _ stream: any ServiceStream) throws -> Bool

    /// Sets a function that is called for each request to lockdownd before the device answers it. It replaces any
    /// former hook; nil removes it.
    ///
    /// The hook is called on the thread that serves the connection. If it throws, the connection ends.
    package func onLockdownRequest(_ hook: LockdownHook?) { lockdownHook.withLock { $0 = hook } }

    /// Whether the hook has answered the request.
    func hasHookAnswered(_ request: PropertyList, on stream: any ServiceStream) throws -> Bool {
        try lockdownHook.withLock({ $0 })?(request, stream) ?? false
    }

    /// Lets the next connections to started services be refused. The services go on waiting.
    package func refuseConnections(_ count: Int) { refusedConnections.withLock { $0 = count } }

    /// Whether the next connection to a started service is refused.
    func refusesConnection() -> Bool {
        refusedConnections.withLock { left in
            guard left > 0 else { return false }
            left -= 1
            return true
        }
    }

    /// Posts a notification to all hosts that observe it, as the device does when something happens on it.
    public func postNotification(_ name: String) {
        notifications.post(name)
    }
}

extension SimulatedDevice {
    /// `café.epub` in Latin-1.
    private static let undecodableName: [CChar] = [0x63, 0x61, 0x66, -0x17, 0x2E, 0x65, 0x70, 0x75, 0x62, 0]

    /// Creates a file whose name is not UTF-8 in each folder that the rules name, if the folder exists.
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
