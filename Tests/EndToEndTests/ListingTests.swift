import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("Books are looked for, and named by a beginning")
struct ListingTests {
    private let bench: ReaderBench

    init() throws {
        bench = try ReaderBench(marvin: false) {
            $0.iosVersion = "18.6"
            $0.apps = [SimulatedReader.paperback()]
        }
        let source = try SyncSource(bench.folder.url.appendingPathComponent("source"))
        try source.put("b.epub", title: "Dune Messiah", author: "Frank Herbert")
        try source.put("a.epub", title: "Dune House", author: "Brian Herbert")
        try source.put("c.epub", title: "Émile", author: "Jean-Jacques Rousseau")
        let added = try bench.json(
            ["upload"] + ["a", "b", "c"].map { source.url.appendingPathComponent("\($0).epub").path })
        #expect(added.status == 0, "\(added.errors)")
        #expect(added["app"] as? String == "Paperback")
        #expect(added["overlay"] as? String == "documents")
        #expect(added["device"] as? String == bench.device.settings.udid)
    }

    private func titles() throws -> [String] { try bench.json("books").texts("books", "title").sorted() }

    @Test("Words, options and fields choose the listed books and values, in JSON, text and CSV")
    func books() throws {
        #expect(
            try bench.json("books", "HERBERT", "--sort", "-title", "--fields", "title").rows("books")
                as? [[String: String]] == [["title": "Dune Messiah"], ["title": "Dune House"]])
        #expect(try bench.json("books", "emile").texts("books", "title") == ["Émile"])
        #expect(try bench.json("books", "--author", "frank").texts("books", "title") == ["Dune Messiah"])
        let limited = try bench.run("books", "dune", "--limit", "1")
        #expect(limited.output.split(separator: "\n").count == 2)
        #expect(limited.errors.contains("Showing 1 of 2 books."))
        #expect(try bench.run("books", "nosuch").output == "No book matches.\n")
        #expect(
            try bench.run("books", "dune", "--csv", "--fields", "title,authors", "--sort", "title")
                .output
                == "title,authors\r\nDune House,Brian Herbert\r\nDune Messiah,Frank Herbert\n"
        )
    }

    @Test("A beginning is enough to show, fetch and change a book, and an ambiguous one lists the books")
    func beginnings() throws {
        #expect(try bench.json("info", "emi")["title"] as? String == "Émile")
        let folder = bench.folder.path("out")
        let fetched = try bench.json("get", "dune m", "-o", folder)
        #expect(fetched.texts("results", "status") == ["fetched"])
        #expect(fetched["app"] as? String == "Paperback")
        let several = try bench.json("get", "dune", "-o", folder)
        #expect(several.status == 1)
        #expect(several.texts("results", "message").first?.contains("'Dune House'") == true)
    }

    @Test("Nothing is deleted by a beginning that a person has not confirmed")
    func deleting() throws {
        let before = try titles()
        let refused = try bench.json("delete", "--yes", "dune m")
        #expect(refused.status == 1)
        #expect(refused.texts("results", "message").first?.contains("'Dune Messiah'") == true)
        #expect(try titles() == before)
        let program = try bench.startAtTerminal("delete 'dune m'")
        #expect(program.prints("Dune Messiah"), "\(program.output)")
        #expect(program.prints("[y/N]"), "\(program.output)")
        program.type("y\n")
        #expect(program.wait() == 0, "\(program.output)")
        #expect(try titles() == before.filter { $0 != "Dune Messiah" })
    }
}

@Suite("--dry-run changes nothing, neither on the device nor on this computer")
struct DryRunTests {
    /// AFC requests that change nothing. Files that are opened for writing show in the files.
    private static let reads: Set<String> = [
        "READ_DIR", "GET_FILE_INFO", "GET_DEVINFO", "FILE_OPEN", "FILE_READ", "FILE_SEEK", "FILE_TELL",
        "FILE_CLOSE",
    ]

