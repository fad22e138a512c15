import SimulatedDevice
import Archives
import DeviceTransport
import Foundation
import OverlayHost
import Publications

/// Reads title and cover of one large book on the device by ranges, compared with copying the whole file.
struct TitleBenchmark {
    let runs: Int
    let delays: [Delay]

    func run() throws {
        let bench = try BenchmarkDevice(books: 0)
        let book = LargeBook()
        let path = "/Documents/large.epub"
        let file = bench.container.documents.appendingPathComponent("large.epub")
        try FileManager.default.createDirectory(
            at: bench.container.documents, withIntermediateDirectories: true)
        try Data(book.content).write(to: file)
        let size = Double(book.content.count)
        var table = BenchmarkTable(
            "Title and cover of an EPUB of \(BenchmarkTable.number(size / 1e6, 1)) MB on the device, cover of "
                + "\(book.cover.count / 1000) kB",
            ["delay", "way", "requests", "kB", "% of the file beside the cover", "ms"])
        for delay in delays {
            try bench.apply(delay)
            let session = try DeviceSession(DeviceCatalog().device(matching: bench.udid))
            defer { session.close() }
            let files: any FileAccess = try session.open(.container(bundleID: BenchmarkDevice.app))
            let ways: [(String, () throws -> Void)] = [
                (
                    "title by ranges",
                    { try check(OpenContent(files, path: path), book, withCover: false) }
                ),
                (
                    "title and cover by ranges",
                    { try check(OpenContent(files, path: path), book, withCover: true) }
                ),
                (
                    "the whole file, then both",
                    {
                        var bytes = Data()
                        try files.read(path, range: nil, OperationContext()) { bytes.append(contentsOf: $0) }
                        let info = try Publication.read(from: DataByteSource(bytes), name: "large.epub")
                        try check(info, book, withCover: true)
                    }
                ),
            ]
            for (way, work) in ways {
                try work()
                var costs: [Cost] = []
                for _ in 0..<runs { costs.append(try Cost.of(bench.device, work)) }
                costs.sort { $0.seconds < $1.seconds }
                let cost = costs[costs.count / 2]
                let beside = Double(cost.bytes) - (way.contains("title by") ? 0 : Double(book.cover.count))
                table.add([
                    delay.name, way, "\(cost.requests)", BenchmarkTable.number(Double(cost.bytes) / 1000, 0),
                    BenchmarkTable.number(beside / size * 100, 1),
                    BenchmarkTable.number(cost.seconds * 1000, 1),
                ])
            }
        }
        try bench.apply(.none)
        try bench.stop()
        table.print()
    }

    private func check(_ content: OpenContent, _ book: LargeBook, withCover: Bool) throws {
        defer { content.close() }
        try check(content.publication(), book, withCover: withCover)
    }

    private func check(_ info: PublicationInfo, _ book: LargeBook, withCover: Bool) throws {
        guard info.metadata.title == book.title else { throw BenchmarkFailure("another title was read") }
        guard withCover else { return }
        guard try info.cover?.read().elementsEqual(book.cover) == true else {
            throw BenchmarkFailure("another cover was read")
        }
    }
}
