import MarvinCommands
import Foundation
import OverlayHost
import SimulatedDevice

/// A large library of Marvin: the first listing, later listings, adding and deleting books, compared with the pattern
/// of the original driver.
struct MarvinBenchmark {
    let books: Int
    let files: Int
    let delays: [Delay]

    func run() throws {
        // Other delays show nothing more, and take minutes.
        let slow = delays.filter { $0.word.hasSuffix("1") }
        try list(slow.isEmpty ? delays : slow)
        try change(slow.isEmpty ? delays : slow)
    }

    // MARK: - Listing

    private func list(_ delays: [Delay]) throws {
        let bench = try BenchmarkDevice(books: books)
        var table = BenchmarkTable(
            "Listing \(books) Marvin books with covers, cold and warm, TLS",
            ["delay", "way", "requests", "MB", "seconds", "processor s", "times faster"])
        // A virtual machine is slow to provide memory that is used for the first time. Do not measure that.
        _ = try measure(bench, .none)
        for delay in delays {
            // The library was last changed a day ago, regardless of what the rows of another delay changed.
            try BenchmarkDevice.age(bench.container)
            try bench.prepare(for: delay)
            let client = try SequentialClient(udid: bench.udid, app: BenchmarkDevice.app)
            try bench.apply(delay)
            let original = try Cost.of(bench.device) {
                try ListingBenchmark.listAsTheOriginal(client, bench)
            }
            var rows = [("original pattern", original)]
            let cold = try (0..<3).map { _ in
                try forget(bench)
                return try measure(bench, delay)
            }
            rows.append(("cold, median of 3", cold.sorted { $0.seconds < $1.seconds }[1]))
            rows.append(("warm", try measure(bench, delay)))
            rows.append(("warm, without covers", try measure(bench, delay, withCovers: false)))
            try flagOne(bench)
            rows.append(("one flag changed", try measure(bench, delay)))
            for (way, cost) in rows {
                table.add([
                    delay.name, way, "\(cost.requests)", BenchmarkTable.number(Double(cost.bytes) / 1e6, 1),
                    BenchmarkTable.number(cost.seconds, 3), BenchmarkTable.number(cost.processor, 3),
                    BenchmarkTable.number(original.seconds / cost.seconds, 1),
                ])
            }
        }
        try bench.stop()
        table.print()
    }

    /// Removes the caches of earlier listings.
    private func forget(_ bench: BenchmarkDevice) throws {
        let manager = FileManager.default
        if manager.fileExists(atPath: bench.place("caches")) {
            try manager.removeItem(atPath: bench.place("caches"))
        }
    }

    /// Each listing has its own session, like each run of the program.
    private func measure(
        _ bench: BenchmarkDevice, _ delay: Delay, withCovers: Bool = true
    ) throws -> Cost {
        try bench.prepare(for: delay)
        let session = try HostSession(try ListingBenchmark.request(bench, keepsBooklist: true))
        defer { session.close() }
        try bench.apply(delay)
        var found = 0
        let cost = try Cost.of(bench.device) { found = try session.books(withCovers: withCovers).count }
        guard found == books else { throw BenchmarkFailure("\(found) of \(books) books were listed") }
        try bench.apply(.none)
        return cost
    }

    /// Marks a book as read in the library, like a user of the app.
    private func flagOne(_ bench: BenchmarkDevice) throws {
        let name = try FileManager.default.contentsOfDirectory(atPath: bench.container.documents.path)
            .filter { $0.hasSuffix(".epub") }.sorted().first
        let session = try HostSession(try ListingBenchmark.request(bench, keepsBooklist: true))
        defer { session.close() }
        guard let name else { throw BenchmarkFailure("the library is empty") }
        let command = RebuildCollections(
            timestamp: CommandTimestamp(seconds: Int64(Date().timeIntervalSince1970)),
            books: [
                .init(fileName: name, title: "", author: "", uuid: "", collections: ["NEW", "Shelf 1"])
            ])
        let client = try SequentialClient(udid: bench.udid, app: BenchmarkDevice.app)
        _ = try send(.rebuildCollections(command), client)
    }

    // MARK: - Adding and deleting

