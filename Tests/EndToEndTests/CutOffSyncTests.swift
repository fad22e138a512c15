import Foundation
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@Suite(
    "A sync of bibliographies that is cut off at any request ends with the next run as an undisturbed one does"
)
struct CutOffSyncTests {
    /// How a run is interrupted.
    enum Cut: CaseIterable, CustomTestStringConvertible {
        case cablePulled
        case hostKilled
        case fileOperation

        var testDescription: String {
            switch self {
            case .cablePulled: "the cable is pulled at a request"
            case .hostKilled: "the host is killed at a request"
            case .fileOperation: "the host is killed at an operation on its files"
            }
        }
    }

    /// With this variable every request and operation is tried, which takes some minutes; otherwise about this many,
    /// evenly spread.
    private static let isWhole = ProcessInfo.processInfo.environment["OVERLAYHOST_EVERY_REQUEST"] != nil
    private static let most = 30

    private let bench: ReaderBench
    private let app: SimulatedBibDesk
    private let source: URL
    private let operations: FileOperationCut

    init() throws {
        bench = try ReaderBench.bibDesk()
        app = SimulatedBibDesk(device: bench.device)
        source = bench.folder.url.appendingPathComponent("source")
        operations = try FileOperationCut(in: bench.folder)
        for folder in [app.container.libraries, app.container.papers] {
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
            }
        }
    }

    // MARK: the library

    private static func entry(_ key: String, _ title: String, year: Int = 1843, paper: String) -> String {
        "@article{\(key),\n\ttitle = {\(title)},\n\tyear = {\(year)},\n\tbdsk-file-1 = {Papers/\(paper)}}\n\n"
    }

    private func put(_ item: String, _ bytes: Data) throws {
        let file = source.appendingPathComponent(item)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try bytes.write(to: file)
    }

    private func paper(_ letter: Unicode.Scalar, _ size: Int) -> Data {
        // Bytes differ from place to place, so that a piece at a wrong place is noticed.
        let count = size / 8
        let words = [UInt64](unsafeUninitializedCapacity: count) { words, used in
            for place in 0..<count {
                words[place] = (UInt64(letter.value) << 56 | UInt64(place)).bigEndian
            }
            used = count
        }
        return Data("%PDF-1.4 ".utf8) + words.withUnsafeBytes { Data($0) }
    }

    /// Creates two bibliographies and two papers on both sides, and then changes of each kind on each side.
    private func makeChanges() throws {
        try put("a.bib", Data((Self.entry("A", "One", paper: "one.pdf")).utf8))
        try put("b.bib", Data((Self.entry("B", "Two", paper: "two.pdf")).utf8))
        try put("Papers/one.pdf", paper("1", 2000))
        try put("Papers/two.pdf", paper("2", 3000))
        let first = try sync()
        try #require(first.status == 0, "\(first.output) \(first.errors)")
        try put(
            "a.bib",
            Data(
                (Self.entry("A", "One More", paper: "one.pdf") + Self.entry("C", "Three", paper: "three.pdf"))
                    .utf8))
        try put("Papers/one.pdf", paper("4", 1_500_000))
        try put("Papers/three.pdf", paper("3", 700_000))
        for (name, old, new) in [("a.bib", "{1843}", "{1842}"), ("b.bib", "{Two}", "{Two and a Half}")] {
            try app.edit(name) {
                Array(String(decoding: $0, as: UTF8.self).replacingOccurrences(of: old, with: new).utf8)
            }
        }
        let second = try #require(try app.launch().papers.first { $0.hasSuffix("two.pdf") })
        try paper("5", 400_000).write(to: app.container.papers.appendingPathComponent(second))
    }

    private func sync() throws -> ProgramResult {
        try bench.run("sync", source.path, "--app", "BibDesk", "--json")
    }

    // MARK: contents of both sides

    /// The folders that a run changes.
    private var folders: [URL] {
        [
            source, bench.folder.url.appendingPathComponent("state"),
            bench.device.containerFolder(of: SimulatedBibDesk.bundleID),
        ]
    }

    private func copy(to place: URL) throws {
        for (number, folder) in folders.enumerated() {
            try copy(folder, place.appendingPathComponent("\(number)"))
        }
    }

    private func restore(from place: URL) throws {
        for (number, folder) in folders.enumerated() {
            try copy(place.appendingPathComponent("\(number)"), folder)
        }
    }

    /// Copies the content of a folder to another one, with all times.
    private func copy(_ from: URL, _ to: URL) throws {
        try FileManager.default.createDirectory(at: to, withIntermediateDirectories: true)
        let result = try runProgram(
            "/bin/sh",
            ["-c", #"find "$2" -mindepth 1 -delete && cp -a "$1/." "$2""#, "sh", from.path, to.path])
        try #require(result.status == 0, "\(result.errors)")
    }

    /// The visible content: the folder without the host's hidden files, and the libraries and papers of the app.
    private func seen() throws -> [String: Data] {
        var seen: [String: Data] = [:]
        for (name, folder) in [
            ("source", source), ("libraries", app.container.libraries), ("papers", app.container.papers),
        ] {
            for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
                let file = folder.appendingPathComponent(path)
                var isFolder: ObjCBool = false
                _ = FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder)
                // A transfer to the folder that ended with its host leaves a hidden file, which is removed an hour
                // later.
                let isHidden =
                    path.hasSuffix(".overlayhost-backup") || file.lastPathComponent.hasPrefix(".overlayhost-")
                guard !isFolder.boolValue, !isHidden else { continue }
                seen["\(name)/\(path)"] = try Data(contentsOf: file)
            }
        }
        return seen
    }

    /// Unfinished files on the device.
    private func unfinished() throws -> [String] {
        let staging = bench.device.containerFolder(of: SimulatedBibDesk.bundleID).appendingPathComponent(
            "tmp/OverlayHost")
        guard FileManager.default.fileExists(atPath: staging.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: staging.path)
    }

    // MARK: the tests

    @Test(
        "A paper that was cancelled goes on where it stopped, and one that is not wanted any more is removed")
    func cancelledPaper() throws {
        try put("a.bib", Data(Self.entry("A", "One", paper: "one.pdf").utf8))
        try put("Papers/one.pdf", paper("1", 20_000_000))
        try bench.device.update { $0.bandwidth = 20_000_000 }
        func cancel() throws {
            let program = Mutex<RunningProgram?>(nil)
            let isStarted = DispatchSemaphore(value: 0)
            let writes = Mutex(0)
            bench.device.onFileRequest { request in
                guard request.operation == "FILE_WRITE", request.path?.hasSuffix(".begun") == true else {
                    return
                }
                let count = writes.withLock { writes in
                    writes += 1
                    return writes
                }
                guard count == 4 else { return }
                isStarted.wait()
                program.withLock { $0 }?.interrupt()
            }
            let started = try bench.start("sync", source.path, "--app", "BibDesk")
            program.withLock { $0 = started }
            isStarted.signal()
            #expect(started.wait() == 130)
            bench.device.onFileRequest(nil)
        }
        try cancel()
        #expect(try unfinished().count { $0.hasSuffix(".begun") } == 1)
        let written = Mutex<UInt64>(0)
        bench.device.onFileRequest { request in
            guard request.operation == "FILE_WRITE", request.path?.hasSuffix(".begun") == true else { return }
            written.withLock { $0 += UInt64(request.bytesReceived) }
        }
        let again = try sync()
        bench.device.onFileRequest(nil)
        #expect(again.status == 0, "\(again.output) \(again.errors)")
        let name = try #require(try app.launch().papers.first { $0.hasSuffix("one.pdf") })
        #expect(
            try Data(contentsOf: app.container.papers.appendingPathComponent(name)) == paper("1", 20_000_000))
        #expect(try unfinished().isEmpty)
        #expect(written.withLock { $0 } < 20_000_000 - 3 * (512 << 10))

        try put("Papers/one.pdf", paper("2", 20_000_000))
        try cancel()
        #expect(try unfinished().count == 1)
        try put("Papers/one.pdf", paper("3", 10))
        #expect(try sync().status == 0)
        #expect(try unfinished().isEmpty)
    }

    @Test(
        "A paper that was cancelled on its way to the folder goes on where it stopped, unless the device has another one"
    )
    func cancelledFetch() throws {
        try put("a.bib", Data(Self.entry("A", "One", paper: "one.pdf").utf8))
        try put("Papers/one.pdf", paper("1", 2000))
        #expect(try sync().status == 0)
        let size: UInt64 = 6_000_000
        let name = try #require(try app.launch().papers.first { $0.hasSuffix("one.pdf") })
        let file = app.container.papers.appendingPathComponent(name)
        /// Starts a sync and interrupts it when a piece of the paper is read.
        func cancel(atPiece piece: Int) throws {
            try bench.device.update { $0.bandwidth = 2_000_000 }
            let program = Mutex<RunningProgram?>(nil)
            let isStarted = DispatchSemaphore(value: 0)
            let reads = Mutex(0)
            bench.device.onFileRequest { request in
                guard request.operation == "FILE_READ", request.path?.hasSuffix("one.pdf") == true else {
                    return
                }
                let count = reads.withLock { reads in
                    reads += 1
                    return reads
                }
                guard count == piece else { return }
                isStarted.wait()
                program.withLock { $0 }?.interrupt()
            }
            let started = try bench.start("sync", source.path, "--app", "BibDesk")
            program.withLock { $0 = started }
            isStarted.signal()
            #expect(started.wait() == 130)
            bench.device.onFileRequest(nil)
            try bench.device.update { $0.bandwidth = nil }
        }
        func begun() throws -> [URL] {
            try FileManager.default.contentsOfDirectory(at: source, includingPropertiesForKeys: nil).filter {
                $0.lastPathComponent.hasSuffix(".begun")
            }
        }
        /// Syncs, and returns the number of bytes of the paper that were read.
        func read() throws -> UInt64 {
            let read = Mutex<UInt64>(0)
            bench.device.onFileRequest { request in
                guard request.operation == "FILE_READ", request.path?.hasSuffix("one.pdf") == true else {
                    return
                }
                read.withLock { $0 += UInt64(request.bytesSent) }
            }
            let again = try sync()
            bench.device.onFileRequest(nil)
            #expect(again.status == 0, "\(again.output) \(again.errors)")
            #expect(try begun().isEmpty)
            return read.withLock { $0 }
        }
        let host = source.appendingPathComponent("Papers/one.pdf")

        try paper("2", Int(size)).write(to: file)
        try cancel(atPiece: 4)
        #expect(try Data(contentsOf: host) == paper("1", 2000))
        let part = try #require(try begun().first)
        let there = UInt64(try Data(contentsOf: part).count)
        #expect(there >= 64 << 10)
        let beside = try FileManager.default.contentsOfDirectory(
            atPath: host.deletingLastPathComponent().path)
        #expect(!beside.contains { $0.hasSuffix(".part") })
        let rest = try read()
        #expect(rest >= size - there && rest < size)
        #expect(try Data(contentsOf: host) == paper("2", Int(size)))

        // A file with the agreed size would be read for a comparison.
        try paper("3", Int(size) + 80).write(to: file)
        try cancel(atPiece: 4)
        #expect(try begun().count == 1)
        try paper("4", Int(size) + 80).write(to: file)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)], ofItemAtPath: file.path)
        #expect(try read() >= size)
        #expect(try Data(contentsOf: host) == paper("4", Int(size) + 80))
    }

    /// Runs a sync and interrupts it after the device has carried out a request, or before a file operation. Returns
    /// false if it made fewer of them.
    private func run(_ cut: Cut, at number: Int) throws -> Bool {
        if cut == .fileOperation {
            let program = try bench.start(
                "sync", source.path, "--app", "BibDesk", environment: operations.environment(last: number))
            let status = program.wait()
            let wasCut = try operations.count() >= number
            #expect(!wasCut || status == 128 + SIGKILL, "\(number): \(status)")
            return wasCut
        }
        let state = Mutex((requests: 0, process: Int32(0)))
        let (daemon, device) = (bench.daemon, bench.device)
        let isStarted = DispatchSemaphore(value: 0)
        let isCut = Mutex(false)
        device.onFileRequest { _ in
            let count = state.withLock { state in
                state.requests += 1
                return state.requests
            }
            guard count == number else { return }
            isCut.withLock { $0 = true }
            switch cut {
            case .cablePulled: daemon.detach(device)
            case .hostKilled, .fileOperation:
                isStarted.wait()
                kill(state.withLock { $0.process }, SIGKILL)
            }
        }
        defer {
            device.onFileRequest(nil)
            if cut == .cablePulled { daemon.attach(device) }
        }
        let program = try bench.start("sync", source.path, "--app", "BibDesk")
        state.withLock { $0.process = program.identifier }
        isStarted.signal()
        let status = program.wait()
        let wasCut = isCut.withLock { $0 }
        #expect(!wasCut || cut == .cablePulled || status == 128 + SIGKILL, "\(number): \(status)")
        return wasCut
    }

    @Test(
        "Libraries and papers are the same, byte for byte, and nothing is left unfinished",
        arguments: Cut.allCases)
    func everyRequest(_ cut: Cut) throws {
        try makeChanges()
        let snapshot = bench.folder.url.appendingPathComponent("snapshot")
        try copy(to: snapshot)
        let requests = Mutex(0)
        bench.device.onFileRequest { _ in requests.withLock { $0 += 1 } }
        let undisturbed = try bench.run(
            words: ["sync", source.path, "--app", "BibDesk", "--json"],
            environment: operations.environment(last: 0))
        bench.device.onFileRequest(nil)
        #expect(undisturbed.status == 0, "\(undisturbed.output) \(undisturbed.errors)")
        let wanted = try seen()
        #expect(wanted.count == 10, "\(wanted.keys.sorted())")
        #expect(
            wanted.first { $0.key.hasPrefix("papers/") && $0.key.hasSuffix("one.pdf") }?.value.count
                == 1_500_009)
        let all = cut == .fileOperation ? try operations.count() : requests.withLock { $0 }
        #expect(all > 20)

        let step = Self.isWhole ? 1 : max(1, all / Self.most)
        var cuts = 0
        for number in stride(from: 1, through: all, by: step) {
            try restore(from: snapshot)
            if try run(cut, at: number) { cuts += 1 }
            let again = try sync()
            #expect(again.status == 0, "cut off at \(number) of \(all): \(again.output) \(again.errors)")
            let found = try seen()
            let differing = Set(wanted.keys).union(found.keys).filter { wanted[$0] != found[$0] }
            #expect(differing.isEmpty, "cut off at \(number) of \(all): \(differing.sorted())")
            #expect(try unfinished().isEmpty, "cut off at \(number) of \(all)")
            let last = try bench.json("sync", source.path, "--app", "BibDesk")
            #expect(last.rows("results").isEmpty, "cut off at \(number) of \(all)")
        }
        // The order and number of requests vary over several connections.
        #expect(cuts >= Self.most / 2)
    }
}
