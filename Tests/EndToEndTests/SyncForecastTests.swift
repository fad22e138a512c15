import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("A dry run of sync finds what the sync would refuse")
struct SyncForecastTests {
    private func source(_ bench: ReaderBench) throws -> SyncSource {
        let source = try SyncSource(bench.folder.url.appendingPathComponent("source"))
        try source.put("pride.epub", title: "Pride")
        return source
    }

    /// The items of the plan that cannot be synced, with the reasons.
    private func failing(_ document: Document) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: document.rows("plan").compactMap { row in
                guard row["fails"] as? Bool == true, let item = row["item"] as? String else { return nil }
                return (item, row["reason"] as? String ?? "")
            })
    }

    @Test("An app that needs consent before it is changed, and an empty file")
    func consent() throws {
        let bench = try ReaderBench(marvin: false) {
            $0.iosVersion = "17.0"
            $0.apps = [SimulatedBooks.app()]
        }
        let source = try source(bench)
        try source.put("sand.epub", title: "Sanditon")
        try Data().write(to: URL(filePath: source.path + "/empty.pdf"))
        for command in [["sync", "--dry-run"], ["diff"]] {
            let dry = try bench.json(command + [source.path])
            let failing = failing(dry)
            #expect(Set(failing.keys) == ["empty.pdf", "pride.epub", "sand.epub"])
            #expect(failing["pride.epub"]?.contains("ibooks_write true") == true)
            #expect(failing["empty.pdf"] == "The file is empty.")
            #expect(dry.status == (command == ["diff"] ? 0 : 1))
        }
        let text = try bench.run("sync", "--dry-run", source.path)
        #expect(text.output.components(separatedBy: "ibooks_write").count == 2)
        #expect(text.output.contains("  The same with: sand.epub."))
        #expect(text.errors.contains("3 cannot be synced."))
    }

    @Test("Files that became web pages or were cut off fail, also in a dry run, and the copies stay")
    func damagedFiles() throws {
        let bench = try ReaderBench.paperback()
        let source = try source(bench)
        try source.put("cut.epub", title: "Cut")
        #expect(try bench.json("sync", source.path).status == 0)
        try source.put("new.epub", title: "New")
        let folder = URL(filePath: source.path)
        for name in ["cut.epub", "new.epub"] {
            let file = folder.appendingPathComponent(name)
            let whole = try Data(contentsOf: file)
            try whole.prefix(whole.count / 2).write(to: file)
        }
        let before = try bench.json("books").texts("books", "title").sorted()
        for text in ["<html><body>404 Not Found</body></html>", "plain text"] {
            try Data(text.utf8).write(to: folder.appendingPathComponent("pride.epub"))
            let dry = try bench.json("sync", "--dry-run", source.path)
            #expect(Set(failing(dry).keys) == ["cut.epub", "new.epub", "pride.epub"])
            #expect(dry.status == 1)
            for _ in 0..<2 {
                let run = try bench.json("sync", source.path)
                #expect(run.status == 1, "\(run.object)")
                #expect(run.texts("results", "status") == ["failed", "failed", "failed"])
                #expect(run.texts("results", "code") == ["damaged", "damaged", "unsupported_format"])
            }
        }
        #expect(try bench.json("books").texts("books", "title").sorted() == before)
        try source.put("pride.epub", title: "Pride", words: "second edition")
        let mended = try bench.json("sync", source.path)
        #expect(mended.texts("results", "status") == ["failed", "failed", "replaced"])
    }

    @Test("Highlights that removing or replacing a book would lose, unless they may be lost")
    func marks() throws {
        let bench = try ReaderBench()
        let source = try source(bench)
        for name in ["Emma", "Susan"] { try source.put("\(name).epub", title: name) }
        #expect(try bench.json("sync", source.path).status == 0)
        try execute(
            """
            INSERT INTO Highlights (BookID, Text, Deleted)
              SELECT ID, 'one', 0 FROM Books WHERE Title IN ('Pride', 'Susan')
            """, in: bench.container.database.path)
        try source.remove("Susan.epub")
        try source.put("pride.epub", title: "Pride", words: "second edition")
        for command in [["sync", "--dry-run"], ["diff"]] {
            let dry = try bench.json(command + ["--delete", source.path])
            #expect(dry.texts("plan", "action").prefix(3) == ["keep", "replace", "remove"])
            let failing = failing(dry)
            #expect(
                failing["Susan.epub"]
                    == "Removing the book would lose a highlight, note or bookmark. Use --yes to remove it anyway."
            )
            #expect(
                failing["pride.epub"]
                    == "Replacing the book would lose a highlight, note or bookmark. Use --yes to replace it anyway."
            )
        }
        #expect(failing(try bench.json("sync", "--dry-run", "--delete", "--yes", source.path)).isEmpty)
    }

    @Test("A reading position is not lost by a replacement, and the dry run says so")
    func readingPosition() throws {
        let bench = try ReaderBench()
        let source = try source(bench)
        #expect(try bench.json("sync", source.path).status == 0)
        try execute(
            "UPDATE Books SET Progress = 0.42 WHERE Title = 'Pride'", in: bench.container.database.path)
        try source.put("pride.epub", title: "Pride", words: "second edition")
        let reason = "Replacing the book would lose the reading position. Use --yes to replace it anyway."
        #expect(failing(try bench.json("sync", "--dry-run", source.path)) == ["pride.epub": reason])
        let held = try bench.json("sync", source.path)
        #expect(held.status == 1 && held.texts("results", "status") == ["failed"])
        #expect(failing(try bench.json("sync", "--dry-run", "--yes", source.path)).isEmpty)
    }

    @Test("A full device: the sync sends what fits, and removes what is gone")
    func space() throws {
        let bench = try ReaderBench.paperback()
        let source = try source(bench)
        try source.put("gone.epub", title: "Gone")
        #expect(try bench.json("sync", source.path).status == 0)
        try source.remove("gone.epub")
        try SimulatedPDF(title: "Large", author: "A. B.", size: 4_000_000).write(
            to: URL(filePath: source.path + "/large.pdf"))
        try source.put("small.epub", title: "Small")
        try bench.device.update { $0.freeBytes = 3_000_000 }
        let dry = try bench.json("sync", "--delete", "--dry-run", source.path)
        let reason = "The device does not have enough free space for the book."
        #expect(failing(dry) == ["large.pdf": reason])
        let run = try bench.json("sync", "--delete", source.path)
        #expect(run.status == 73)
        #expect(run.texts("results", "item") == ["large.pdf", "small.epub", "gone.epub"])
        #expect(
            run.texts("results", "status") == ["failed", "added", "deleted"], "\(run.rows("results"))")
        #expect(run.rows("results")[0]["message"] as? String == reason)
        try bench.device.update { $0.freeBytes = 1_000_000_000 }
        #expect(try bench.json("sync", source.path).texts("results", "status") == ["added"])
    }

    @Test("Books that are not sent, because another one is the same, are counted and listed")
    func duplicates() throws {
        let bench = try ReaderBench.paperback()
        let source = try source(bench)
        try source.put("pride again.epub", title: "Pride", words: "another edition")
        let dry = try bench.run("sync", "--dry-run", source.path)
        #expect(dry.output.contains("keep  pride.epub  (It is the same book as pride again.epub.)\n"))
        #expect(dry.errors.contains("1 duplicate."))
        #expect(try bench.run("sync", source.path).errors.contains("1 added, 1 duplicate."))
    }

    @Test("A damaged record of the last sync is named, and nothing of the device is removed")
    func damaged() throws {
        let bench = try ReaderBench.paperback()
        let source = try source(bench)
        try source.put("gone.epub", title: "Gone")
        #expect(try bench.json("sync", source.path).status == 0)
        try source.remove("gone.epub")
        let states = try #require(FileManager.default.enumerator(atPath: bench.folder.path("state")))
        let state = try #require(
            states.compactMap { $0 as? String }.first { $0.contains("sync/") && $0.hasSuffix(".json") })
        let file = bench.folder.path("state/\(state)")
        try Data("damaged".utf8).write(to: URL(filePath: file))
        let run = try bench.run("sync", "--delete", source.path)
        #expect(run.errors.contains("\(file) is damaged, so books"))
        #expect(run.errors.contains("1 unchanged.") && run.status == 0)
        #expect(try !bench.run("sync", "--delete", source.path).errors.contains("damaged"))
    }
}
