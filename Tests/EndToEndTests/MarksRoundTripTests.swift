import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("Marks of a person in a book are not lost silently, from the command line to the wire")
struct MarksRoundTripTests {
    private let added = "what GoodReader has added to the file since it was sent"

    /// A GoodReader with a document into which it has written a highlight since the document was sent, and the
    /// original file.
    private func highlighted() throws -> (bench: ReaderBench, file: String) {
        let bench = try ReaderBench(marvin: false) {
            $0.iosVersion = "17.0"
            $0.apps = [SimulatedGoodReader.app(bundleID: SimulatedGoodReader.padID)]
        }
        let url = bench.folder.url.appendingPathComponent("paper.pdf")
        try SimulatedPDF(title: "Paper", author: "A. B.", size: 60_000).write(to: url)
        #expect(try bench.json("upload", url.path).texts("results", "path") == ["Paper.pdf"])
        let bytes = [UInt8](try Data(contentsOf: url))
        try SimulatedGoodReader(device: bench.device).add(
            bytes + Array("\n% a highlight\n".utf8), at: "Paper.pdf")
        return (bench, url.path)
    }

    private func content(_ bench: ReaderBench) throws -> Data {
        let target = bench.folder.url.appendingPathComponent("fetched-\(UUID().uuidString)")
        _ = try bench.json("get", "Paper.pdf", "-o", target.path)
        return try Data(contentsOf: target.appendingPathComponent("Paper.pdf"))
    }

