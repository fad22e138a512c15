import DeviceTransport
import Foundation
import OverlayBridge
import OverlayHost

/// The cost of calls across the contract: small calls, and booklists of 100,000 records that the host checks and
/// keeps.
struct ContractBenchmark {
    let runs: Int

    func run() throws {
        let bench = try BenchmarkDevice(books: 0)
        let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let library = URL(fileURLWithPath: executable).deletingLastPathComponent()
            .appendingPathComponent("libBenchmarkLibrary.so")
        let session = try DeviceSession(DeviceCatalog().device(matching: bench.udid))
        defer { session.close() }
        let recording = FileManager.default.temporaryDirectory.appendingPathComponent(
            "overlayhost-bench-\(UUID().uuidString).trace")
        defer { try? FileManager.default.removeItem(at: recording) }
        let observer = OverlayObserver(recording: try CallRecording(file: recording.path))
        let instance = try attached(library.path, nil, session, bench)
        let traced = try attached(library.path, observer, session, bench)

        var table = BenchmarkTable(
            "Records across the contract, in-process", ["what", "minimum", "median", "unit"])
        let calls = 10_000
        let fingerprint = Fingerprint.appleDevice(udid: bench.udid)
        let raw = try (0..<runs).map { _ in
            try instance.timeOfSlot(calls: calls, fingerprint) / .nanoseconds(calls)
        }
        add(raw, "one can_handle, through its slot", "ns", to: &table)
        let call = try (0..<runs).map { _ in
            try Stopwatch.seconds { for _ in 0..<calls { _ = try instance.canHandle(fingerprint) } }
                / Double(calls)
                * 1e9
        }
        add(call, "one can_handle, with the hop to the overlay's thread", "ns", to: &table)
        for (what, full) in [("100,000 books of 5 fields", false), ("100,000 books of 16 fields", true)] {
            // The overlay makes them up when they are first requested.
            var count = try instance.books(withCovers: full).count
            let times = try (0..<runs).map { _ in
                var books = BookList()
                let seconds = try Stopwatch.seconds { books = try instance.books(withCovers: full) }
                count = books.count
                return seconds * 1000
            }
            guard count == 100_000 else { throw BenchmarkFailure("\(count) books crossed") }
            add(times, what + ", checked and kept", "ms", to: &table)
        }
        let tracedRaw = try (0..<runs).map { _ in
            try traced.timeOfSlot(calls: calls, fingerprint) / .nanoseconds(calls)
        }
        add(tracedRaw, "the same with --trace: two calls are recorded", "ns", to: &table)
        _ = try traced.books(withCovers: false)
        let tracedBooks = try (0..<min(runs, 3)).map { _ in
            try Stopwatch.seconds { _ = try traced.books(withCovers: false) } * 1000
        }
        add(tracedBooks, "100,000 books of 5 fields with --trace", "ms", to: &table)
        instance.destroy()
        traced.destroy()
        observer?.close()
        try bench.stop()
        table.print()
    }

    /// An instance of the benchmark's overlay that serves the device.
    private func attached(
        _ library: String, _ observer: OverlayObserver?, _ session: DeviceSession, _ bench: BenchmarkDevice
    ) throws -> OverlayInstance {
        let overlay = try OverlayDiscovery(paths: .current(), observer: observer).load(library)
        let preferences = Preferences(file: "/nonexistent/overlayhost-bench.json")
        let instance = try OverlayInstance(
            overlay,
            InstanceEnvironment(
                loggers: SessionLoggers(DiagnosticSwitches()),
                preferences: PreferenceView(
                    overlay: overlay.descriptor, preferences: preferences, values: try preferences.read()),
                progress: ProgressMerger(nil), cancellation: Cancellation(),
                roots: DeviceRoots(
                    device: session, app: ReaderApp(bundleID: BenchmarkDevice.app, name: "Marvin"),
                    information: try session.information(),
                    access: try session.roots(for: BenchmarkDevice.app)),
                temporaryFolder: NSTemporaryDirectory(), storage: StorageFolders(bench.paths)))
        try instance.create()
        try instance.call(.initialize)
        try instance.note(.attached)
        return instance
    }

    private func add(_ values: [Double], _ what: String, _ unit: String, to table: inout BenchmarkTable) {
        let sorted = values.sorted()
        table.add([
            what, BenchmarkTable.number(sorted[0], 1), BenchmarkTable.number(sorted[sorted.count / 2], 1),
            unit,
        ])
    }
}
