import DeviceTransport
import Foundation
import OverlayHost
import Platform

/// Uploads many files: our transport, a careful sequential loop, and bare pipelined connections with the same
/// requests.
struct UploadBenchmark {
    let files: Int
    let bytes: Int
    let delays: [Delay]

    func run() throws {
        let bench = try BenchmarkDevice(books: 0)
        let content = (0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        var table = BenchmarkTable(
            "Uploading \(files) files of \(bytes / 1000) kB, checked and renamed, TLS",
            ["delay", "way", "requests", "seconds", "processor s", "MB/s", "times faster"])
        for delay in delays {
            // A connection gets the link's delay only if the delay is set before it opens.
            try bench.apply(delay)
            let client = try SequentialClient(udid: bench.udid, app: BenchmarkDevice.app)
            let bare = try BareDevice(
                udid: bench.udid, app: BenchmarkDevice.app, vend: "VendContainer", isOld: true
            ).open(4)
            let device = try DeviceCatalog().device(matching: bench.udid)
            let session = try DeviceSession(device)
            let transport = try session.open(.container(bundleID: BenchmarkDevice.app))
            defer { session.close() }
            for folder in ["/Documents/a", "/Documents/b", "/Documents/c"] { try client.makeFolder(folder) }
            // The first batch opens the other connections, which a session keeps.
            _ = transport.pushMany(
                (0..<32).map { PushRequest(.bytes([1]), to: "/Documents/warm\($0)") })

            let sequential = try Cost.of(bench.device) {
                for index in 0..<files { try client.writeCarefully(content, to: "/Documents/a/\(index)") }
            }
            // Remove written files at once, so that the system does not need more memory for each way.
            try bench.remove("a")
            let pipelined = try Cost.of(bench.device) { try write(content, over: bare) }
            try bench.remove("b")
            var failures = 0
            let ours = Cost.of(bench.device) {
                let results = transport.pushMany(
                    (0..<files).map { PushRequest(.bytes(content), to: "/Documents/c/\($0)") })
                for case .failure in results { failures += 1 }
            }
            guard failures == 0 else { throw BenchmarkFailure("\(failures) uploads failed") }
            let rows = [
                ("careful sequential loop", sequential), ("bare pipelined, 4 connections", pipelined),
                ("ours", ours),
            ]
            for (way, cost) in rows {
                table.add([
                    delay.name, way, "\(cost.requests)", BenchmarkTable.number(cost.seconds, 3),
                    BenchmarkTable.number(cost.processor, 3),
                    BenchmarkTable.number(Double(files * bytes) / 1e6 / cost.seconds, 0),
                    BenchmarkTable.number(sequential.seconds / cost.seconds, 1),
                ])
            }
            try bench.apply(.none)
            try bench.remove("c")
        }
        try bench.stop()
        table.print()
    }

    private func write(_ content: [UInt8], over connections: [BareConnection]) throws {
        let failures = SimultaneousRun.map(Array(connections.enumerated())) {
            [files] number, connection -> (any Error)? in
            let mine = stride(from: number, to: files, by: connections.count).map {
                BareWork.write("/Documents/b/\($0)", content)
            }
            do { try connection.run(mine, depth: 8) } catch { return error }
            return nil
        }
        if let first = failures.compactMap({ $0 }).first { throw first }
    }
}
