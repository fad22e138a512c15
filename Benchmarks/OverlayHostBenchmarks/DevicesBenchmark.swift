import DeviceTransport
import Foundation
import OverlayHost
import Platform
import SimulatedDevice
import Synchronization

/// Lists the books of many devices at once, from finding each device to the end of its session, compared with one
/// device.
struct DevicesBenchmark {
    let devices: Int
    let books: Int
    let delays: [Delay]

    func run() throws {
        let fleet = try BenchmarkFleet(devices: devices, books: books)
        defer { fleet.stop() }
        var table = BenchmarkTable(
            "Listing \(books) Marvin books of each of \(devices) devices at once, connecting included, TLS (medians of 5)",
            ["delay", "devices", "seconds", "processor s", "times the time of one"])
        let requests = try fleet.udids.map { try fleet.request(udid: $0) }
        // The first session of a process loads the overlay, and the first one with a device makes its keys.
        _ = try list(requests)
        for delay in delays {
            try fleet.apply(delay)
            // libimobiledevice sometimes sleeps for a tenth of a second, once or twice, while it opens a session with
            // lockdownd.
            let one = try median { try list([requests[$0 % requests.count]]) }
            let all = try median { _ in try list(requests) }
            for (count, cost) in [(1, one), (devices, all)] {
                table.add([
                    delay.name, "\(count)", BenchmarkTable.number(cost.seconds, 3),
                    BenchmarkTable.number(cost.processor, 3),
                    BenchmarkTable.number(cost.seconds / one.seconds, 1),
                ])
            }
        }
        table.print()
    }

    /// The run with the median time of five.
    private func median(
        _ run: (Int) throws -> (seconds: Double, processor: Double)
    ) throws -> (seconds: Double, processor: Double) {
        try (0..<5).map(run).sorted { $0.seconds < $1.seconds }[2]
    }

    /// Lists the books of all devices, each on its own thread, and prints the cost.
    private func list(_ requests: [SessionRequest]) throws -> (seconds: Double, processor: Double) {
        let before = Cost.processorSeconds
        let expected = books
        var failures: [String] = []
        let seconds = Stopwatch.seconds {
            let problems = SimultaneousRun.map(requests) { request -> String? in
                do throws(HostError) {
                    let session = try HostSession(request)
                    defer { session.close() }
                    let found = try session.books().count
                    return found == expected ? nil : "\(found) of \(expected) books were listed"
                } catch {
                    return "\(error)"
                }
            }
            failures = problems.compactMap { $0 }
        }
        if let first = failures.first {
            throw BenchmarkFailure("\(failures.count) of \(requests.count) devices failed: \(first)")
        }
        return (seconds, Cost.processorSeconds - before)
    }
}

/// Many simulated iPads behind one usbmuxd.
final class BenchmarkFleet {
    private let folder: URL
    private let usbmuxd: SimulatedUsbmuxd
    private var all: [SimulatedDevice] = []

    /// Starts devices whose Marvins have `books` synthetic books each.
    init(devices: Int, books: Int) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "overlayhost-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        usbmuxd = SimulatedUsbmuxd(socketPath: folder.appendingPathComponent("usbmuxd.sock").path)
        try usbmuxd.start()
        for number in 0..<devices {
            let place = folder.appendingPathComponent("device\(number)")
            let container = MarvinContainer(
                folder: place.appendingPathComponent("Containers/\(BenchmarkDevice.app)"), version: "2.7.1")
            try FileManager.default.createDirectory(at: container.folder, withIntermediateDirectories: true)
            _ = try MarvinLibrary(container).populateSynthetic(count: books)
            var settings = SimulatedDeviceSettings(
                iosVersion: "8.1.3",
                apps: [
                    SimulatedApp(
                        bundleID: BenchmarkDevice.app, name: "Marvin", version: "2.7.1", kind: .marvin)
                ])
            let digits = String(number, radix: 16)
            settings.udid = String(repeating: "b", count: 40 - digits.count) + digits
            settings.name = "iPad \(number)"
            let device = try SimulatedDevice(folder: place, settings: settings)
            usbmuxd.attach(device)
            all.append(device)
        }
        setenv("USBMUXD_SOCKET_ADDRESS", usbmuxd.address, 1)
    }

    var udids: [String] { all.map(\.settings.udid) }

    /// A session's request for one of the devices, for which each listing is the first.
    func request(udid: String) throws -> SessionRequest {
        var request = ListingBenchmark.request(udid: udid, .keepingFiles(in: folder.path))
        let file = folder.appendingPathComponent("prefs.json")
        try Data(#"{"booklist_caching": false}"#.utf8).write(to: file)
        request.preferences = Preferences(file: file.path)
        return request
    }

    /// Adds a delay on every device.
    func apply(_ delay: Delay) throws {
        for device in all {
            try device.update {
                $0.requestLatency = delay.device
                $0.linkRoundTrip = delay.link
            }
        }
    }

    func stop() {
        usbmuxd.stop()
        for device in all { device.stopApps() }
        BenchmarkDevice.remove(folder)
    }
}
