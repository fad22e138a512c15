import Foundation
import OverlayHost
import SimulatedDevice

/// A simulated iPad for one benchmark, with its own usbmuxd, and with TLS like a real device.
final class BenchmarkDevice {
    static let app = "com.appstafarian.MarvinIP"

    let device: SimulatedDevice
    private let usbmuxd: SimulatedUsbmuxd
    private let folder: URL

    /// Starts a device whose Marvin has `books` synthetic books with small covers.
    convenience init(books: Int) throws {
        let folder = Self.newFolder()
        let container = MarvinContainer(
            folder: folder.appendingPathComponent("Containers/\(Self.app)"), version: "2.7.1")
        try FileManager.default.createDirectory(at: container.folder, withIntermediateDirectories: true)
        if books > 0 {
            _ = try MarvinLibrary(container).populateSynthetic(count: books)
            try Self.age(container)
        }
        try self.init(
            folder, SimulatedApp(bundleID: Self.app, name: "Marvin", version: "2.7.1", kind: .marvin))
    }

    /// Starts a device whose GoodReader has synthetic documents in deep folders, with previews.
    convenience init(goodReader documents: Int) throws {
        let folder = Self.newFolder()
        let container = GoodReaderContainer(
            folder: folder.appendingPathComponent("Containers/\(SimulatedGoodReader.padID)"))
        try SimulatedGoodReader(container).populateSynthetic(count: documents)
        try self.init(folder, SimulatedGoodReader.app())
    }

    private static func newFolder() -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent(
            "overlayhost-bench-\(UUID().uuidString)")
    }

    private init(_ folder: URL, _ app: SimulatedApp) throws {
        self.folder = folder
        device = try SimulatedDevice(
            folder: folder, settings: SimulatedDeviceSettings(iosVersion: "8.1.3", apps: [app]))
        usbmuxd = SimulatedUsbmuxd(socketPath: folder.appendingPathComponent("usbmuxd.sock").path)
        try usbmuxd.start()
        usbmuxd.attach(device)
        setenv("USBMUXD_SOCKET_ADDRESS", usbmuxd.address, 1)
    }

    var udid: String { device.settings.udid }

    /// A folder for the benchmark's own files.
    func place(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// The container's folder on the host, for preparing and checking files.
    var container: MarvinContainer {
        MarvinContainer(folder: device.containerFolder(of: Self.app), version: "2.7.1")
    }

    /// The folder for the host's files, which is removed with the device.
    var paths: HostPaths { .keepingFiles(in: folder.path) }

    /// Opens connections without delay, or with a slow link if `delay` has one, because a connection gets its link
    /// when it is opened.
    func prepare(for delay: Delay) throws {
        try apply(delay.link > .zero ? Delay(name: "opening", link: .microseconds(1)) : .none)
    }

    /// Adds a delay.
    func apply(_ delay: Delay) throws {
        try device.update {
            $0.requestLatency = delay.device
            $0.linkRoundTrip = delay.link
        }
    }

    /// Removes a folder of the app's documents with its content.
    func remove(_ folder: String) throws {
        try FileManager.default.removeItem(at: container.documents.appendingPathComponent(folder))
    }

    /// Dates the library back by a day. A library that has just changed is checked more carefully, unlike most real
    /// ones.
    static func age(_ container: MarvinContainer) throws {
        let past = Date(timeIntervalSinceNow: -86_400)
        let manager = FileManager.default
        var paths = [container.database, container.documents]
        if let covers = container.smallCovers {
            paths.append(covers)
            paths += try manager.contentsOfDirectory(at: covers, includingPropertiesForKeys: nil)
        }
        for path in paths {
            try manager.setAttributes([.modificationDate: past], ofItemAtPath: path.path)
        }
    }

    /// Makes a folder, or empties it.
    static func empty(_ folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            try FileManager.default.removeItem(at: file)
        }
    }

    /// Removes the folder of a benchmark that has ended, or reports that it could not.
    static func remove(_ folder: URL) {
        do {
            try FileManager.default.removeItem(at: folder)
        } catch {
            FileHandle.standardError.write(Data("\(folder.path) is left: \(error)\n".utf8))
        }
    }

    func stop() throws {
        usbmuxd.stop()
        device.stopApps()
        try FileManager.default.removeItem(at: folder)
    }
}

/// The kind of delay: in the device, for one request after another, or in the link, where requests overlap.
struct Delay {
    var name: String
    var device: Duration = .zero
    var link: Duration = .zero

    static let none = Delay(name: "none")
    static let all = [Delay.none, .device(1), .device(5), .link(1), .link(5)]

    /// The name of the delay on the command line: `none`, `device1`, `link5`.
    var word: String { name.filter { $0 != " " }.replacing("ms", with: "") }

    static func device(_ milliseconds: Int) -> Delay {
        Delay(name: "device \(milliseconds) ms", device: .milliseconds(milliseconds))
    }
    static func link(_ milliseconds: Int) -> Delay {
        Delay(name: "link \(milliseconds) ms", link: .milliseconds(milliseconds))
    }
}

/// The cost of one run.
struct Cost {
    var seconds: Double
    /// Processor seconds of the whole process, including the simulated device and the link.
    var processor: Double
    var requests: Int
    var bytes: UInt64

    /// Runs `work` and counts its requests to the device.
    static func of(_ device: SimulatedDevice, _ work: () throws -> Void) rethrows -> Cost {
        device.resetCounters()
        let before = processorSeconds
        let seconds = try Stopwatch.seconds(work)
        let processor = processorSeconds - before
        let counters = device.counters
        return Cost(
            seconds: seconds, processor: processor, requests: counters.total(of: "afc"),
            bytes: counters.bytesSent + counters.bytesReceived)
    }

    static var processorSeconds: Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return processorSeconds(usage)
    }

    /// Processor seconds as the system counted them.
    static func processorSeconds(_ usage: rusage) -> Double {
        [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }
}

extension HostPaths {
    /// The paths of this process, with all of the host's files below one folder.
    static func keepingFiles(in folder: String) -> HostPaths {
        let folders = [
            "XDG_CACHE_HOME": folder + "/caches", "XDG_DATA_HOME": folder + "/data",
            "XDG_STATE_HOME": folder + "/state",
        ]
        return HostPaths(
            environment: ProcessInfo.processInfo.environment.merging(folders) { $1 },
            executable: HostPaths.current().executable)
    }
}
