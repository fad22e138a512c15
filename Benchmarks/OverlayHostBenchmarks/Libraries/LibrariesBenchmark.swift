import Foundation
import SimulatedDevice

/// Whole libraries: `sync` compared with rsync over ifuse, and `backup` compared with a sequential loop, on the same
/// simulated phone with two apps that share their folders; and the memory of both.
struct LibrariesBenchmark {
    /// Number of synced books. A fiftieth of them is then changed, and as many are added.
    let books: Int
    /// Number of books in the backup.
    let backedUp: Int
    /// Number of books in the library whose memory is measured.
    let most: Int
    let rounds: Int

    private static let ours = "org.videolan.vlc-ios"
    private static let theirs = "com.example.files"
    private static let udid = String(repeating: "c", count: 40)
    /// For a small file, most of the time is spent on its requests.
    private static let bytes = 30_000

    private let home = FileManager.default.temporaryDirectory.appendingPathComponent(
        "overlayhost-bench-\(getpid())")

    /// Sizes derived from `size=NUMBER`.
    init(size: Int, rounds: Int) {
        (books, backedUp, most, self.rounds) = (size, max(1, size / 5), size * 20, rounds)
    }

    func run() throws {
        defer { BenchmarkDevice.remove(home) }
        for delay in [Delay.link(1), .device(1)] {
            try sync(delay)
            try backup(delay)
        }
        try memory()
    }

    // MARK: sync

    private func sync(_ delay: Delay) throws {
        let home = home.appendingPathComponent(delay.name)
        let phone = try phone("sync \(delay.name)")
        let tree = BookTree(folder: home.appendingPathComponent("books"), bytes: Self.bytes)
        try tree.write(0..<books)
        // rsync starts with the files that it would have sent, including their times.
        try tree.copy(to: documents(phone, Self.theirs))
        let device = try DeviceProcess([phone], delay)
        defer { withExtendedLifetime(device) {} }
        let host = try HostFolder(home.appendingPathComponent("host"))
        let first = try run(host, ["sync", tree.folder.path], expecting: books)
        var table = BenchmarkTable(
            "Sync of a folder beside rsync over ifuse, \(books) books of \(Self.bytes / 1000) kB, \(delay.name), TLS (medians of \(rounds))",
            ["work", "overlayhost s", "MB", "rsync over ifuse s", "MB", "times faster"])
        table.add([
            "\(books) new", BenchmarkTable.number(first.seconds, 2),
            BenchmarkTable.number(first.megabytes, 0),
            "not measured", "", "",
        ])
        let part = max(1, books / 50)
        var (edition, count) = (1, books)
        let changes: [(name: String, work: () throws -> Int)] = [
            ("unchanged", { 0 }),
            (
                "\(part) changed",
                {
                    edition += 1
                    try tree.write(0..<part, edition: edition)
                    return part
                }
            ),
            (
                "\(part) new",
                {
                    try tree.write(count..<(count + part))
                    count += part
                    return part
                }
            ),
        ]
        for change in changes {
            var (mine, theirs): ([ProgramRun], [ProgramRun]) = ([], [])
            for _ in 0..<rounds {
                let sent = try change.work()
                mine.append(try run(host, ["sync", tree.folder.path], expecting: sent))
                if let run = try rsync(tree) { theirs.append(run) }
            }
            table.add(row(change.name, mine, theirs))
        }
        table.print()
    }

    private func row(_ name: String, _ mine: [ProgramRun], _ theirs: [ProgramRun]) -> [String] {
        let (seconds, others) = (mine.median?.seconds ?? 0, theirs.median?.seconds)
        return [
            name, BenchmarkTable.number(seconds, 2), megabytes(mine),
            others.map { BenchmarkTable.number($0, 2) } ?? "not installed", megabytes(theirs),
            others.map { BenchmarkTable.number($0 / seconds, 1) } ?? "",
        ]
    }

    private func megabytes(_ runs: [ProgramRun]) -> String {
        runs.map(\.megabytes).max().map { BenchmarkTable.number($0, 0) } ?? ""
    }

    /// Runs the program, and checks the result that it reports.
    ///
    /// - Parameter sent: books that it has to add or to replace.
    private func run(_ host: HostFolder, _ words: [String], expecting sent: Int) throws -> ProgramRun {
        let run = try host.run(words + ["--app", Self.ours, "--json"])
        let text = try String(contentsOfFile: host.output, encoding: .utf8)
        let results = text.components(separatedBy: "\"results\"").last ?? ""
        let done = ["added", "updated", "replaced"].reduce(0) {
            $0 + results.components(separatedBy: "\"status\": \"\($1)\"").count - 1
        }
        guard done == sent else {
            throw BenchmarkFailure("\(words[0]) sent \(done) books, not \(sent): \(text.suffix(1000))")
        }
        return run
    }

