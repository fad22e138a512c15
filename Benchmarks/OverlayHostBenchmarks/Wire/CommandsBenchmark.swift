import Foundation
import SimulatedDevice

/// Short commands, each in its own process, and commands on many devices and books: time, memory and system calls.
struct CommandsBenchmark {
    let runs: Int
    let quick: Bool
    let delays: [Delay]
    private let home = FileManager.default.temporaryDirectory.appendingPathComponent(
        "overlayhost-bench-\(getpid())")

    func run() throws {
        defer { BenchmarkDevice.remove(home) }
        let host = try HostFolder(
            home.appendingPathComponent("host"),
            overlays: ["Documents", "GoodReader", "Kindle", "IBooks", "Marvin", "Lantern"])
        try short(host)
        try phones(host)
        try memory(host)
    }

    // MARK: - Short commands

    private func short(_ host: HostFolder) throws {
        var table = BenchmarkTable(
            "Short commands, cold and warm, with six overlays (medians of \(runs))",
            [
                "command", "delay", "target ms", "cold ms", "warm ms", "minimum ms", "processor ms", "MB",
                "system calls",
            ])
        let folder = home.appendingPathComponent("phone")
        try marvin(folder, number: 0, books: 4)
        let book = home.appendingPathComponent("book.epub").path
        try Data(LargeBook(pictures: 4).content).write(to: URL(fileURLWithPath: book))
        let commands: [(words: [String], target: Int?)] = [
            (["books", "--app", BenchmarkDevice.app], 40), (["devices"], 30), (["apps"], 60),
        ]
        for delay in delays.filter({ !$0.word.hasSuffix("5") }) {
            let device = try DeviceProcess([folder], delay)
            defer { withExtendedLifetime(device) {} }
            for (words, target) in commands {
                // The targets are those of a link with a round trip of 1 ms.
                let goal = delay.word == "link1" ? target.map { "\($0)" } : nil
                try add(&table, words, delay.name, goal ?? "", host)
            }
        }
        try add(&table, ["sniff", book], "", "8", host)
        try add(&table, ["overlays"], "", "40", host)
        let many = home.appendingPathComponent("many")
        let count = quick ? 3000 : 30_000
        try FileManager.default.createDirectory(at: many, withIntermediateDirectories: true)
        for number in 0..<count { link(book, many.appendingPathComponent("\(number)").path) }
        // So many file names fit on a command line only without their folder.
        chdir(many.path)
        try add(
            &table, ["sniff"] + (0..<count).map { "\($0)" }, "", "1000", host, name: "sniff, \(count) paths")
        chdir("/")
        table.print()
    }

    private func add(
        _ table: inout BenchmarkTable, _ words: [String], _ delay: String, _ target: String,
        _ host: HostFolder,
        name: String? = nil
    ) throws {
        var cold: [ProgramRun] = []
        var warm: [ProgramRun] = []
        let rounds = name == nil ? runs : 3
        for _ in 0..<rounds {
            try host.forget()
            cold.append(try host.run(words))
            warm.append(try host.run(words))
        }
        let all = cold + warm
        func milliseconds(_ seconds: Double?) -> String { BenchmarkTable.number((seconds ?? 0) * 1000, 1) }
        table.add([
            name ?? words[0], delay, target, milliseconds(cold.median?.seconds),
            milliseconds(warm.median?.seconds), milliseconds(all.map(\.seconds).min()),
            milliseconds(warm.median?.processor),
            BenchmarkTable.number(all.map(\.megabytes).max() ?? 0, 0),
            try host.systemCalls(words).map { "\($0)" } ?? "not counted",
        ])
    }

    // MARK: - Many devices, many books