    /// Every file below a folder with its content.
    private static func content(of folder: URL) throws -> [String: Data] {
        var files: [String: Data] = [:]
        let paths = FileManager.default.enumerator(atPath: folder.path)
        while let path = paths?.nextObject() as? String {
            let file = folder.appendingPathComponent(path)
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder) else { continue }
            let isSocket = path == "mux"
            files[path] = isFolder.boolValue || isSocket ? Data() : try Data(contentsOf: file)
        }
        return files
    }

    @Test("Commands that change books report what they would do, and ask the device only to read")
    func books() throws {
        let bench = try ReaderBench(marvin: false) {
            $0.iosVersion = "18.6"
            $0.apps = [SimulatedReader.paperback()]
        }
        let source = try SyncSource(bench.folder.url.appendingPathComponent("source"))
        try source.put("old.epub", title: "Old")
        try source.put("new.epub", title: "New")
        let (old, new) = (source.path + "/old.epub", source.path + "/new.epub")
        #expect(try bench.run("upload", old).status == 0)
        let (before, requests) = (
            try Self.content(of: bench.device.folder), bench.device.fileRequests.count
        )
        for (words, statuses) in [
            (["upload", new, old, "--dry-run"], ["added", "skipped"]),
            (["upload", "--on-conflict", "replace", source.path + "/missing.epub", "--dry-run"], ["failed"]),
            (["delete", "old", "nosuch", "--dry-run"], ["deleted", "failed"]),
            (["eject", "--dry-run"], []),
        ] {
            let document = try bench.json(words)
            #expect(document.texts("results", "status") == statuses, "\(words) \(document.errors)")
            #expect(document["dry_run"] as? Bool == true)
            #expect(document["device"] as? String == bench.device.settings.udid)
        }
        let text = try bench.run("delete", "old", "--dry-run")
        #expect(text.output.hasPrefix("would be deleted  old"))
        #expect(text.errors.hasSuffix("\nNothing was changed.\n"), "\(text.errors)")
        #expect(text.errors.contains(" on "), "\(text.errors)")
        #expect(try Self.content(of: bench.device.folder) == before)
        let asked = bench.device.fileRequests.dropFirst(requests).map(\.operation)
        #expect(!asked.isEmpty)
        #expect(Self.reads.isSuperset(of: asked), "\(Set(asked))")
    }

    @Test("Commands that change metadata and collections, and the app's own commands, do so as well")
    func metadata() throws {
        let bench = try ReaderBench(books: [RealBooks.history("en")])
        let path = try #require(try bench.json("books").texts("books", "path").first)
        #expect(try bench.run("prefs", "set", "development_mode", "true").status == 0)
        let history = try RealBooks.history("en").path
        let requests = bench.device.fileRequests.count
        let before = try Self.content(of: bench.container.folder)
        for (words, statuses) in [
            (["update", path, "--title", "Another", "--dry-run"], ["updated"]),
            (["collections", "--add", "New", path, "--dry-run"], ["updated"]),
            (["collections", "--remove", "New", path, "--dry-run"], ["skipped"]),
            (["upload", "--on-conflict", "replace", history, "--dry-run"], nil),
            (["perform", "LockBooks", path, "--parameter", "a=b", "--dry-run"], []),
        ] as [([String], [String]?)] {
            let document = try bench.json(words)
            if let statuses { #expect(document.texts("results", "status") == statuses, "\(document.errors)") }
            #expect(document["dry_run"] as? Bool == true, "\(words) \(document.errors)")
        }
        #expect(try bench.json("perform", "LockBooks", "--dry-run")["command"] as? String == "LockBooks")
        #expect(try Self.content(of: bench.container.folder) == before)
        let asked = bench.device.fileRequests.dropFirst(requests).map(\.operation)
        #expect(Self.reads.isSuperset(of: asked), "\(Set(asked))")
    }

    @Test("Preferences and projects are checked, and nothing is written")
    func thisComputer() throws {
        let bench = try ReaderBench(attached: false)
        #expect(try bench.run("prefs", "set", "upload_batch_size", "25").status == 0)
        let before = try Self.content(of: bench.folder.url)
        let set = try bench.json("prefs", "set", "upload_batch_size", "30", "--dry-run")
        #expect(set["value"] as? Int == 30 && set["dry_run"] as? Bool == true)
        #expect(try bench.run("prefs", "set", "upload_batch_size", "many", "--dry-run").status == 78)
        #expect(
            try bench.json("prefs", "unset", "upload_batch_size", "--dry-run")["removed"] as? Bool == true)
        let folder = bench.folder.path("shelf")
        let project = try bench.json("new", "shelf", "--language", "c", "--output", folder, "--dry-run")
        #expect((project["files"] as? [String])?.isEmpty == false)
        #expect(
            try bench.json("new", "shelf", "--language", "c", "--output", bench.folder.url.path, "--dry-run")
                .error("code") == "already_exists")
        #expect(try Self.content(of: bench.folder.url) == before)
    }
}
