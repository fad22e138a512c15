import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("Books are copied all at once, by folder, and to standard output; and the space is shown")
struct GetCommandTests {
    private func bench() throws -> ReaderBench {
        let bench = try ReaderBench(marvin: false) {
            $0.iosVersion = "17.0"
            $0.apps = [SimulatedReader.paperback()]
        }
        let documents = SimulatedReader(device: bench.device).documents
        try FileManager.default.removeItem(at: documents)
        for (path, title) in [("a.epub", "Emma"), ("Old/b.epub", "Pride"), ("Old/More/c.epub", "Susan")] {
            let file = documents.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try SyncSource.book(title: title, author: "Ann", words: path).write(to: file)
        }
        return bench
    }

    private func files(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    @Test("All books, or those of a folder of the device, are copied")
    func all() throws {
        let bench = try bench()
        let folder = bench.folder.path("all")
        let result = try bench.json("get", "--all", folder)
        #expect(result.status == 0 && result.texts("results", "status").count == 3, "\(result.errors)")
        #expect(try files(folder) == ["Emma.epub", "Pride.epub", "Susan.epub"])
        let old = bench.folder.path("old")
        #expect(
            try bench.json("get", "Old/", "-o", old).texts("results", "item") == [
                "Old/b.epub", "Old/More/c.epub",
            ])
        #expect(try files(old) == ["Pride.epub", "Susan.epub"])
        #expect(try bench.json("get", "None/", "-o", old).status == 1)
        for words in [["get"], ["get", "--all", "x", "y"], ["get", "a.epub", "b.epub", "-o", "-"]] {
            #expect(try bench.json(words).status == 64, "\(words)")
        }
    }

    @Test("What a killed command left in the folder is removed by the next one")
    func leftovers() throws {
        let bench = try bench()
        let folder = bench.folder.path("all")
        let left = folder + "/.overlayhost-held-1-left"
        try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: true)
        try Data("half".utf8).write(to: URL(fileURLWithPath: left + "/1"))
        #expect(try bench.run("get", "--all", folder).status == 0)
        #expect(try files(folder) == ["Emma.epub", "Pride.epub", "Susan.epub"])
    }

    @Test("Standard output gets only the bytes of the book, and a terminal gets none")
    func standardOutput() throws {
        let bench = try bench()
        let wanted = SyncSource.book(title: "Pride", author: "Ann", words: "Old/b.epub")
        let file = bench.folder.path("out")
        let program = try buildProductsFolder().appendingPathComponent("overlayhost").path
        let result = try runProgram(
            "/bin/sh", ["-c", "\"$0\" get Pride -o - --verbose > \"$1\"", program, file],
            environment: bench.environment)
        #expect(result.status == 0, "\(result.errors)")
        #expect(FileManager.default.contents(atPath: file) == wanted)
        let missing = try bench.run("get", "No Such Book", "-o", "-")
        #expect(missing.status == 66 && missing.output.isEmpty)
        let terminal = try bench.startAtTerminal("get Pride -o -")
        #expect(terminal.wait() == 64)
        #expect(terminal.output.contains("Save it with -o") && !terminal.output.contains("PK"))
    }

    @Test("The space of the device is shown in text and as JSON")
    func space() throws {
        let bench = try bench()
        try bench.device.update { $0.freeBytes = 1_000_000 }
        let document = try bench.json("df")
        let total = try #require(document["total"] as? Int)
        let free = try #require(document["free"] as? Int)
        #expect(document.status == 0 && free == 1_000_000 && document["used"] as? Int == total - free)
        #expect(document["device"] as? String == bench.device.settings.udid && document.rows("apps").isEmpty)
        let text = try bench.run("df").output.split(separator: "\n")
        #expect(text.count == 2 && text[0].hasPrefix("NAME") && text[1].hasSuffix("%"))
        let many = try bench.json("df", "--device", "all")
        #expect(many.rows("devices").first?["total"] as? Int == total)
    }
}
