import DeviceTransport
import FoundationEssentials
import Glibc
import Logging
import OverlayBridge
import OverlayHost
import Platform
import SimulatedDevice

/// The simulated device of one check, with the overlay's app, and everything else that an instance needs.
final class CheckEnvironment {
    let overlay: LoadedOverlay
    let observations: ObservationLog
    let workers: WorkerWatch
    let options: CheckOptions
    let faults = DeviceFaults()
    let cable: CableCut
    /// Whether the app changes files while hosts use the device.
    let isActive: Bool
    /// Local files to upload.
    let books: [UploadInput]
    private let folder: URL
    private let simulated: SimulatedDevice
    private let daemon: SimulatedUsbmuxd
    private let device: FaultyDevice
    private let information: DeviceInformation
    private let access: GrantedRoots
    private let app: ReaderApp
    /// The instances so far. They are kept alive, because an overlay may have kept their services in a worker that is
    /// reused.
    private var instances: [OverlayInstance] = []

    /// One connection with few requests at once, and books in several pieces, so that an interruption leaves partial
    /// files.
    private static let connections = DeviceSessionOptions(
        maximumConnections: 1, requestsOnEach: 2, chunkSize: 4 << 10)

    /// Starts the device and connects to it. `folder` belongs to the check.
    init(
        _ overlay: LoadedOverlay, _ observations: ObservationLog, _ workers: WorkerWatch,
        _ options: CheckOptions,
        folder: URL, daemon: SimulatedUsbmuxd
    ) throws {
        self.overlay = overlay
        self.observations = observations
        self.workers = workers
        self.options = options
        self.folder = folder
        self.daemon = daemon
        let home = folder.appendingPathComponent("device")
        let files = folder.appendingPathComponent("books")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        let formats = overlay.descriptor.formats
        let made = try Self.device(overlay.descriptor, home, files, options)
        let bundleID = made.bundleID
        let simulated = made.device
        self.simulated = simulated
        isActive = simulated.settings.apps.contains { $0.bundleID == bundleID && $0.isActive }
        cable = CableCut(simulated, daemon)
        let format = SampleBook.format(of: formats)
        books = try ["Northanger Abbey", "Mansfield Park"].map { title in
            let file = try SampleBook(title: title, format: format).write(to: files)
            guard let identity = LocalIdentity(path: file.path) else {
                throw HostError(.hostIO, "Cannot read the sample book.", subject: file.path)
            }
            var book = BookRecord(path: "")
            book.uuid = UUID().uuidString.lowercased()
            book.contentID = UUID().uuidString.lowercased()
            book.title = title
            book.authors = ["Jane Austen"]
            return UploadInput(
                path: file.path, name: file.lastPathComponent, identity: identity, book: book)
        }
        daemon.attach(simulated)
        do {
            let session = try Self.session(simulated)
            device = FaultyDevice(session, faults)
            information = try session.information(OperationContext())
            access = try session.roots(for: bundleID, OperationContext())
        } catch {
            daemon.detach(simulated)
            simulated.stopApps()
            throw error
        }
        app = ReaderApp(
            bundleID: bundleID, name: access.app?.name ?? overlay.descriptor.appName,
            version: access.app?.version, formats: access.app?.documentExtensions ?? [],
            sharesFiles: access.app?.sharesFiles ?? false)
    }

    /// The running device and the overlay's app.
    private static func device(
        _ descriptor: OverlayDescription, _ home: URL, _ books: URL, _ options: CheckOptions
    ) throws -> (device: SimulatedDevice, bundleID: String) {
        // Up to this version of iOS, all roots of an app are granted.
        var settings = SimulatedDeviceSettings(
            udid: newUDID(), iosVersion: "8.1.3", usesTLS: false, serviceTLS: false)
        if let folder = options.device {
            let prepared = try PreparedDevice(folder, copiedTo: home, for: descriptor, settings)
            let device = try SimulatedDevice(folder: home, settings: prepared.settings)
            if let behaviour = prepared.behaviour {
                device.marvin(prepared.app.bundleID)?.behaviour = behaviour
            }
            return (device, prepared.app.bundleID)
        }
        let apps = SimulatedApps(descriptor)
        try apps.prepare(home, books: books)
        settings.apps = [apps.app]
        let device = try SimulatedDevice(folder: home, settings: settings)
        try apps.populate(device, formats: descriptor.formats)
        return (device, apps.app.bundleID)
    }

