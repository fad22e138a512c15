import Foundation
import OverlayHost
import SimulatedDevice

/// Lists PDF documents in GoodReader with our overlay, cold and warm, and with the pattern of the original driver,
/// which fetches each new document completely and copies its whole cache back and forth.
struct GoodReaderBenchmark {
    let documents: Int
    let delays: [Delay]

    func run() throws {
        let bench = try BenchmarkDevice(goodReader: documents)
        let reader = SimulatedGoodReader(device: bench.device)
        let paths = try FileManager.default.subpathsOfDirectory(atPath: reader.container.documents.path)
            .filter { $0.hasSuffix(".pdf") }.sorted()
        guard paths.count == documents else { throw BenchmarkFailure("\(paths.count) documents are there") }
        let megabytes = try paths.reduce(0) { sum, path in
            let attributes = try FileManager.default.attributesOfItem(
                atPath: reader.container.document(path).path)
            return sum + (attributes[.size] as? Int ?? 0)
        }
        var table = BenchmarkTable(
            "Listing \(documents) PDF documents of \(megabytes / 1_000_000) MB in GoodReader, TLS",
            [
                "delay", "way", "requests", "MB", "% of the documents", "seconds", "processor s",
                "times faster",
            ])
        for delay in delays {
            let rows = try measure(bench, reader, paths, delay)
            guard let original = rows.first else { continue }
            for (index, row) in rows.enumerated() {
                // The cold listings are compared with the original's cold one, and the warm with the warm.
                let rival = index < 3 ? original : rows[3]
                table.add([
                    delay.name, row.way, "\(row.cost.requests)",
                    BenchmarkTable.number(Double(row.cost.bytes) / 1e6, 1),
                    BenchmarkTable.number(Double(row.cost.bytes) / Double(megabytes) * 100, 2),
                    BenchmarkTable.number(row.cost.seconds, 3), BenchmarkTable.number(row.cost.processor, 3),
                    BenchmarkTable.number(rival.cost.seconds / row.cost.seconds, 1),
                ])
            }
        }
        try bench.apply(.none)
        try bench.stop()
        table.print()
    }

    private func measure(
        _ bench: BenchmarkDevice, _ reader: SimulatedGoodReader, _ paths: [String], _ delay: Delay
    ) throws -> [(way: String, cost: Cost)] {
        try bench.prepare(for: delay)
        let client = try SequentialClient(udid: bench.udid, app: SimulatedGoodReader.padID)
        try bench.apply(delay)
        let first = try Cost.of(bench.device) { try listAsTheOriginal(client, paths, isKnown: false) }
        let later = try Cost.of(bench.device) { try listAsTheOriginal(client, paths, isKnown: true) }
        try FileManager.default.removeItem(at: reader.container.cache)

        var rows: [(way: String, cost: Cost)] = []
        for withCovers in [false, true] {
            let store = FileManager.default.temporaryDirectory.appendingPathComponent(
                "overlayhost-bench-store-\(UUID().uuidString)")
            defer { BenchmarkDevice.remove(store) }
            // Two sessions, as if the device were plugged in again. Connections are opened beforehand, as for the
            // original.
            for way in ["cold", "warm"] {
                try bench.prepare(for: delay)
                let session = try HostSession(request(bench, store))
                defer { session.close() }
                try bench.apply(delay)
                var found = 0
                let cost = try Cost.of(bench.device) {
                    found = try session.books(withCovers: withCovers).count
                }
                guard found == documents else { throw BenchmarkFailure("\(found) documents were listed") }
                rows.append(("ours, \(way)\(withCovers ? ", with covers" : "")", cost))
            }
        }
        return [("original pattern, cold", first), rows[0], rows[2]]
            + [("original pattern, warm", later), rows[1], rows[3]]
    }

    /// Asks about each folder and each entry, fetches each new document completely with its preview, and then writes
    /// back the cache, 15 kB for each document.
    private func listAsTheOriginal(_ client: SequentialClient, _ paths: [String], isKnown: Bool) throws {
        let cache = "/Library/calibre_metadata.sqlite"
        client.stat(cache)
        var folders: Set<String> = [""]
        for path in paths {
            var parent = path.split(separator: "/").dropLast()
            while !parent.isEmpty {
                folders.insert(parent.joined(separator: "/"))
                parent.removeLast()
            }
        }
        for folder in folders {
            let path = folder.isEmpty ? "/Documents" : "/Documents/\(folder)"
            for name in try client.names(in: path) { client.stat("\(path)/\(name)") }
        }
        let previews = "/Library/Application Support/com.goodiware.GoodReader.ASRoot/Previews/0"
        for path in isKnown ? [] : paths {
            _ = try client.read("/Documents/\(path)", chunk: 65_536)
            _ = try client.read("\(previews)/\(path)", chunk: 65_536)
        }
        try client.write([UInt8](repeating: 1, count: paths.count * 15_000), to: cache, chunk: 32_768)
    }

    private func request(_ bench: BenchmarkDevice, _ store: URL) -> SessionRequest {
        var request = ListingBenchmark.request(bench)
        request.app = "GoodReader"
        request.paths = .keepingFiles(in: store.path)
        return request
    }
}
