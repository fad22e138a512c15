import Foundation
import OverlayHost
import SimulatedDevice

/// A simulated iPad for one benchmark, behind a usbmuxd of its own, with TLS on as on real devices.
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

    /// A place for files of the benchmark, beside those of the device.
    func place(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// The container's folder on the host, to prepare and to check what was done.
    var container: MarvinContainer {
        MarvinContainer(folder: device.containerFolder(of: Self.app), version: "2.7.1")
    }

    /// Where the host keeps files, gone with the device.
    var paths: HostPaths { .keepingFiles(in: folder.path) }

    /// Lets connections be opened without delay; with a link in their way, if `delay` has one, since a connection gets its
    /// link when it is opened.
    func prepare(for delay: Delay) throws {
        try apply(delay.link > .zero ? Delay(name: "opening", link: .microseconds(1)) : .none)
    }

    /// Puts a delay in place.
    func apply(_ delay: Delay) throws {
        try device.update {
            $0.requestLatency = delay.device
            $0.linkRoundTrip = delay.link
        }
    }

    /// Removes a folder of the app's documents, with what is in it.
    func remove(_ folder: String) throws {
        try FileManager.default.removeItem(at: container.documents.appendingPathComponent(folder))
    }

    /// Lets the library look as if it had not been changed for a day, as libraries do; a fresh one is looked at more carefully.
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

    /// Makes a folder, or removes what is in it.
    static func empty(_ folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            try FileManager.default.removeItem(at: file)
        }
    }

    /// Removes a folder of a benchmark that has ended, or says that it is left.
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

/// Where the time of a request goes: into the device, one request after the other, or into the link, where they overlap.
struct Delay {
    var name: String
    var device: Duration = .zero
    var link: Duration = .zero

    static let none = Delay(name: "none")
    static let all = [Delay.none, .device(1), .device(5), .link(1), .link(5)]

    /// How a person asks for it on the command line: `none`, `device1`, `link5`.
    var word: String { name.filter { $0 != " " }.replacing("ms", with: "") }

    static func device(_ milliseconds: Int) -> Delay {
        Delay(name: "device \(milliseconds) ms", device: .milliseconds(milliseconds))
    }
    static func link(_ milliseconds: Int) -> Delay {
        Delay(name: "link \(milliseconds) ms", link: .milliseconds(milliseconds))
    }
}

/// What one run cost.
struct Cost {
    var seconds: Double
    /// Seconds of processor that the whole process took, the simulated device and the link among it.
    var processor: Double
    var requests: Int
    var bytes: UInt64

    /// Runs `work` and counts what it asks of the device.
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

    /// Seconds of processor that the system counted.
    static func processorSeconds(_ usage: rusage) -> Double {
        [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }
}

extension HostPaths {
    /// The paths of this process, with all files that the host keeps below a folder.
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
