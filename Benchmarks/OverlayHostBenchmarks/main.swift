import Foundation
import OverlayHost

// Prints every figure of docs/benchmarks.md. `--quick` uses fewer books and files; words choose benchmarks (`upload`)
// and delays (`link1`).
WorkerProgram.runIfAsked()
BulkBenchmark.runIfAsked()
try ProgramRun.runIfAsked()
signal(SIGPIPE, SIG_IGN)
let words = Set(CommandLine.arguments.dropFirst())
let quick = words.contains("--quick")
let delays = Delay.all.filter { words.isDisjoint(with: Delay.all.map(\.word)) || words.contains($0.word) }
/// `size=NUMBER`: the books of `libraries`.
let size = words.lazy.filter { $0.hasPrefix("size=") }.compactMap { Int($0.dropFirst(5)) }.first { $0 > 0 }
let chosen = words.subtracting(["--quick"]).subtracting(Delay.all.map(\.word)).filter {
    !$0.hasPrefix("size=")
}

let benchmarks: [(name: String, run: () throws -> Void)] = [
    ("startup", { try StartupBenchmark(runs: quick ? 5 : 31).run() }),
    ("contract", { try ContractBenchmark(runs: quick ? 3 : 11).run() }),
    ("worker", { try WorkerBenchmark(runs: quick ? 3 : 11, files: quick ? 20 : 100).run() }),
    ("bulk", { try BulkBenchmark(runs: quick ? 3 : 5).run() }),
    ("listing", { try ListingBenchmark(books: quick ? 100 : 1000, delays: delays).run() }),
    (
        "marvin",
        {
            try MarvinBenchmark(books: quick ? 200 : 5000, files: quick ? 10 : 100, delays: delays).run()
        }
    ),
    ("upload", { try UploadBenchmark(files: quick ? 40 : 200, bytes: 500_000, delays: delays).run() }),
    ("sniff", { try SniffBenchmark(files: quick ? 300 : 1000, rounds: quick ? 3 : 11).run() }),
    ("metadata", { try MetadataBenchmark(books: quick ? 17 : 100, rounds: quick ? 3 : 11).run() }),
    ("title", { try TitleBenchmark(runs: quick ? 3 : 15, delays: delays).run() }),
    (
        "devices",
        {
            try DevicesBenchmark(devices: quick ? 4 : 20, books: quick ? 20 : 200, delays: delays).run()
        }
    ),
    ("wire", { try WireBenchmark(rounds: quick ? 1 : 3, quick: quick, delays: delays).run() }),
    ("commands", { try CommandsBenchmark(runs: quick ? 3 : 11, quick: quick, delays: delays).run() }),
    (
        "libraries",
        { try LibrariesBenchmark(size: size ?? (quick ? 100 : 5000), rounds: quick ? 1 : 3).run() }
    ),
    ("search", { try SearchBenchmark(books: quick ? 3000 : 30_000).run() }),
    (
        "bibliography",
        {
            try BibliographyBenchmark(
                entries: quick ? 3000 : 30_000, papers: quick ? 200 : 2000, rounds: quick ? 1 : 5
            ).run()
        }
    ),
    ("reading", { try ReadingBenchmark(files: quick ? 100 : 1000, bytes: 20_000, delays: delays).run() }),
    (
        "goodreader",
        {
            // Fetching every document completely takes the original driver minutes, so use two delays only.
            let few = delays.filter { ["device1", "link1"].contains($0.word) }
            try GoodReaderBenchmark(documents: quick ? 50 : 500, delays: few).run()
        }
    ),
]
if let unknown = chosen.subtracting(benchmarks.map(\.name)).sorted().first {
    let known = benchmarks.map(\.name) + Delay.all.map(\.word) + ["--quick", "size=NUMBER"]
    FileHandle.standardError.write(
        Data("There is no \"\(unknown)\"; choose of \(known.joined(separator: ", ")).\n".utf8))
    exit(64)
}
for benchmark in benchmarks where chosen.isEmpty || chosen.contains(benchmark.name) {
    do {
        try benchmark.run()
    } catch {
        FileHandle.standardError.write(Data("\(benchmark.name): \(error)\n".utf8))
        exit(1)
    }
}
