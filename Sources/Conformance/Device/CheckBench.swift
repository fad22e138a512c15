import DeviceTransport
import Foundation
import Logging
import OverlayHost
import SimulatedDevice

/// The simulated device of one check, with the app of the overlay, and all that an instance needs.
final class CheckBench {
    let overlay: LoadedOverlay
    let notebook: Notebook
    let workers: WorkerWatch
    let options: CheckOptions
    let faults = DeviceFaults()
    /// The app's own behaviour.
    let apps: SimulatedApps
    /// Files of this computer to upload.
    let books: [UploadInput]
    private let folder: URL
    private let simulated: SimulatedDevice
    private let daemon: SimulatedUsbmuxd
    private let device: FaultyDevice
    private let information: DeviceInformation
    private let access: RootAccess
    private let app: ReaderApp

    /// Switches the device on and connects to it. `folder` is the check's own.
    init(
        _ overlay: LoadedOverlay, _ notebook: Notebook, _ workers: WorkerWatch, _ options: CheckOptions,
        folder: URL, daemon: SimulatedUsbmuxd
    ) throws {
        self.overlay = overlay
        self.notebook = notebook
        self.workers = workers
        self.options = options
        self.folder = folder
        self.daemon = daemon
        apps = SimulatedApps(overlay.descriptor)
        let home = folder.appendingPathComponent("device")
        let files = folder.appendingPathComponent("books")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        try apps.prepare(home, books: files)
        // Up to this version of iOS every root of an app is granted.
        let settings = SimulatedDeviceSettings(
            udid: Self.newUDID(), iosVersion: "8.1.3", usesTLS: false, serviceTLS: false, apps: [apps.app])
        simulated = try SimulatedDevice(folder: home, settings: settings)
        let formats = overlay.descriptor.formats
        try apps.populate(simulated, formats: formats)
        let format = SampleBook.format(of: formats)
        books = try ["Northanger Abbey", "Mansfield Park"].map { title in
            let file = try SampleBook(title: title, format: format).write(to: files)
            guard let identity = LocalIdentity(path: file.path) else {
                throw HostError(.hostIO, "The sample book cannot be read.", subject: file.path)
            }
            var book = BookRecord(path: "")
            book.uuid = UUID().uuidString.lowercased()
            book.title = title
            book.authors = ["Jane Austen"]
            return UploadInput(
                path: file.path, name: file.lastPathComponent, identity: identity, book: book)
        }
        daemon.attach(simulated)
        do {
            let context = OperationContext()
            let session = try DeviceSession(
                try DeviceCatalog().device(matching: settings.udid, context), context)
            device = FaultyDevice(session, faults)
            information = try session.information(context)
            access = try session.roots(for: apps.app.bundleID, context)
        } catch {
            daemon.detach(simulated)
            simulated.stopApps()
            throw error
        }
        app = ReaderApp(
            bundleID: apps.app.bundleID, name: access.app?.name ?? overlay.descriptor.appName,
            version: access.app?.version, formats: access.app?.documentExtensions ?? [],
            sharesFiles: access.app?.sharesFiles ?? false)
    }

    /// Switches the device off.
    func close() {
        device.closeForGood()
        daemon.detach(simulated)
        simulated.stopApps()
    }

    /// The device as overlays are told of it.
    var fingerprint: DeviceFingerprint {
        DeviceFingerprint(serial: device.device.udid, product: information.deviceClass)
    }

    /// A fresh instance; nothing has been called.
    func instance(_ watch: BoundaryWatch, _ cancellation: Cancellation) throws(HostError) -> OverlayInstance {
        let preferences = Preferences(
            file: options.preferences ?? folder.appendingPathComponent("prefs.json").path,
            schema: PreferenceSchema.builtIn.merging(overlay.descriptor))
        let values = try preferences.read()
        let logger = Logger(label: "overlayhost.check") { _ in SwiftLogNoOpLogHandler() }
        return try OverlayInstance(
            overlay,
            InstanceEnvironment(
                loggers: SessionLoggers(logger),
                preferences: PreferenceView(
                    overlay: overlay.descriptor, preferences: preferences, values: values),
                progress: ProgressMerger(nil), cancellation: cancellation,
                roots: DeviceRoots(device: device, app: app, information: information, access: access),
                temporaryFolder: folder.path,
                storage: StoragePlace(
                    caches: folder.appendingPathComponent("caches").path,
                    data: folder.appendingPathComponent("data").path), observer: watch))
    }

    /// The files of the device that a host can leave behind: their paths and sizes, without what the app itself writes.
    func files() -> [String: Int] {
        var found: [String: Int] = [:]
        for root in [simulated.containerFolder(of: apps.app.bundleID), simulated.mediaFolder] {
            guard
                let files = FileManager.default.enumerator(
                    at: root, includingPropertiesForKeys: [.isRegularFileKey, .fileSizeKey])
            else { continue }
            for case let file as URL in files {
                do {
                    let values = try file.resourceValues(forKeys: [.isRegularFileKey, .fileSizeKey])
                    if values.isRegularFile == true { found[file.path] = values.fileSize ?? 0 }
                } catch {
                    // It has gone in the meantime.
                    continue
                }
            }
        }
        return found
    }

    /// Removes the files that were not there before.
    func removeFiles(besides known: [String: Int]) {
        for path in files().keys where known[path] == nil {
            do {
                try FileManager.default.removeItem(atPath: path)
            } catch {
                // It has gone in the meantime.
                continue
            }
        }
    }

    private static func newUDID() -> String {
        (0..<20).map { _ in
            let digits = String(UInt8.random(in: .min ... .max), radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