    /// Adds books to many phones at once. The links are the bottleneck.
    private func phones(_ host: HostFolder) throws {
        let bandwidth = 4_000_000
        var table = BenchmarkTable(
            "Adding to many phones at once, each with a link of 4 MB/s and a round trip of 1 ms, TLS (medians of 3)",
            ["phones", "MB for each", "bound s", "seconds", "× bound", "processor s", "MB of memory"])
        let folders = (0..<(quick ? 4 : 20)).map { home.appendingPathComponent("phones/phone\($0)") }
        for (number, folder) in folders.enumerated() {
            try marvin(folder, number: number + 1, books: 0, app: Self.vlc)
        }
        let device = try DeviceProcess(folders, .link(1), bandwidth: bandwidth)
        defer { withExtendedLifetime(device) {} }
        let books = try (0..<10).map { number in
            let file = home.appendingPathComponent("Walden \(number).epub")
            let bytes = LargeBook(number, pictures: 4).content
            try Data(bytes).write(to: file)
            return (file, bytes.count)
        }
        for (count, share) in [(1, 10), (folders.count, 5), (folders.count, 10)] {
            let files = books.prefix(share)
            let bytes = files.reduce(0) { $0 + $1.1 }
            let names = folders.prefix(count).map(\.lastPathComponent).joined(separator: ",")
            let took = try (0..<3).map { _ in
                let run = try host.run(
                    ["upload"] + files.map(\.0.path) + ["--app", Self.vlc, "--device", names])
                for folder in folders.prefix(count) {
                    try BenchmarkDevice.empty(
                        folder.appendingPathComponent("Containers/\(Self.vlc)/Documents"))
                }
                return run
            }
            let bound = Double(bytes) / Double(bandwidth)
            let seconds = took.median?.seconds ?? 0
            table.add([
                "\(count)", BenchmarkTable.number(Double(bytes) / 1e6, 1), BenchmarkTable.number(bound, 2),
                BenchmarkTable.number(seconds, 2), BenchmarkTable.number(seconds / bound, 1),
                BenchmarkTable.number(took.median?.processor ?? 0, 2),
                BenchmarkTable.number(took.map(\.megabytes).max() ?? 0, 0),
            ])
        }
        table.print()
    }

    /// Lists a library that is larger than real ones.
    private func memory(_ host: HostFolder) throws {
        let counts = quick ? [1000] : [1000, 10_000, 100_000]
        var table = BenchmarkTable(
            "Memory of a listing, the largest of the host and its worker (target: 150 MB)",
            ["books", "cold s", "cold MB", "warm s", "warm MB"])
        for count in counts {
            let folder = home.appendingPathComponent("library\(count)")
            try marvin(folder, number: 0, books: count, coverBytes: 500)
            let device = try DeviceProcess([folder], .none)
            defer { withExtendedLifetime(device) {} }
            try host.forget()
            let took = try (0..<2).map { _ in try host.run(["books", "--app", BenchmarkDevice.app, "--json"])
            }
            table.add(
                ["\(count)"]
                    + took.flatMap {
                        [BenchmarkTable.number($0.seconds, 2), BenchmarkTable.number($0.megabytes, 0)]
                    })
        }
        table.print()
    }

    private static let vlc = "org.videolan.vlc-ios"

    /// Makes a device with a Marvin library of this many books, or with another app.
    private func marvin(
        _ folder: URL, number: Int, books: Int, coverBytes: Int = 25_000, app: String = BenchmarkDevice.app
    ) throws {
        let isMarvin = app == BenchmarkDevice.app
        let digits = String(number, radix: 16)
        try DeviceProcess.make(
            folder, udid: String(repeating: "e", count: 40 - digits.count) + digits,
            ios: isMarvin ? "8.1.3" : "17.0",
            SimulatedApp(
                bundleID: app, name: isMarvin ? "Marvin" : "VLC", version: "2.7.1",
                kind: isMarvin ? .marvin : .plain))
        guard books > 0 else { return }
        let container = MarvinContainer(
            folder: folder.appendingPathComponent("Containers/\(app)"), version: "2.7.1")
        try FileManager.default.createDirectory(at: container.folder, withIntermediateDirectories: true)
        _ = try MarvinLibrary(container).populateSynthetic(count: books, coverBytes: coverBytes)
        try BenchmarkDevice.age(container)
    }
}