    private func change(_ delays: [Delay]) throws {
        let bench = try BenchmarkDevice(books: books)
        var table = BenchmarkTable(
            "Adding and deleting \(files) books of 60 kB in a library of \(books), TLS",
            ["delay", "what", "way", "requests", "MB", "seconds", "of it waits", "times faster"])
        let made = try makeFiles(bench)
        for delay in delays {
            try BenchmarkDevice.age(bench.container)
            try bench.prepare(for: delay)
            let client = try SequentialClient(udid: bench.udid, app: BenchmarkDevice.app)
            let session = try HostSession(try ListingBenchmark.request(bench, keepsBooklist: true))
            defer { session.close() }
            // The user has listed the library before, in both programs.
            _ = try session.books(withCovers: true)
            try bench.apply(delay)
            var waits: Duration = .zero
            let names = (0..<files).map { "99999999-9999-4999-8999-\(String(format: "%012d", $0)).epub" }
            let theirAdd = try Cost.of(bench.device) {
                for (name, bytes) in zip(names, made.contents) {
                    try client.write(bytes, to: "/Library/calibre/\(name)", chunk: 32_768)
                }
                let entries = names.map { UploadBooks.Book(fileName: $0, collections: ["NEW"]) }
                waits = try send(
                    .uploadBooks(UploadBooks(timestamp: CommandTimestamp(seconds: 1), books: entries)), client
                )
                try copyLibrary(client)
            }
            add(&table, delay, "add", "original pattern", theirAdd, waits, nil)
            let theirDelete = try Cost.of(bench.device) {
                let entries = names.map { DeleteBooks.Book(author: "", title: "", uuid: "", fileName: $0) }
                waits = try send(
                    .deleteBooks(DeleteBooks(timestamp: CommandTimestamp(seconds: 2), books: entries)), client
                )
                try copyLibrary(client)
            }
            let theirs = (add: total(theirAdd, waits), delete: total(theirDelete, waits))
            var paths: [String] = []
            let ourAdd = Cost.of(bench.device) {
                paths = session.upload(made.paths).rows.filter { $0.status == .added }.compactMap(\.path)
            }
            guard paths.count == files else {
                throw BenchmarkFailure("\(paths.count) of \(files) were added")
            }
            add(&table, delay, "add", "ours", ourAdd, nil, theirs.add)
            // The original driver updates its own list; our session lists the books again.
            let again = try Cost.of(bench.device) { _ = try session.books() }
            add(&table, delay, "list again", "ours", again, nil, nil)
            add(&table, delay, "delete", "original pattern", theirDelete, waits, nil)
            var gone = 0
            let ourDelete = Cost.of(bench.device) {
                gone = session.delete(paths).rows.filter { $0.status == .deleted }.count
            }
            guard gone == files else { throw BenchmarkFailure("\(gone) of \(files) were deleted") }
            add(&table, delay, "delete", "ours", ourDelete, nil, theirs.delete)
            try bench.apply(.none)
        }
        try bench.stop()
        table.print()
    }

    private func total(_ cost: Cost, _ waits: Duration) -> Double { cost.seconds + waits / .seconds(1) }

    private func add(
        _ table: inout BenchmarkTable, _ delay: Delay, _ what: String, _ way: String, _ cost: Cost,
        _ waits: Duration?, _ original: Double?
    ) {
        let seconds = total(cost, waits ?? .zero)
        table.add([
            delay.name, what, way, "\(cost.requests)", BenchmarkTable.number(Double(cost.bytes) / 1e6, 1),
            BenchmarkTable.number(seconds, 3),
            waits.map { BenchmarkTable.number($0 / .seconds(1), 1) } ?? "",
            BenchmarkTable.number((original ?? seconds) / seconds, 1),
        ])
    }

    /// Sends a command like the original driver, and waits for its end. Its pauses of a second are counted instead of
    /// slept; the result is their total.
    private func send(_ command: Command, _ client: SequentialClient) throws -> Duration {
        let folder = "/Library/calibre/"
        client.stat(folder + StagingFile.status)
        try client.write(
            command.encoded(), to: folder + command.name.temporaryFileName, chunk: 32_768)
        try client.rename(folder + command.name.temporaryFileName, to: folder + command.name.fileName)
        let began = ContinuousClock.now
        while true {
            if client.stat(folder + StagingFile.status) {
                let bytes = try client.read(folder + StagingFile.status)
                if case .success(let status) = Result(catching: { try CommandStatus(decoding: bytes) }),
                    status.isFinal
                {
                    break
                }
            }
            Thread.sleep(forTimeInterval: 0.02)
        }
        let took = began.duration(to: .now)
        try client.remove(folder + StagingFile.status)
        // The driver checks once a second, so it sees the end at the next full second.
        let seen = Duration.seconds(max(1, (took / .seconds(1)).rounded(.up)))
        return seen - took
    }

    private func copyLibrary(_ client: SequentialClient) throws {
        client.stat("/Library/mainDb.sqlite")
        _ = try client.read("/Library/mainDb.sqlite", chunk: 65_536)
    }

    /// EPUBs of 60 kB that differ in the comment of their archives.
    private func makeFiles(_ bench: BenchmarkDevice) throws -> (paths: [String], contents: [[UInt8]]) {
        let documents = bench.container.documents
        let name = try FileManager.default.contentsOfDirectory(atPath: documents.path)
            .first { $0.hasSuffix(".epub") }
        guard let name else { throw BenchmarkFailure("the library is empty") }
        let book = try Array(Data(contentsOf: documents.appendingPathComponent(name)))
        let comment = 60_000 - book.count
        guard book.suffix(2).elementsEqual([0, 0]), (1...65_535).contains(comment) else {
            throw BenchmarkFailure("the book cannot be varied")
        }
        var made: (paths: [String], contents: [[UInt8]]) = ([], [])
        for number in 0..<files {
            var text = Array("\(number) ".utf8)
            text += [UInt8](repeating: 0x20, count: comment - text.count)
            let length = [UInt8(comment & 0xFF), UInt8(comment >> 8)]
            let bytes = Array(book[..<(book.count - 2)]) + length + text
            let path = bench.place("added-\(number).epub")
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            made.paths.append(path)
            made.contents.append(bytes)
        }
        return made
    }
}
