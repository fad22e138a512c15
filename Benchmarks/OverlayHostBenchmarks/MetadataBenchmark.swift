import FormatSamples
import Foundation
import Publications

/// Reads the metadata of real books in files, compared with calibre.
struct MetadataBenchmark {
    let books: Int
    let rounds: Int

    func run() throws {
        let calibre = CalibreReader()
        let columns = ["books", "way", "books/s", "ms per book", "times faster"]
        var table = BenchmarkTable(
            "Metadata of \(books) EPUB and \(books) PDF files of Debian's, warm", columns)
        for ending in ["epub", "pdf"] {
            let real = RealDocuments.paths(endingIn: [ending])
            guard !real.isEmpty else {
                throw BenchmarkFailure("\(RealDocuments.packages.joined(separator: ", ")) are not installed")
            }
            let paths = (0..<books).map { real[$0 % real.count] }
            let ours = try Stopwatch.rounds(
                rounds,
                [
                    {
                        for path in paths {
                            guard try Publication.read(path: path).metadata.title != nil else {
                                throw BenchmarkFailure("\(path) has no title")
                            }
                        }
                    },
                    { for path in paths { _ = try Publication.read(path: path).cover?.read() } },
                ])
            let theirs = try calibre?.seconds(paths, rounds: min(rounds, 3))
            let name = "\(ending.uppercased()), \(real.count) different"
            add(name, "ours", ours[0], theirs, to: &table)
            add(name, "ours, with the bytes of the cover", ours[1], theirs, to: &table)
            if let theirs {
                add(name, "ebook-meta's reader, in one process, with the cover", theirs, theirs, to: &table)
            } else {
                table.add([name, "ebook-meta's reader", "calibre is not installed", "", ""])
            }
        }
        table.print()
    }

    private func add(
        _ name: String, _ way: String, _ samples: Samples, _ theirs: Samples?, to table: inout BenchmarkTable
    ) {
        table.add([
            name, way, BenchmarkTable.number(Double(books) / samples.median, 0),
            BenchmarkTable.number(samples.median / Double(books) * 1000, 3),
            theirs.map { BenchmarkTable.number($0.median / samples.median, 1) } ?? "",
        ])
    }
}
