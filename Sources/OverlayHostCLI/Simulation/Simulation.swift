import FoundationEssentials
import Glibc
import JSON
import OverlayHost
import Platform
import SimulatedDevice

/// A simulated device attached to a usbmuxd, in a folder that people may inspect.
final class Simulation {
    let device: SimulatedDevice
    let usbmuxd: SimulatedUsbmuxd
    /// Whether the usbmuxd belongs to another device and continues when this one ends.
    private let isGuest: Bool
    private let lock: DeviceFolderLock
    /// The settings file, which is read again when it changes.
    let settingsFile: URL
    /// The file that tells other programs where the running device can be found.
    private let addressFile: String
    private let temporaryFolders: [LockedFolder]
    /// Notes about the settings file for the user, one sentence each.
    private(set) var notes: [String] = []
    /// The settings file as it was last applied.
    private var stated: SimulatedDeviceFile

    /// Starts a device in `folder`, or in a temporary one when nil.
    ///
    /// A folder that already contains a device keeps its settings, except for those in `changes`. A new device is set
    /// up by the profile. Throws `usage` for an invalid change and `configuration` for an invalid setting.
    ///
    /// - Parameter profile: the profile of a new device; nil means an iPhone. Must be nil for a folder that already
    ///   contains a device.
    /// - Parameter books: the EPUBs for a new device; nil means the sample library. Must be nil for a folder that
    ///   already contains a device.
    /// - Parameter host: a running device whose usbmuxd the new one uses; nil creates a new usbmuxd.
    init(
        folder: URL?, profile: SimulationProfile? = nil, books: [URL]? = nil,
        changes: SimulatedDeviceFile = SimulatedDeviceFile(), besides host: Simulation? = nil
    ) throws(HostError) {
        var temporary: [LockedFolder] = []
        var started: SimulatedUsbmuxd?
        var made: SimulatedDevice?
        do {
            // In a subfolder of the locked folder, because a device also locks its own folder.
            let home = try folder ?? Self.makeTemporaryFolder(&temporary).appendingPathComponent("device")
            settingsFile = home.appendingPathComponent("device.json")
            let chosen = profile ?? .iphone
            var settings = chosen.settings()
            let isNew = !FileManager.default.fileExists(atPath: settingsFile.path)
            var file = SimulatedDeviceFile(settings)
            if !isNew {
                if books?.isEmpty == false {
                    throw HostError(
                        .usage, "--book works only with a new device, but this folder already has one.",
                        subject: home.path,
                        hint: "Add books to it with: overlayhost upload FILE --simulated=DIR")
                }
                if profile != nil {
                    throw HostError(
                        .usage, "--profile works only with a new device, but this folder already has one.",
                        subject: home.path, hint: "Leave it out, or choose another folder.")
                }
                (file, notes) = try Self.settings(settingsFile)
                do {
                    try file.apply(to: &settings)
                    _ = try file.marvinBehaviour()
                } catch {
                    throw SimulationProblem.error(error, subject: settingsFile.path)
                }
            }
            try Self.take(changes, into: &settings)
            var stated = SimulatedDeviceFile(settings)
            stated.faults = file.faults ?? []
            stated.attached = file.attached
            // If the behaviour is left out, it is the normal one. The settings file states this explicitly, because
            // people edit it.
            stated.marvin = changes.marvin ?? file.marvin ?? MarvinBehaviour.named.first?.name
            let behaviour = try stated.marvinBehaviour()
            // The folder is created only after the arguments have been checked, so that a mistake leaves none behind.
            try Self.makeFolder(home.path)
            // The lock is taken first, so that the folder of a running device is left alone.
            lock = try DeviceFolderLock(home.path, for: .running)
            addressFile = RunningSimulation.addressFile(in: home.path)
            // A killed device may have left the file.
            unlink(addressFile)
            let usbmuxd = try host?.usbmuxd ?? Self.startUsbmuxd(home, &temporary)
            if host == nil { started = usbmuxd }
            isGuest = host != nil
            self.usbmuxd = usbmuxd
            if isNew {
                try chosen.fill(
                    home, with: books ?? SimulationProfile.sampleLibrary(), isSampleLibrary: books == nil)
            }
            // The settings file makes the folder a device, so it is written last, after the books.
            try stated.write(to: settingsFile)
            let device = try SimulatedDevice(folder: home, settings: settings)
            (self.device, made) = (device, device)
            if let behaviour { device.marvin(SimulationProfile.marvinID)?.behaviour = behaviour }
            temporaryFolders = temporary
            self.stated = stated
            if stated.attached != false { usbmuxd.attach(device) }
            let code = TemporaryFile.write(Array(usbmuxd.address.utf8), to: addressFile, mode: 0o666)
            if code != 0 { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
        } catch {
            if let made {
                host?.usbmuxd.detach(made)
                made.stopApps()
            }
            started?.stop()
            for folder in temporary { folder.remove() }
            throw SimulationProblem.error(error, subject: folder?.path)
        }
    }

    /// Opens the socket for a device in `home`.
    private static func startUsbmuxd(_ home: URL, _ temporary: inout [LockedFolder]) throws
        -> SimulatedUsbmuxd
    {
        // A Unix socket's path has at most 107 bytes, and the device's folder may have a longer path.
        var socket = home.appendingPathComponent("usbmuxd.sock").path
        if socket.utf8.count > 107 {
            socket = try makeTemporaryFolder(&temporary).appendingPathComponent("usbmuxd.sock").path
        }
        let usbmuxd = SimulatedUsbmuxd(
            socketPath: socket, recordsFolder: home.appendingPathComponent("PairRecords"))
        try usbmuxd.start()
        return usbmuxd
    }

    /// Applies the settings of the command line.
    private static func take(
        _ changes: SimulatedDeviceFile, into settings: inout SimulatedDeviceSettings
    ) throws(HostError) {
        do throws(SimulatedDeviceFileError) {
            try changes.apply(to: &settings)
            _ = try changes.marvinBehaviour()
        } catch {
            throw HostError(
                .usage, error.description, hint: "See 'overlayhost simulate --help'.",
                underlying: error)
        }
    }

    /// Applies the settings that the user wrote into the settings file. Returns sentences about mistakes in it.
    func reload() -> [String] {
        do {
            let (file, notes) = try Self.settings(settingsFile)
            let behaviour = try file.marvinBehaviour() ?? MarvinBehaviour()
            try file.apply(to: device, at: usbmuxd, since: stated)
            stated = file
            device.marvin(SimulationProfile.marvinID)?.behaviour = behaviour
            return notes
                + [device.networkFailure.map { "The device cannot be reached over the network: \($0)" }]
                .compactMap { $0 }
        } catch {
            return [ErrorReport.text(SimulationProblem.error(error, subject: settingsFile.path))]
        }
    }

    /// Ends the device and removes its temporary folders.
    func stop() {
        unlink(addressFile)
        if isGuest { usbmuxd.detach(device) } else { usbmuxd.stop() }
        device.stopApps()
        for folder in temporaryFolders { folder.remove() }
    }

    /// The settings in a file, and notes about settings without effect; an error names the wrong line or member.
    private static func settings(_ file: URL) throws(HostError) -> (SimulatedDeviceFile, notes: [String]) {
        do {
            // The decoder cannot say where a text stops being JSON.
            let document = try JSONValue(parsing: [UInt8](try Data(contentsOf: file)))
            let notes = UnknownSettings.sentences(document).map { "\(file.lastPathComponent): \($0)" }
            return (try SimulatedDeviceFile(contentsOf: file), notes)
        } catch {
            throw SimulationProblem.error(error, subject: file.path)
        }
    }

    /// Creates a folder and its parents; Foundation would not say what prevented it.
    private static func makeFolder(_ path: String) throws(HostError) {
        let code = makeFolders(path, mode: 0o777)
        guard code != 0 else { return }
        throw HostError(
            .outputNotCreated, "Cannot create the folder of the simulated device: \(systemText(code)).",
            subject: path, native: .posix(code))
    }

    private static func makeTemporaryFolder(_ made: inout [LockedFolder]) throws -> URL {
        let folder = try LockedFolder.temporary()
        made.append(folder)
        return URL(fileURLWithPath: folder.path)
    }
}
