import SimulatedDevice
import DeviceTransport
import Foundation
import OverlayBridge
import OverlayHost
import Synchronization

/// The cost of running an overlay in its own process: starting it, small calls, long lists, and the bytes of books.
struct WorkerBenchmark {
    let runs: Int
    let files: Int
    private let bytes = 500_000

    /// The cost of one way of running the overlay.
    private struct Figures {
        var start: [Double] = []
        var slot: [Double] = []
        var call: [Double] = []
        var short: [Double] = []
        var full: [Double] = []
        var upload: [Double] = []
        var fetch: [Double] = []
        var cancel: [Double] = []
    }

    func run() throws {
        let bench = try BenchmarkDevice(books: 0)
        let session = try DeviceSession(DeviceCatalog().device(matching: bench.udid))
        defer { session.close() }
        let products = URL(
            fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        ).deletingLastPathComponent()
        let library = products.appendingPathComponent("libBenchmarkLibrary.so").path
        let program = products.appendingPathComponent("overlayhost").path
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "overlayhost-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let inputs = try makeFiles(folder)
        var inProcess = Figures()
        var worker = Figures()
        for _ in 0..<runs {
            try measure(.inProcess, library, session, bench, inputs, &inProcess)
            try measure(.worker(WorkerOptions(program: program)), library, session, bench, inputs, &worker)
        }
        try bench.stop()
        var table = BenchmarkTable(
            "An overlay in a worker beside one in-process (median of \(runs))",
            ["what", "in-process", "worker", "unit"])
        let megabytes = Double(files * bytes) / 1e6
        for (what, figures, scale, unit) in [
            ("load, create, initialize, first call", \Figures.start, 1e3, "ms"),
            ("one can_handle, through its slot", \.slot, 1e6, "µs"),
            ("one can_handle, with the hop to the thread", \.call, 1e6, "µs"),
            ("100,000 books of 5 fields", \.short, 1e3, "ms"),
            ("100,000 books of 16 fields", \.full, 1e3, "ms"),
            ("a cancel, until get_file has returned", \.cancel, 1e3, "ms"),
        ] as [(String, KeyPath<Figures, [Double]>, Double, String)] {
            table.add([
                what, number(inProcess[keyPath: figures], scale), number(worker[keyPath: figures], scale),
                unit,
            ])
        }
        for (what, figures) in [
            ("upload of \(files) files of 500 kB", \Figures.upload),
            ("get_file of \(files * bytes / 1_000_000) MB", \.fetch),
        ] as [(String, KeyPath<Figures, [Double]>)] {
            table.add([
                what, rate(inProcess[keyPath: figures], megabytes), rate(worker[keyPath: figures], megabytes),
                "MB/s",
            ])
        }
        table.print()
    }

    private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
    private func number(_ values: [Double], _ scale: Double) -> String {
        BenchmarkTable.number(median(values) * scale, 1)
    }
    private func rate(_ values: [Double], _ megabytes: Double) -> String {
        BenchmarkTable.number(megabytes / median(values), 0)
    }

    private func makeFiles(_ folder: URL) throws -> [UploadInput] {
        try (0..<files).map { index in
            let content = Data((0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ index) })
            let file = folder.appendingPathComponent("\(index).epub")
            try content.write(to: file)
            guard let identity = LocalIdentity(path: file.path) else { throw BenchmarkFailure("no file") }
            return UploadInput(
                path: file.path, name: "\(index).epub", identity: identity, book: BookRecord(path: ""))
        }
    }

    private func measure(
        _ isolation: OverlayIsolation, _ library: String, _ session: DeviceSession, _ bench: BenchmarkDevice,
        _ inputs: [UploadInput], _ figures: inout Figures
    ) throws {
        var instance: OverlayInstance?
        let cancellation = Cancellation()
        // Requests to the device do not count as starting an overlay.
        let roots = DeviceRoots(
            device: session, app: ReaderApp(bundleID: BenchmarkDevice.app, name: "Marvin"),
            information: try session.information(), access: try session.roots(for: BenchmarkDevice.app))
        let fingerprint = Fingerprint.appleDevice(udid: bench.udid)
        figures.start.append(
            try Stopwatch.seconds {
                let overlay = try OverlayDiscovery(paths: .current(), isolation: isolation).load(library)
                let made = try OverlayInstance(overlay, environment(overlay, roots, bench, cancellation))
                instance = made
                try made.create()
                try made.call(.initialize)
                try made.note(.attached)
                _ = try made.canHandle(fingerprint)
            })
        guard let instance else { throw BenchmarkFailure("no instance") }
        defer { instance.destroy() }
        let calls = 2000
        figures.slot.append(
            try instance.timeOfSlot(calls: calls, fingerprint) / .seconds(1) / Double(calls))
        figures.call.append(
            try Stopwatch.seconds { for _ in 0..<calls { _ = try instance.canHandle(fingerprint) } }
                / Double(calls))
        for (path, full) in [(\Figures.short, false), (\.full, true)]
            as [(WritableKeyPath<Figures, [Double]>, Bool)]
        {
            // The overlay makes them up when they are first requested.
            var count = try instance.books(withCovers: full).count
            figures[keyPath: path].append(
                try Stopwatch.seconds { count = try instance.books(withCovers: full).count })
            guard count == 100_000 else { throw BenchmarkFailure("\(count) books crossed") }
        }
        var failure: HostError?
        figures.upload.append(
            Stopwatch.seconds { failure = instance.uploadBooks(inputs, conflict: 0, collections: []).failure }
        )
        if let failure { throw failure }
        let large = bench.container.documents.appendingPathComponent("large")
        try Data(count: files * bytes).write(to: large)
        figures.fetch.append(try Stopwatch.seconds { _ = try instance.getFile("/Documents/large") { _ in } })
        figures.cancel.append(try cancelled(instance, cancellation))
        for name in try FileManager.default.contentsOfDirectory(atPath: bench.container.documents.path) {
            try FileManager.default.removeItem(at: bench.container.documents.appendingPathComponent(name))
        }
    }

    /// The time of an event.
    private final class Moment: Sendable {
        private let time = Mutex<ContinuousClock.Instant?>(nil)
        func set() { time.withLock { $0 = .now } }
        var age: Duration? { time.withLock { $0?.duration(to: .now) } }
    }

    /// The seconds from a cancellation until a busy method has returned.
    private func cancelled(_ instance: OverlayInstance, _ cancellation: Cancellation) throws -> Double {
        let moment = Moment()
        Thread.detachNewThread {
            // By then the overlay is busy.
            Thread.sleep(forTimeInterval: 0.05)
            moment.set()
            cancellation.cancel()
        }
        var failure: HostError?
        do throws(HostError) {
            _ = try instance.getFile("/until cancelled") { _ in }
        } catch {
            failure = error
        }
        guard failure?.code == .cancelled, let age = moment.age else {
            throw BenchmarkFailure("nothing was cancelled")
        }
        return age / .seconds(1)
    }

    private func environment(
        _ overlay: LoadedOverlay, _ roots: DeviceRoots, _ bench: BenchmarkDevice, _ cancellation: Cancellation
    ) throws -> InstanceEnvironment {
        let preferences = Preferences(file: "/nonexistent/overlayhost-bench.json")
        return InstanceEnvironment(
            loggers: SessionLoggers(DiagnosticSwitches()),
            preferences: PreferenceView(
                overlay: overlay.descriptor, preferences: preferences, values: try preferences.read()),
            progress: ProgressMerger(nil), cancellation: cancellation,
            roots: roots,
            temporaryFolder: NSTemporaryDirectory(), storage: StorageFolders(bench.paths))
    }
}
