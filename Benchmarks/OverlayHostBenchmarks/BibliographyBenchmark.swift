import BibTeX
import Foundation
import SimulatedDevice

/// A large bibliography with papers: parses it, and lists, searches and syncs it with a simulated BibDesk.
struct BibliographyBenchmark {
    let entries: Int
    let papers: Int
    let rounds: Int

    private static let udid = String(repeating: "b", count: 40)
    private let home = FileManager.default.temporaryDirectory.appendingPathComponent(
        "overlayhost-bench-\(getpid())")

    func run() throws {
        defer { BenchmarkDevice.remove(home) }
        let library = Array(bibliography().utf8)
        var table = BenchmarkTable(
            "A bibliography of \(entries) entries, \(library.count / 1_000_000) MB, with \(papers) papers, device 1 ms, TLS (medians of \(rounds))",
            ["work", "s", "processor s", "MB"])
        var read: BibTeXLibrary?
        let memory = try PeakMemory.growth { read = BibTeXLibrary(BibTeXDocument(library)) }
        withExtendedLifetime(read) {}
        read = nil
        var parsing = Samples()
        for _ in 0..<rounds {
            parsing.values.append(
                try Stopwatch.processorSeconds {
                    let document = BibTeXDocument(library)
                    guard document.entryIndexes.count == entries, document.bytes == library else {
                        throw BenchmarkFailure("The bibliography was not read or written as it is.")
                    }
                })
        }
        table.add(["parse and write", "", BenchmarkTable.number(parsing.median, 3), ""])
        let megabytes = BenchmarkTable.number(Double(memory) / 1_000_000, 0)
        let times = BenchmarkTable.number(Double(memory) / Double(library.count), 1)
        table.add(["parse, memory besides the file: \(times) times its size", "", "", megabytes])
        try measureProgram(library, &table)
        table.print()
    }

    private func measureProgram(_ library: [UInt8], _ table: inout BenchmarkTable) throws {
        let phone = home.appendingPathComponent("phone")
        try DeviceProcess.make(phone, udid: Self.udid, ios: "18.6", SimulatedBibDesk.app())
        let source = home.appendingPathComponent("source")
        try write(library, to: source)
        let device = try DeviceProcess([phone], .device(1))
        defer { withExtendedLifetime(device) {} }
        let host = try HostFolder(home.appendingPathComponent("host"), overlays: ["BibDesk"])
        let works: [(name: String, words: [String], runs: Int)] = [
            ("sync, all new", ["sync", source.path], 1), ("sync, unchanged", ["sync", source.path], rounds),
            ("books, which lists and reads the same", ["books"], rounds),
            ("books --search, index made", ["books", "--search", "qualomi"], 1),
            ("books --search, warm", ["books", "--search", "qualomi"], rounds),
        ]
        for work in works {
            let runs = try (0..<work.runs).map { _ in
                try host.run(work.words + ["--quiet", "--app", "BibDesk"])
            }
            guard let run = runs.median else { continue }
            table.add([
                work.name, BenchmarkTable.number(run.seconds, 2), BenchmarkTable.number(run.processor, 2),
                BenchmarkTable.number(run.megabytes, 0),
            ])
        }
    }

    /// The folder with the bibliography and the papers that its first entries link to.
    private func write(_ library: [UInt8], to folder: URL) throws {
        for shelf in 0...(papers - 1) / 100 {
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent("P\(shelf)"), withIntermediateDirectories: true)
        }
        try Data(library).write(to: folder.appendingPathComponent("refs.bib"))
        for number in 0..<papers {
            let text = "%PDF-1.4\n% paper \(number)\n" + String(repeating: "%", count: 2_000)
            try Data(text.utf8).write(to: folder.appendingPathComponent(paper(number)))
        }
    }

    private func paper(_ number: Int) -> String { "P\(number / 100)/\(number).pdf" }

    private func bibliography() -> String {
        var text = "%% Created for a benchmark\n\n"
        for number in 0..<entries {
            text += """
                @article{Author\(number):\(1950 + number % 75)aa,
                \tauthor = {Ren Qualomi \(number) and Tosvel, Ka},
                \tdate-added = {2020-01-01 12:00:00 +0000},
                \tdate-modified = {2021-01-01 12:00:00 +0000},
                \tdoi = {10.1000/\(number)},
                \tjournal = {Transactions of the Umpre Society \(number % 200)},
                \tkeywords = {istble, tra\(number % 50)},
                \ttitle = {On the {Conble} of \(number) Phels, \\"uber ing},
                \tyear = {\(1950 + number % 75)}
                """
            text += number < papers ? ",\n\tbdsk-file-1 = {\(paper(number))}}\n\n" : "}\n\n"
        }
        return text
    }
}