    /// Runs rsync to the other app's files, which are mounted for this run; nil if rsync or ifuse is not installed.
    private func rsync(_ tree: BookTree) throws -> ProgramRun? {
        guard let program = ProgramRun.installed("rsync"),
            let mount = IfuseMount(sharing(Self.theirs), at: home.appendingPathComponent("mount").path)
        else { return nil }
        var run: ProgramRun?
        let seconds = try mount.seconds {
            // Without temporary names and deltas, which would only cost requests here.
            run = try ProgramRun.of(
                [program, "-rt", "--inplace", "--whole-file", tree.folder.path + "/", mount.folder])
        }
        run?.seconds = seconds
        return run
    }

    // MARK: backup

    private func backup(_ delay: Delay) throws {
        let home = home.appendingPathComponent("backup " + delay.name)
        let phone = try phone("backup \(delay.name)")
        let tree = BookTree(folder: documents(phone, Self.ours), bytes: Self.bytes)
        try tree.write(0..<backedUp)
        let device = try DeviceProcess([phone], delay)
        defer { withExtendedLifetime(device) {} }
        let host = try HostFolder(home.appendingPathComponent("host of backup"))
        var table = BenchmarkTable(
            "Backup of \(backedUp) books of \(Self.bytes / 1000) kB beside a sequential libimobiledevice loop, \(delay.name), TLS "
                + "(medians of \(rounds))",
            ["work", "overlayhost s", "MB", "loop s", "times faster"])
        var (first, again, loop): ([ProgramRun], [ProgramRun], Samples) = ([], [], Samples())
        for round in 0..<rounds {
            try host.forget(overlays: true)
            let folder = home.appendingPathComponent("backup \(round)").path
            first.append(try host.run(["backup", folder, "--quiet", "--app", Self.ours]))
            again.append(try host.run(["backup", folder, "--quiet", "--app", Self.ours]))
            loop.values.append(try self.loop(to: home.appendingPathComponent("loop \(round)")))
        }
        for (name, runs) in [("all", first), ("unchanged", again)] {
            let seconds = runs.median?.seconds ?? 0
            table.add([
                name, BenchmarkTable.number(seconds, 2), megabytes(runs),
                BenchmarkTable.number(loop.median, 2), BenchmarkTable.number(loop.median / seconds, 1),
            ])
        }
        table.print()
    }

    /// Lists each folder and fetches each file, one by one; returns seconds.
    private func loop(to folder: URL) throws -> Double {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return try Stopwatch.seconds {
            let client = try SequentialClient(udid: Self.udid, app: Self.ours, vend: "VendDocuments")
            for shelf in try client.names(in: "/Documents") {
                for name in try client.names(in: "/Documents/" + shelf) {
                    let bytes = try client.read("/Documents/\(shelf)/\(name)", chunk: 262_144)
                    try Data(bytes).write(to: folder.appendingPathComponent(name))
                }
            }
        }
    }

    // MARK: memory

    private func memory() throws {
        let phone = try phone("memory")
        // The memory of a book is its metadata, so small files show it as well.
        let tree = BookTree(folder: home.appendingPathComponent("many books"), bytes: 100)
        try tree.write(0..<most)
        let device = try DeviceProcess([phone], .none)
        defer { withExtendedLifetime(device) {} }
        let host = try HostFolder(home.appendingPathComponent("host of many"))
        var table = BenchmarkTable(
            "Memory with \(most) books, the largest of the host and its worker (target: 200 MB)",
            ["work", "s", "MB"])
        let folder = home.appendingPathComponent("backup of many").path
        for (name, words) in [
            ("sync, all new", ["sync", tree.folder.path]), ("sync, unchanged", ["sync", tree.folder.path]),
            ("backup, all", ["backup", folder]), ("backup, unchanged", ["backup", folder]),
        ] {
            let run = try host.run(words + ["--quiet", "--app", Self.ours])
            table.add([name, BenchmarkTable.number(run.seconds, 2), BenchmarkTable.number(run.megabytes, 0)])
        }
        table.print()
    }

    // MARK: the phone

    private func sharing(_ app: String) -> BareDevice {
        BareDevice(udid: Self.udid, app: app, vend: "VendDocuments", isOld: false)
    }

    private func documents(_ phone: URL, _ app: String) -> URL {
        phone.appendingPathComponent("Containers/\(app)/Documents")
    }

    /// A current phone with two apps that share their folders.
    private func phone(_ name: String) throws -> URL {
        let folder = home.appendingPathComponent(name)
        for app in [Self.ours, Self.theirs] {
            try FileManager.default.createDirectory(
                at: documents(folder, app), withIntermediateDirectories: true)
        }
        try DeviceProcess.make(
            folder, udid: Self.udid, ios: "18.6",
            SimulatedApp(bundleID: Self.ours, name: "VLC"), SimulatedApp(bundleID: Self.theirs, name: "Files")
        )
        return folder
    }
}
