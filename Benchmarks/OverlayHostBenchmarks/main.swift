import Foundation

// Prints every figure of docs/benchmarks.md. `--quick` takes fewer books and files; a word picks one benchmark.
signal(SIGPIPE, SIG_IGN)
let words = Set(CommandLine.arguments.dropFirst())
let quick = words.contains("--quick")
let chosen = words.subtracting(["--quick"])

let benchmarks: [(name: String, run: () throws -> Void)] = [
    ("startup", { try StartupBenchmark(runs: quick ? 5 : 31).run() }),
    ("contract", { try ContractBenchmark(runs: quick ? 3 : 11).run() }),
    ("listing", { try ListingBenchmark(books: quick ? 100 : 1000).run() }),
    ("upload", { try UploadBenchmark(files: quick ? 40 : 200, bytes: 500_000).run() }),
    ("reading", { try ReadingBenchmark(files: quick ? 100 : 1000, bytes: 20_000).run() }),
]
for benchmark in benchmarks where chosen.isEmpty || chosen.contains(benchmark.name) {
    do {
        try benchmark.run()
    } catch {
        FileHandle.standardError.write(Data("\(benchmark.name): \(error)\n".utf8))
        exit(1)
    }
}
