import SimulatedDevice
import DeviceTransport
import Foundation

/// Reads many small files with their status, like covers: our transport, compared with a sequential loop.
struct ReadingBenchmark {
    let files: Int
    let bytes: Int
    let delays: [Delay]

    func run() throws {
        let bench = try BenchmarkDevice(books: 0)
        let content = Data((0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        let folder = bench.container.documents.appendingPathComponent("covers")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for index in 0..<files { try content.write(to: folder.appendingPathComponent("\(index)")) }
        let paths = (0..<files).map { "/Documents/covers/\($0)" }
        var table = BenchmarkTable(
            "Reading \(files) files of \(bytes / 1000) kB with their status, TLS",
            ["delay", "way", "requests", "seconds", "processor s", "times faster"])
        for delay in delays {
            // A connection gets the link's delay only if the delay is set before it opens.
            try bench.apply(delay)
            let client = try SequentialClient(udid: bench.udid, app: BenchmarkDevice.app)
            let session = try DeviceSession(DeviceCatalog().device(matching: bench.udid))
            let transport = try session.open(.container(bundleID: BenchmarkDevice.app))
            // The first batch opens the other connections, which a session keeps.
            _ = transport.statMany(Array(paths.prefix(32)))

            let sequential = try Cost.of(bench.device) {
                for path in paths {
                    _ = client.stat(path)
                    _ = try client.read(path)
                }
            }
            var failures = 0
            let ours = Cost.of(bench.device) {
                for case .failure in transport.readMany(paths.map { FileReadRequest($0) }) { failures += 1 }
            }
            guard failures == 0 else { throw BenchmarkFailure("\(failures) reads failed") }
            for (way, cost) in [("sequential loop", sequential), ("ours", ours)] {
                table.add([
                    delay.name, way, "\(cost.requests)", BenchmarkTable.number(cost.seconds, 3),
                    BenchmarkTable.number(cost.processor, 3),
                    BenchmarkTable.number(sequential.seconds / cost.seconds, 1),
                ])
            }
        }
        try bench.apply(.none)
        try bench.stop()
        table.print()
    }
}
