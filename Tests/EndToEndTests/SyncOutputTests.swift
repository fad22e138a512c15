import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("Sync and diff say in words what a user has to decide")
struct SyncOutputTests {
    private func source(_ bench: ReaderBench) throws -> SyncSource {
        let source = try SyncSource(bench.folder.url.appendingPathComponent("source"))
        try source.put("pride.epub", title: "Pride")
        try source.put("sand.epub", title: "Sanditon")
        #expect(try bench.json("sync", source.path).status == 0)
        return source
    }

    @Test("Books that are gone from the source are counted, listed in the plan, and named with --delete")
    func gone() throws {
        let bench = try ReaderBench.paperback()
        let source = try source(bench)
        try source.remove("sand.epub")
        let advice = "To remove books that are gone from the source, use --delete."
        let dry = try bench.run("sync", "--dry-run", source.path)
        #expect(dry.output.contains("keep  sand.epub"))
        #expect(dry.errors.contains("1 unchanged") && dry.errors.contains("1 gone from the source"))
        #expect(dry.errors.contains(advice))
        let run = try bench.run("sync", source.path)
        #expect(run.errors.contains("1 gone from the source") && run.errors.contains(advice))
        #expect(!(try bench.run("sync", "--delete", "--dry-run", source.path)).errors.contains("To remove"))
        try source.remove("pride.epub")
        let empty = try bench.run("diff", source.path)
        #expect(
            empty.errors.contains("The source has no books for this app.")
                && !empty.errors.contains("--delete"))
    }

    @Test("A conflict says how to resolve it, and what changed on the device")
    func conflict() throws {
        let bench = try ReaderBench.paperback()
        let source = try source(bench)
        let edited = SyncSource.book(title: "Pride", author: "Ann Author", words: "edited in the app")
        let fetched = bench.folder.url.appendingPathComponent("pride.epub")
        try edited.write(to: fetched)
        #expect(try bench.json("upload", fetched.path, "--on-conflict", "replace").status == 0)
        try source.put("pride.epub", title: "Pride", words: "third edition")
        let run = try bench.run("sync", source.path)
        #expect(run.status == 1)
        #expect(run.output.contains("conflict  pride.epub"))
        #expect(run.output.contains("The copy in Paperback changed"))
        #expect(run.errors.contains("To resolve conflicts, use --prefer source or --prefer device. "))
        let decided = try bench.run("sync", "--prefer", "device", source.path)
        #expect(decided.status == 0 && !decided.errors.contains("To resolve conflicts"))
    }

    @Test("A book that is only on the device is shown with its title if its name does not contain it")
    func onlyOnDevice() throws {
        let bench = try ReaderBench.paperback()
        let source = try source(bench)
        let documents = bench.device.containerFolder(of: SimulatedReader.paperbackID)
            .appendingPathComponent("Documents")
        try SyncSource.book(title: "Own Thoughts", author: "Ann Author", words: "mine")
            .write(to: documents.appendingPathComponent("2f1c.epub"))
        let rows = try bench.json("diff", source.path).rows("plan")
            .filter { $0["action"] as? String == "only_on_device" }
        #expect(rows.contains { $0["title"] as? String == "Own Thoughts" })
        let text = try bench.run("diff", source.path)
        #expect(!text.output.contains("only_on_device"))
        #expect(text.output.contains("only on device  ") && text.output.contains("  (Own Thoughts)"))
        // The names of these files have their titles.
        #expect(text.output.contains("Emma.epub") && !text.output.contains("(Emma)"))
    }

    @Test("A source whose books the app does not accept is not called empty")
    func unacceptedFormats() throws {
        let bench = try ReaderBench.paperback()
        let source = try source(bench)
        for name in ["pride.epub", "sand.epub"] { try source.remove(name) }
        try Data("text".utf8).write(to: URL(filePath: source.path + "/notes.djvu"))
        let stopped = try bench.json("sync", source.path)
        #expect(stopped.status == 66)
        #expect(
            stopped.error("message")
                == "The source has no book in a format that Paperback accepts, but 2 books on the device came from it."
        )
    }
}
