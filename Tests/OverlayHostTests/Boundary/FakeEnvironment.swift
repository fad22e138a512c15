import DeviceTransport
import Fetching
import Foundation
import JSON
import Logging
import OverlayABI
import Synchronization
import TestSupport

@testable import OverlayHost
@testable import OverlayLoading

/// An instance of a fake overlay with a fake device, and its log and reports.
final class FakeEnvironment {
    let fake: FakeOverlay
    let device: FakeDevice
    let cancellation = Cancellation()
    let log = CollectedLog()
    let progress = CollectedProgress()
    let folder: TemporaryFolder
    /// The clock of the instance.
    var now: @Sendable () -> ContinuousClock.Instant = { .now }
    /// Notified when a cancel has to wait.
    var unfinished: (@Sendable (String) -> Void)?
    /// Ends methods for a new build. The client that requests servers for overlays; nil for the real one.
    var web: (any HTTPClient)?
    /// The app that is served.
    var app = ReaderApp(bundleID: "com.example.reader", name: "Reader", version: "3.1")

    init(_ fake: FakeOverlay = FakeOverlay(), device: FakeDevice = FakeDevice()) throws {
        self.fake = fake
        self.device = device
        folder = try TemporaryFolder()
    }

    var loggers: SessionLoggers { SessionLoggers(log.logger) }

    /// A new instance of the overlay, before the first call.
    func instance(_ stored: [String: JSONValue] = [:], of other: LoadedOverlay? = nil) throws
        -> OverlayInstance
    {
        let overlay = other ?? fake.loaded
        let (preferences, values) = fake.preferences(stored, file: folder.path("prefs.json"))
        let context = OperationContext()
        let roots = DeviceRoots(
            device: device, app: app,
            information: try device.information(context),
            access: try device.roots(for: "com.example.reader", context))
        var environment = InstanceEnvironment(
            loggers: loggers,
            preferences: PreferenceView(
                overlay: overlay.descriptor, preferences: preferences, values: values),
            progress: ProgressMerger { [progress] in progress.add($0) }, cancellation: cancellation,
            roots: roots, temporaryFolder: folder.path, storage: storage)
        environment.now = now
        if let web { environment.web = web }
        environment.unfinished = unfinished
        return try OverlayInstance(overlay, environment)
    }

    /// An instance that serves the device.
    func attached(_ stored: [String: JSONValue] = [:]) throws -> OverlayInstance {
        let instance = try instance(stored)
        try instance.create()
        try instance.call(.initialize)
        try instance.note(.attached)
        return instance
    }

    /// The parts of a session.
    func request(presenceLimit: Duration = .seconds(1), _ stored: [String: JSONValue] = [:]) throws
        -> SessionRequest
    {
        var object = JSONObject()
        object["fake_script"] = .string(fake.id)
        for (key, value) in stored { object[key] = value }
        let file = folder.path("prefs.json")
        try Data(JSONValue.object(object).text().utf8).write(to: URL(fileURLWithPath: file))
        let overlay = fake.loaded
        let found = DiscoveredOverlay(
            file: "fake.so", folder: PluginFolder(path: "/", origin: .option), state: .ready(overlay),
            descriptor: overlay.descriptor)
        return SessionRequest(
            overlays: OverlayCatalog(found: [found]),
            discovery: OverlayDiscovery(paths: HostPaths(environment: [:], executable: nil)),
            preferences: Preferences(file: file), loggers: SessionLoggers(log.logger),
            cancellation: cancellation,
            progress: { [progress] in progress.add($0) }, presenceLimit: presenceLimit, paths: paths)
    }

    /// Where the host keeps files, all in the folder of the test.
    var paths: HostPaths {
        let folders = [
            "TMPDIR": folder.path, "XDG_CACHE_HOME": folder.path("caches"),
            "XDG_DATA_HOME": folder.path("data"),
            "XDG_STATE_HOME": folder.path("state"),
        ]
        return HostPaths(
            environment: ProcessInfo.processInfo.environment.merging(folders) { $1 },
            executable: HostPaths.current().executable)
    }

    /// The folder of the fake's small files.
    var storage: StorageFolders { StorageFolders(paths) }

    /// The target of a request on the fake device.
    func target() throws -> ReaderTarget {
        let context = OperationContext()
        return ReaderTarget(
            device: device, information: try device.information(context), overlay: fake.loaded,
            app: app,
            access: try device.roots(for: "com.example.reader", context))
    }

    /// A session with a reader app that is online, unless the fake changes that.
    func session(_ stored: [String: JSONValue] = [:]) throws -> HostSession {
        try HostSession(try target(), try request(stored))
    }

    /// Makes a file with this content in a folder of the test.
    func file(_ name: String, _ content: String) throws -> String {
        let path = folder.path(name)
        try Data(content.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }
}

/// Every update in order.
final class CollectedProgress: Sendable {
    private let stored = Mutex<[ProgressUpdate]>([])
    private let action = Mutex<(@Sendable (ProgressUpdate) -> Void)?>(nil)
    var updates: [ProgressUpdate] { stored.withLock { $0 } }
    func add(_ update: ProgressUpdate) {
        stored.withLock { $0.append(update) }
        action.withLock { $0 }?(update)
    }
    /// Called at each update.
    func onUpdate(_ action: @escaping @Sendable (ProgressUpdate) -> Void) {
        self.action.withLock { $0 = action }
    }
}

/// Every notice in order.
final class CollectedNotices: Sendable {
    private let stored = Mutex<[String]>([])
    var all: [String] { stored.withLock { $0 } }
    func add(_ text: String) { stored.withLock { $0.append(text) } }
}

/// Every log line in order.
final class CollectedLog: Sendable {
    struct Line: Sendable {
        var level: Logger.Level
        var message: String
        var metadata: [String: String]
    }
    private let stored = Mutex<[Line]>([])
    var lines: [Line] { stored.withLock { $0 } }
    func add(_ line: Line) { stored.withLock { $0.append(line) } }

    var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

    private struct Handler: LogHandler {
        let log: CollectedLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) {
            log.add(
                Line(
                    level: event.level, message: "\(event.message)",
                    metadata: (event.metadata ?? [:]).mapValues { "\($0)" }))
        }
    }
}

func readFile(_ path: String) -> [UInt8]? { FileManager.default.contents(atPath: path).map { Array($0) } }

func writeFile(_ path: String, _ bytes: [UInt8]) -> Bool {
    FileManager.default.createFile(atPath: path, contents: Data(bytes))
}

/// Runs `body` and returns the error that it throws; nil if it does not.
func hostError(_ body: () throws(HostError) -> Void) -> HostError? {
    do throws(HostError) { try body() } catch { return error }
    return nil
}
