import SimulatedDevice
import DeviceTransport
import Foundation
import OverlayHost

/// Lists a Marvin library with its covers: our overlay, compared with a driver that sends one request at a time.
struct ListingBenchmark {
    let books: Int
    let delays: [Delay]

    func run() throws {
        let bench = try BenchmarkDevice(books: books)
        var table = BenchmarkTable(
            "Listing \(books) Marvin books with covers, cold, TLS",
            ["delay", "way", "requests", "per book", "MB", "seconds", "processor s", "times faster"])
        for delay in delays {
            try bench.prepare(for: delay)
            let client = try SequentialClient(udid: bench.udid, app: BenchmarkDevice.app)
            try bench.apply(delay)
            let original = try Cost.of(bench.device) { try Self.listAsTheOriginal(client, bench) }
            try bench.prepare(for: delay)
            let session = try HostSession(Self.request(bench, keepsBooklist: false))
            defer { session.close() }
            try bench.apply(delay)
            var found = 0
            let ours = try Cost.of(bench.device) { found = try session.books(withCovers: true).count }
            guard found == books else { throw BenchmarkFailure("\(found) of \(books) books were listed") }
            let bare = try Cost.of(bench.device) { _ = try session.books() }
            for (way, cost) in [("original pattern", original), ("books with covers", ours), ("books", bare)]
            {
                table.add([
                    delay.name, way, "\(cost.requests)",
                    BenchmarkTable.number(Double(cost.requests) / Double(books)),
                    BenchmarkTable.number(Double(cost.bytes) / 1e6, 1),
                    BenchmarkTable.number(cost.seconds, 3), BenchmarkTable.number(cost.processor, 3),
                    BenchmarkTable.number(original.seconds / cost.seconds, 1),
                ])
            }
        }
        try bench.stop()
        table.print()
    }

    /// The database, then for each book: whether the file exists, whether the cover exists, and the cover's four
    /// requests.
    static func listAsTheOriginal(_ client: SequentialClient, _ bench: BenchmarkDevice) throws {
        client.stat("/Library/mainDb.sqlite")
        _ = try client.read("/Library/mainDb.sqlite", chunk: 65_536)
        let documents = try FileManager.default.contentsOfDirectory(atPath: bench.container.documents.path)
            .filter { $0.hasSuffix(".epub") }
        guard let coversFolder = bench.container.smallCovers else {
            throw BenchmarkFailure("no covers folder")
        }
        let covers = try FileManager.default.contentsOfDirectory(atPath: coversFolder.path)
        let coversPath = String(coversFolder.path.dropFirst(bench.container.folder.path.count))
        for (document, cover) in zip(documents, covers) {
            client.stat("/Documents/\(document)")
            client.stat("\(coversPath)/\(cover)")
            _ = try client.read("\(coversPath)/\(cover)", chunk: 65_536)
        }
    }

    /// A session's request that uses only the overlays of the build folder, and none of the user's files.
    static func request(_ bench: BenchmarkDevice) -> SessionRequest {
        request(udid: bench.udid, bench.paths)
    }

    /// The same for any device.
    static func request(udid: String, _ paths: HostPaths) -> SessionRequest {
        let discovery = OverlayDiscovery(paths: .current())
        return SessionRequest(
            device: udid, app: "Marvin", overlays: discovery.discover(), discovery: discovery,
            preferences: Preferences(file: "/nonexistent/overlayhost-bench.json"),
            loggers: SessionLoggers(DiagnosticSwitches()), paths: paths)
    }

    /// The same request. Each listing uses what the previous one stored, or is a first listing.
    static func request(_ bench: BenchmarkDevice, keepsBooklist: Bool) throws -> SessionRequest {
        var request = request(bench)
        let file = bench.place("prefs-\(keepsBooklist).json")
        try Data("{\"booklist_caching\": \(keepsBooklist)}".utf8).write(to: URL(fileURLWithPath: file))
        request.preferences = Preferences(file: file)
        return request
    }
}

/// A benchmark did not do the work that it measures.
struct BenchmarkFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
