import FoundationEssentials
import Glibc
import JSON
import OverlayHost
import Platform
import SimulatedDevice

/// A simulated device at a usbmuxd, in a folder that a person may look into.
final class Simulation {
    let device: SimulatedDevice
    let usbmuxd: SimulatedUsbmuxd
    /// Whether the usbmuxd belongs to a different device and keeps running when this one ends.
    private let isGuest: Bool
    private let lock: DeviceFolderLock
    /// The settings as a file, which is read again whenever it changes.
    let settingsFile: URL
    /// Tells other programs where to find the device while it runs.
    private let addressFile: String
    private let temporaryFolders: [LockedFolder]
    /// What a person should know about the settings file, one sentence each.
    private(set) var notes: [String] = []
    /// The settings file as it was taken over last.
    private var stated: SimulatedDeviceFile

    /// Starts a device in `folder`, or in a temporary one when nil.
    ///
    /// A folder that already holds a device keeps its settings, but for those that `changes` states. A new one is what the
    /// profile says. Throws `usage` for a change and `configuration` for a setting that mean nothing.
    ///
    /// - Parameter profile: what a new device is; nil for an iPhone. A folder that already holds a device refuses one.
    /// - Parameter books: the EPUBs of a new device; nil for the sample library. A folder that already holds a device
    ///   refuses books.
    /// - Parameter host: a running device; the new one is plugged into the same usbmuxd. Nil for its own usbmuxd.
    init(
        folder: URL?, profile: SimulationProfile? = nil, books: [URL]? = nil,
        changes: SimulatedDeviceFile = SimulatedDeviceFile(), besides host: Simulation? = nil
    ) throws(HostError) {
        var temporary: [LockedFolder] = []
        var started: SimulatedUsbmuxd?
        var made: SimulatedDevice?
        do {
            // Below the folder that is held, because a device locks its own, too.
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
                        hint: "Add books to it with: overlayhost upload FILE --simulated=DIR.")
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
            // A behaviour that is left out is the normal one; a file that people edit says so.
            stated.marvin = changes.marvin ?? file.marvin ?? MarvinBehaviour.named.first?.name
            let behaviour = try stated.marvinBehaviour()
            // Only now is it known that the wish makes sense; a mistake leaves no folder behind.
            try Self.makeFolder(home.path)
            // First of all, so that the folder of a running device is left alone.
            lock = try DeviceFolderLock(home.path, for: .running)
            addressFile = RunningSimulation.addressFile(in: home.path)
            // Of a device that was killed.
            unlink(addressFile)
            let usbmuxd = try host?.usbmuxd ?? Self.startUsbmuxd(home, &temporary)
            if host == nil { started = usbmuxd }
            isGuest = host != nil
            self.usbmuxd = usbmuxd
            if isNew {
                try chosen.fill(
                    home, with: books ?? SimulationProfile.sampleLibrary(), isSampleLibrary: books == nil)
            }
            // From now on the folder holds a device; without its books it would not count as one.
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

    /// Opens the socket of a device in `home`.
    private static func startUsbmuxd(_ home: URL, _ temporary: inout [LockedFolder]) throws
        -> SimulatedUsbmuxd
    {
        // A Unix socket's path has at most 107 bytes; a device may live in a deeper folder.
        var socket = home.appendingPathComponent("usbmuxd.sock").path
        if socket.utf8.count > 107 {
            socket = try makeTemporaryFolder(&temporary).appendingPathComponent("usbmuxd.sock").path
        }
        let usbmuxd = SimulatedUsbmuxd(
            socketPath: socket, recordsFolder: home.appendingPathComponent("PairRecords"))
        try usbmuxd.start()
        return usbmuxd
    }

    /// Takes over what was stated on the command line.
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

    /// Takes over what a person wrote into the settings file. Gives sentences about what is wrong with it.
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

    /// The settings in a file, and what in it has no effect; an error names the line or the member that is wrong.
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

    /// Makes a folder and those above it; Foundation would not say what stood in the way.
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