    @Test("A document with highlights that is sent again is left alone, and has no second copy")
    func sentAgain() throws {
        let (bench, file) = try highlighted()
        for policy in ["protect", "update"] {
            let again = try bench.json("upload", file, "--on-conflict", policy)
            #expect(again.status == 0 && again.texts("results", "status") == ["skipped"])
            #expect(
                again.texts("results", "message") == [
                    "The book is already in GoodReader, and GoodReader has changed the file since it was sent."
                ])
        }
        #expect(try bench.json("books").texts("books", "path") == ["Paper.pdf"])
        #expect(try content(bench) != Data(contentsOf: URL(fileURLWithPath: file)))
    }

    @Test("Without a terminal and without --yes it is not replaced, and with --yes it is")
    func scripted() throws {
        let (bench, file) = try highlighted()
        let refused = try bench.json("upload", file, "--on-conflict", "replace")
        #expect(refused.status == 1)
        #expect(refused.texts("results", "status") == ["failed"])
        #expect(refused.texts("results", "code") == ["needs_consent"])
        #expect(refused.texts("results", "message") == ["Replacing the book would lose \(added)."])
        #expect(refused.texts("results", "hint") == ["Use --yes to replace it anyway."])
        #expect(refused.texts("results", "hint_code") == ["consent"])
        #expect(try content(bench) != Data(contentsOf: URL(fileURLWithPath: file)))

        let replaced = try bench.json("upload", file, "--on-conflict", "replace", "--yes")
        #expect(replaced.status == 0 && replaced.texts("results", "status") == ["replaced"])
        #expect(replaced.texts("results", "message") == ["The old copy was removed, along with \(added)."])
        #expect(try content(bench) == Data(contentsOf: URL(fileURLWithPath: file)))
    }

    @Test(
        "On a terminal the command names what would be lost and asks",
        .enabled(if: programIsInstalled("script")), arguments: [true, false])
    func asked(agrees: Bool) throws {
        let (bench, file) = try highlighted()
        let program = try bench.startAtTerminal("upload '\(file)' --on-conflict replace")
        #expect(program.prints("Replace this book in GoodReader? [y/N]"), "\(program.output)")
        #expect(program.output.contains("Replacing the book would lose \(added)."))
        program.type(agrees ? "y\n" : "n\n")
        #expect(program.wait() == (agrees ? 0 : 1), "\(program.output)")
        #expect(program.output.contains("Nothing was changed.") == !agrees, "\(program.output)")
        #expect(!program.output.contains("--yes"), "\(program.output)")
        #expect(try (content(bench) == Data(contentsOf: URL(fileURLWithPath: file))) == agrees)
    }

    @Test("Marvin's replacement counts highlights, notes, bookmarks and the place before it takes them away")
    func marvin() throws {
        let bench = try ReaderBench()
        let book = try BookEdition.write("first", to: bench.folder.url)
        let path = try #require(try bench.json("upload", book).texts("results", "path").first)
        try execute(
            """
            INSERT INTO Highlights (BookID, Text, Deleted) SELECT ID, 'one', 0 FROM Books;
            INSERT INTO Highlights (BookID, Text, Note, Deleted) SELECT ID, 'two', 'so true', 0 FROM Books;
            UPDATE Books SET Progress = 0.42;
            """, in: bench.container.database.path)
        #expect(
            try bench.json("upload", book, "--on-conflict", "replace").texts("results", "status") == [
                "skipped"
            ])
        let edition = try BookEdition.write("second", to: bench.folder.url)
        let lost = "1 highlight, 1 note and the reading position (42 %)"
        let refused = try bench.json("upload", edition, "--on-conflict", "replace")
        #expect(refused.texts("results", "message") == ["Replacing the book would lose \(lost)."])
        #expect(refused.texts("results", "path") == [path])
        let replaced = try bench.json("upload", edition, "--on-conflict", "replace", "-y")
        #expect(replaced.texts("results", "message") == ["The old copy was removed, along with \(lost)."])
        #expect(replaced.texts("results", "path") == [path])
    }

    @Test("The removal of all books of an emptied source is confirmed apart from the loss of marks")
    func emptied() throws {
        let bench = try ReaderBench()
        let source = try SyncSource(bench.folder.url.appendingPathComponent("source"))
        for name in ["Emma", "Pride"] { try source.put("\(name).epub", title: name) }
        #expect(try bench.json("sync", source.path).status == 0)
        try execute(
            "INSERT INTO Highlights (BookID, Text, Deleted) SELECT ID, 'one', 0 FROM Books ORDER BY ID LIMIT 1",
            in: bench.container.database.path)
        for name in ["Emma", "Pride"] { try source.remove("\(name).epub") }
        let refused = try bench.json("sync", source.path, "--delete")
        #expect(refused.status == 66)
        #expect(refused.error("hint")?.contains("To remove the books, use --max-delete 2,") == true)
        #expect(try bench.json("sync", source.path).error("hint")?.hasSuffix("To go on, use --yes.") == true)
        let confirmed = try bench.json("sync", source.path, "--delete", "--max-delete", "2")
        #expect(confirmed.texts("results", "status").sorted() == ["deleted", "failed"])
        let failed = confirmed.rows("results").first { $0["status"] as? String == "failed" }
        #expect(
            failed?["message"] as? String == "Removing the book would lose a highlight, note or bookmark.")
    }

    @Test("A sync does not remove a document into which the app has written, unless the user agrees")
    func removedBySync() throws {
        let bench = try ReaderBench(marvin: false) {
            $0.iosVersion = "17.0"
            $0.apps = [SimulatedGoodReader.app(bundleID: SimulatedGoodReader.padID)]
        }
        let source = bench.folder.url.appendingPathComponent("source")
        try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
        for name in ["Paper", "Other"] {
            try SimulatedPDF(title: name, author: "A. B.", size: 60_000).write(
                to: source.appendingPathComponent("\(name).pdf"))
        }
        #expect(try bench.json("sync", source.path).status == 0)
        let file = source.appendingPathComponent("Paper.pdf")
        try SimulatedGoodReader(device: bench.device).add(
            [UInt8](try Data(contentsOf: file)) + Array("\n% a highlight\n".utf8), at: "Paper.pdf")
        try SimulatedPDF(title: "Paper", author: "A. B.", size: 70_000).write(to: file)
        let kept = try bench.json("sync", "--prefer", "device", source.path)
        #expect(kept.texts("plan", "action") == ["keep", "keep"])
        try FileManager.default.removeItem(at: file)
        let loss = "Removing the book would lose \(added)."
        let dry = try bench.json("sync", "--delete", "--dry-run", source.path)
        #expect(
            dry.rows("plan").last?["reason"] as? String == loss + " Use --yes to remove it anyway.")
        for words in [[], ["--prefer", "source"]] {
            let refused = try bench.json(["sync", "--delete", source.path] + words)
            #expect(refused.texts("results", "message") == [loss] && refused.status == 1)
        }
        #expect(
            try bench.json("sync", "--delete", "--yes", source.path).texts("results", "status") == ["deleted"]
        )
    }

    // MARK: - Errors of the device

    @Test(
        "An error while a document is compared makes no second copy: it is read again, then the upload fails",
        arguments: [4, 10, 20] as [UInt64], [1, nil])
    func unreadable(code: UInt64, times: Int?) throws {
        let bench = try ReaderBench(marvin: false) {
            $0.iosVersion = "17.0"
            $0.apps = [SimulatedGoodReader.app(bundleID: SimulatedGoodReader.padID)]
        }
        try SimulatedGoodReader(device: bench.device).add(
            SimulatedPDF(title: "Paper", author: "A. B.", size: 60_000), at: "Paper.pdf")
        let other = bench.folder.url.appendingPathComponent("other.pdf")
        try SimulatedPDF(title: "Paper", author: "A. B.", size: 70_000).write(to: other)
        try bench.device.update {
            $0.faults = FaultPlan([
                Fault(
                    .status(code), path: .exactly("/Documents/Paper.pdf"), operation: "FILE_READ",
                    times: times)
            ])
        }
        let upload = try bench.json("upload", other.path)
        #expect(upload.texts("results", "status") == [times == nil ? "failed" : "skipped"])
        try bench.device.update { $0.faults = FaultPlan() }
        #expect(try bench.json("books").texts("books", "path") == ["Paper.pdf"])
    }
}
