import Foundation
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@Suite("A command whose cable is pulled at any request ends with the next run as an undisturbed one does")
struct CutOffCommandTests {
    /// The app whose books are files in a folder, and one with its own library.
    enum Reader: String, CaseIterable { case paperback, marvin }

    /// A command that changes the device or copies from it.
    enum Command: String, CaseIterable {
        case upload, replace, delete, update, collections, get, sync

        /// Its words, for a bench that `prepare` has made.
        func words(_ bench: ReaderBench) -> [String] {
            let folder = bench.folder
            return switch self {
            case .upload: ["upload", folder.path("three.epub"), folder.path("four.epub")]
            case .replace: ["upload", "--on-conflict", "replace", "--yes", folder.path("one.epub")]
            case .delete: ["delete", "--yes", "One", "Two"]
            case .update: ["update", "One", "--title", "Eins"]
            case .collections: ["collections", "--add", "Shelf", "One", "Two"]
            case .get: ["get", "One", "Two", "-o", folder.path("fetched")]
            case .sync: ["sync", folder.path("source"), "--delete"]
            }
        }
    }

    /// Whether every request is cut off, which takes too long for every run.
    private static let isWhole = ProcessInfo.processInfo.environment["OVERLAYHOST_EVERY_REQUEST"] != nil

    /// Whether a path is part of the claim by which programs take turns.
    private static func isClaim(_ path: String) -> Bool { path.contains(".overlayhost-claim") }

    /// An app with the books One and Two from a source in which One then changed, Two went and Three came.
    private func prepare(_ reader: Reader) throws -> ReaderBench {
        let bench =
            switch reader {
            case .marvin: try ReaderBench(books: [])
            case .paperback:
                try ReaderBench.paperback()
            }
        if reader == .paperback {
            let documents = SimulatedReader(device: bench.device).documents
            for name in try FileManager.default.contentsOfDirectory(atPath: documents.path) {
                try FileManager.default.removeItem(at: documents.appendingPathComponent(name))
            }
        }
        let source = try SyncSource(bench.folder.url.appendingPathComponent("source"))
        for (name, title) in [("one", "One"), ("two", "Two")] { try source.put("\(name).epub", title: title) }
        let first = try bench.json("sync", source.path)
        #expect(first.texts("results", "status") == ["added", "added"], "\(first.errors)")
        try source.put("one.epub", title: "One", words: "second edition")
        try source.put("three.epub", title: "Three")
        try source.remove("two.epub")
        let folder = try SyncSource(bench.folder.url)
        for (name, title) in [("one", "One"), ("three", "Three"), ("four", "Four")] {
            try folder.put("\(name).epub", title: title, words: name == "one" ? "second edition" : "one")
        }
        try FileManager.default.createDirectory(
            atPath: bench.folder.path("fetched"), withIntermediateDirectories: false)
        return bench
    }

    /// What a person sees afterwards: the books, the files of the app, and those that were fetched.
    private func seen(_ bench: ReaderBench, _ reader: Reader) throws -> [String: Data] {
        var seen: [String: Data] = [:]
        let books = try bench.json("books")
        #expect(books.status == 0, "\(books.errors)")
        for book in books.rows("books") {
            let collections = (book["collections"] as? [String] ?? []).filter { $0 != "NEW" }
            let text =
                "\(book["title"] ?? ""), \(book["authors"] ?? []), \(collections), \(book["size"] ?? 0)"
            // The number of equal books.
            seen["book " + text, default: Data()].append(1)
        }
        var folders = [bench.folder.url.appendingPathComponent("fetched")]
        if reader == .paperback { folders.append(SimulatedReader(device: bench.device).documents) }
        for folder in folders {
            for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
                let url = folder.appendingPathComponent(path)
                let isFile = try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
                seen["\(folder.lastPathComponent)/\(path)"] = isFile ? try Data(contentsOf: url) : Data()
            }
        }
        return seen
    }

    /// Runs a command and pulls the cable at a request.
    ///
    /// - Returns: whether the command got so far.
    private func run(_ words: [String], on bench: ReaderBench, pullingAt place: Int) throws -> Bool {
        let count = Atomic(0)
        let (device, daemon) = (bench.device, bench.daemon)
        device.onFileRequest { _ in
            if count.add(1, ordering: .relaxed).newValue == place { daemon.detach(device) }
        }
        let result = try bench.json(words)
        device.onFileRequest(nil)
        guard count.load(ordering: .relaxed) >= place else {
            #expect(result.status == 0, "\(result.errors)")
            return false
        }
        daemon.attach(device)
        return true
    }

    @Test(
        "Books and files are the same, and nothing is left over", arguments: Reader.allCases, Command.allCases
    )
    func everyRequest(reader: Reader, command: Command) throws {
        let undisturbed = try prepare(reader)
        let before = try seen(undisturbed, reader)
        let first = try undisturbed.json(command.words(undisturbed))
        #expect(first.status == 0, "\(first.errors)")
        let wanted = try seen(undisturbed, reader)
        #expect(wanted != before)

        var place = 1
        while true {
            let bench = try prepare(reader)
            guard try run(command.words(bench), on: bench, pullingAt: place) else { break }
            let again = try bench.json(command.words(bench))
            // A book may have been deleted or renamed before the cable was pulled, and is then not found.
            let failures = again.rows("results").filter { $0["status"] as? String == "failed" }
            let isDone = !failures.isEmpty && failures.allSatisfy { $0["code"] as? String == "not_found" }
            #expect(
                again.status == 0 || isDone && [.delete, .update].contains(command),
                "request \(place): \(again.object) \(again.errors)")
            var found = try seen(bench, reader)
            // If the cable was pulled at the very end, the second run changes nothing, so that a claim is left for the
            // next command that does.
            if found.keys.contains(where: Self.isClaim) {
                #expect(try bench.json("upload", bench.folder.path("four.epub")).status == 0)
                #expect(try !seen(bench, reader).keys.contains(where: Self.isClaim), "request \(place)")
                found = found.filter { !Self.isClaim($0.key) }
            }
            let differing = Set(wanted.keys).union(found.keys).filter { wanted[$0] != found[$0] }
            #expect(differing.isEmpty, "request \(place): \(differing.sorted())")
            place += Self.isWhole ? 1 : place + 1
        }
        #expect(place > 3)
    }
}
