import Foundation
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@Suite("A lost answer of the device misleads no overlay")
struct LostAnswerTests {
    private static let readers = ["Marvin", "GoodReader", "Kindle", "Paperback", "Books"]

    private func bench() throws -> ReaderBench {
        let bench = try ReaderBench(books: [RealBooks.history("en")]) {
            $0.apps += [
                SimulatedGoodReader.app(), SimulatedReader.kindle(), SimulatedReader.paperback(),
                SimulatedBooks.app(),
            ]
        }
        #expect(try bench.run("prefs", "set", "ibooks_write", "true").status == 0)
        return bench
    }

    /// An edition of a book that the app takes. It differs from every edition of another size.
    private func book(for reader: String, _ bench: ReaderBench, size: Int = 40_000) throws -> String {
        guard !["Marvin", "Books"].contains(reader) else {
            return try BookEdition.write("\(size)", to: bench.folder.url)
        }
        let pdf = bench.folder.url.appendingPathComponent("\(size).pdf")
        try SimulatedPDF(title: "A Paper", author: "Ann A", size: size).write(to: pdf)
        return pdf.path
    }

    /// Runs the program with faults of the device.
    private func json(_ bench: ReaderBench, _ faults: [Fault], _ words: [String]) throws -> Document {
        try bench.device.update { $0.faults = FaultPlan(faults) }
        let result = try bench.json(words)
        try bench.device.update { $0.faults = FaultPlan() }
        return result
    }

    /// Files that must not stay on the device: claims, commands, and incomplete files.
    private func remains(_ bench: ReaderBench) throws -> [String] {
        let device = bench.device
        let folders =
            [device.mediaFolder] + device.settings.apps.map { device.containerFolder(of: $0.bundleID) }
        return try folders.flatMap { try FileManager.default.subpathsOfDirectory(atPath: $0.path) }
            .filter { path in
                [".part", "/owner", ".overlayhost.new"].contains(where: path.hasSuffix)
                    || (path.contains("Library/calibre/") && !path.hasSuffix("/connected.xml"))
            }
    }

    @Test("A change whose answer was lost counts as done", arguments: readers)
    func done(reader: String) throws {
        let bench = try bench()
        // Most apps are not sent a file again that they have.
        let (file, edition) = (try book(for: reader, bench), try book(for: reader, bench, size: 50_000))
        // Each rename, and the first request of every other kind that changes something.
        let losses =
            [Fault(.disconnectUnanswered, operation: "RENAME_PATH")]
            + ["REMOVE_PATH", "REMOVE_PATH_AND_CONTENTS", "MAKE_DIR", "FILE_WRITE"].map {
                Fault(.disconnectUnanswered, operation: $0, times: 1)
            }
        func losing(_ words: String...) throws -> Document {
            let result = try json(bench, losses, words + ["--app", reader])
            #expect(result.status == 0, "\(words): \(result.errors)")
            #expect(try remains(bench).isEmpty, "\(words)")
            return result
        }
        let before = try bench.json("books", "--app", reader).texts("books", "path")
        let added = try losing("upload", file)
        #expect(added.texts("results", "status") == ["added"])
        let replaced = try losing("upload", edition, "--on-conflict", "replace")
        #expect(replaced.texts("results", "status") == ["replaced"])
        var path = try #require(replaced.texts("results", "path").first)
        if !["Kindle", "Books"].contains(reader) {
            let updated = try losing("update", path, "--title", "Another Title")
            #expect(updated.texts("results", "status") == ["updated"])
            path = try #require(updated.texts("results", "path").first)
        }
        if ["Marvin", "Paperback"].contains(reader) {
            let moved = try losing("collections", "--add", "Shelf", path)
            #expect(moved.texts("results", "status") == ["updated"])
            path = try #require(moved.texts("results", "path").first)
        }
        #expect(try losing("delete", path, "--yes").texts("results", "status") == ["deleted"])
        #expect(try bench.json("books", "--app", reader).texts("books", "path") == before)
    }

    @Test(
        "A failed write is reported, leaves nothing behind, and can be repeated",
        arguments: readers)
    func unwritten(reader: String) throws {
        let bench = try bench()
        let upload = try ["upload", book(for: reader, bench), "--app", reader]
        let before = try bench.json("books", "--app", reader).texts("books", "path")
        // The first write is that of the claim. Then the book is written, and the files that show it to the app.
        for first in 1..<20 {
            let fault = Fault(.disconnectUnanswered, operation: "FILE_WRITE", skipping: first)
            let result = try json(bench, [fault], upload)
            guard result.status != 0 else { return #expect(first > 1) }
            #expect(result.texts("results", "status") == ["failed"])
            #expect(try remains(bench).isEmpty)
            #expect(try bench.json("books", "--app", reader).texts("books", "path") == before)
        }
        Issue.record("An upload writes no end of files.")
    }

    @Test("Leftovers of a pulled cable in a list of Books are gone after the next change")
    func pulledCable() throws {
        let bench = try bench()
        let files = try [RealBooks.history("it"), RealBooks.history("fr")].map(\.path)
        let added = try bench.json(["upload"] + files + ["--app", "Books"]).texts("results", "path")
        try #require(added.count == 2)
        // The second write of a deletion is the copy of the list.
        let writes = Mutex(0)
        let (daemon, device) = (bench.daemon, bench.device)
        device.onFileRequest { request in
            guard request.operation == "FILE_WRITE" else { return }
            let count = writes.withLock { writes in
                writes += 1
                return writes
            }
            if count == 2 { daemon.detach(device) }
        }
        let cut = try bench.json("delete", added[0], "--yes", "--app", "Books")
        #expect(cut.texts("results", "code") == ["device_gone"], "\(cut.status) \(cut.errors)")
        #expect(try remains(bench).contains { $0.hasSuffix(".part") })
        device.onFileRequest(nil)
        daemon.attach(device)
        let again = try bench.json("delete", added[0], "--yes", "--app", "Books")
        #expect(again.texts("results", "status") == ["deleted"], "\(again.errors)")
        #expect(try remains(bench).isEmpty)
    }
}