    private static func session(_ simulated: SimulatedDevice) throws(TransportError) -> DeviceSession {
        let context = OperationContext()
        return try DeviceSession(
            try DeviceCatalog().device(matching: simulated.settings.udid, context), options: connections,
            context)
    }

    /// Plugs the device in again, if it was unplugged.
    func reconnect() throws(HostError) {
        let wasCut = cable.isCut
        cable.arm()
        guard wasCut else { return }
        daemon.attach(simulated)
        do throws(TransportError) {
            device.reconnect(try Self.session(simulated))
        } catch {
            throw HostError(error)
        }
    }

    /// The folder for the states of syncs.
    var states: String { folder.appendingPathComponent("state").path }

    /// A folder to sync, as a user may have one; nil if it cannot be created.
    func source() throws(HostError) -> GrantedFolder {
        let source = folder.appendingPathComponent("source")
        do {
            try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
            let texts = [
                "Notes.txt": "What to read next.\n",
                "References.bib": "@book{austen1818,\n  title = {Persuasion},\n  author = {Jane Austen}\n}\n",
            ]
            for (name, text) in texts { try Data(text.utf8).write(to: source.appendingPathComponent(name)) }
            if let book = books.first {
                let copy = source.appendingPathComponent(book.name)
                try FileManager.default.copyItem(atPath: book.path, toPath: copy.path)
            }
        } catch {
            throw HostError(.hostIO, "Cannot make a folder to sync: \(error).", subject: source.path)
        }
        return try GrantedFolder(source.path)
    }

    /// Stops the device.
    func close() {
        device.closeForGood()
        daemon.detach(simulated)
        simulated.stopApps()
    }

    /// The device information passed to overlays.
    var fingerprint: Fingerprint {
        Fingerprint.appleDevice(udid: device.device.udid, product: information.deviceClass)
    }

    /// A new instance; no method has been called.
    func instance(_ watch: BoundaryWatch, _ cancellation: Cancellation) throws(HostError) -> OverlayInstance {
        let preferences = Preferences(
            file: options.preferences ?? folder.appendingPathComponent("prefs.json").path,
            schema: PreferenceSchema.builtIn.merging(overlay.descriptor))
        let values = try preferences.read()
        let logger = Logger(label: "overlayhost.check") { _ in SwiftLogNoOpLogHandler() }
        let instance = try OverlayInstance(
            overlay,
            InstanceEnvironment(
                loggers: SessionLoggers(logger),
                preferences: PreferenceView(
                    overlay: overlay.descriptor, preferences: preferences, values: values),
                progress: ProgressMerger(nil), cancellation: cancellation,
                roots: DeviceRoots(device: device, app: app, information: information, access: access),
                temporaryFolder: folder.path,
                storage: StorageFolders(
                    caches: folder.appendingPathComponent("caches").path,
                    data: folder.appendingPathComponent("data").path), observer: watch))
        instances.append(instance)
        return instance
    }

    /// The files on the device that a host may leave behind, with their sizes, except those that the app itself
    /// writes.
    func files() -> [String: Int] {
        var found: [String: Int] = [:]
        for root in [simulated.containerFolder(of: app.bundleID), simulated.mediaFolder] {
            let paths: [String]
            do {
                paths = try FileManager.default.subpathsOfDirectory(atPath: root.path)
            } catch {
                // The app does not have such a folder.
                continue
            }
            for path in paths {
                let path = root.path + "/" + path
                var status = stat()
                // The file has disappeared meanwhile.
                guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
                found[path] = Int(status.st_size)
            }
        }
        return found
    }

    /// Removes the files that did not exist before.
    func removeFiles(besides known: [String: Int]) {
        for path in files().keys where known[path] == nil {
            do {
                try FileManager.default.removeItem(atPath: path)
            } catch {
                // The file has disappeared meanwhile.
                continue
            }
        }
    }

    private static func newUDID() -> String {
        Hex.text((0..<20).map { _ in UInt8.random(in: .min ... .max) })
    }
}
