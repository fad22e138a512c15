import Foundation
import JSON
import SimulatedDevice
import TestSupport
import Testing

@Suite("The JSON of commands matches docs/json")
struct DocumentSchemaTests {
    @Test("Schemas use only keywords that are checked here, and the list names all schemas")
    func schemas() throws {
        let names = try DocumentSchema.names()
        #expect(names.count > 30)
        let list = try String(
            contentsOf: DocumentSchema.folder.appendingPathComponent("README.md"), encoding: .utf8)
        for name in names {
            #expect(try DocumentSchema(name).unknown() == [], "\(name)")
            #expect(list.contains("[\(name)](\(name).schema.json)"))
        }
    }

    @Test(
        "A document that breaks a schema is noticed",
        arguments: [
            (#"{"a": 1}"#, "$.a is not string: 1"),
            (#"{"a": "x", "b": 1}"#, "$ has the undocumented member b"),
            ("{}", "$ lacks a"), ("[]", "$ is not object: []"),
            (#"{"a": "x", "n": -1}"#, "$.n is less than 0.0"),
            (#"{"a": "x", "n": 1.5}"#, "$.n is not integer: 1.5"),
            (#"{"a": "x", "l": ["y"]}"#, #"$.l[0] is none of the words: "y""#),
        ])
    func noticing(text: String, problem: String) throws {
        let schema = try DocumentSchema(
            text: """
                {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}, \
                "n": {"type": "integer", "minimum": 0}, "l": {"type": "array", "items": {"enum": ["x"]}}}}
                """)
        #expect(try schema.problems(JSONValue(parsing: text)) == [problem])
        #expect(try schema.problems(JSONValue(parsing: #"{"a": "x", "n": 2, "l": ["x"]}"#)) == [])
    }

    /// Runs a command and checks its document, or each of its lines.
    private func check(
        _ bench: ReaderBench, _ schema: String, _ words: [String], status: Int32 = 0, lines: Bool = false
    ) throws {
        let result = try bench.run(words: words + ["--json"])
        #expect(result.status == status, "\(words) \(result.output) \(result.errors)")
        let texts = lines ? result.output.split(separator: "\n").map { String($0) } : [result.output]
        for text in texts {
            let problems = try DocumentSchema(schema).problems(JSONValue(parsing: text))
            #expect(problems == [], "\(words): \(text.prefix(2000))")
        }
    }

    @Test("Documents of an app with its own library match")
    func marvin() throws {
        let bench = try ReaderBench(books: [RealBooks.history("en"), RealBooks.history("fr")])
        let path = try #require(try bench.json("books").texts("books", "path").first)
        let new = try RealBooks.history("es").path
        try check(bench, "books", ["books"])
        try check(bench, "books", ["books", "--fields", "title", "--limit", "1"])
        try check(bench, "info", ["info", path])
        try check(bench, "info", ["info", path, "--no-file"])
        try check(bench, "collections", ["collections"])
        try check(bench, "annotations", ["annotations"])
        try check(bench, "results", ["collections", "--add", "New", path])
        try check(bench, "results", ["update", path, "--title", "Another"])
        try check(bench, "results", ["upload", new, new, "/nosuch"], status: 1)
        try check(bench, "results", ["upload", new, "--dry-run"])
        try check(bench, "results", ["get", path, "nosuch", "-o", bench.folder.path("out")], status: 1)
        try check(bench, "results", ["delete", path, "--yes"])
        try check(bench, "apps", ["apps"])
        try check(bench, "doctor", ["doctor"])
        try check(bench, "report", ["report"])
        try check(bench, "devices", ["devices"])
        try check(bench, "many-devices", ["books", "--device", "all"])
        try check(bench, "error", ["info", "nosuch"], status: 66)
        try check(bench, "error", ["perform", "BACKUPMANIFEST"], status: 78)
        try check(bench, "eject", ["eject", "--dry-run"])
        try check(bench, "eject", ["eject"])
        let trace = bench.folder.path("trace")
        #expect(try bench.run("books", "--trace", trace, "--trace-contents").status == 0)
        try check(bench, "trace", ["trace", "show", trace], lines: true)
        let overlay = try buildProductsFolder().appendingPathComponent("libMarvinOverlay.so").path
        // For a library that has just changed, Marvin's overlay stores when it first saw it.
        try check(bench, "replay", ["replay", trace, overlay, "--ignore", "storage.put.value"])
        let program = try bench.start("watch", "--json")
        let line = try #require(program.firstLine())
        #expect(try DocumentSchema("watch").problems(JSONValue(parsing: line)) == [])
        program.interrupt()
        _ = program.wait()
        #expect(try bench.run("prefs", "set", "development_mode", "true").status == 0)
        try check(bench, "perform", ["perform", "BACKUPMANIFEST"])
        try check(bench, "perform", ["perform", "BACKUPMANIFEST", "--dry-run"])
    }

    @Test("Documents of an app whose books are files in a folder, and of a sync to it, match")
    func files() throws {
        let bench = try ReaderBench(marvin: false) {
            $0.iosVersion = "18.6"
            $0.apps = [SimulatedReader.paperback(), SimulatedReader.kindle()]
        }
        let source = try SyncSource(bench.folder.url.appendingPathComponent("source"))
        try source.put("one.epub", title: "One")
        let app = ["--app", "Paperback"]
        try check(bench, "apps", ["apps"])
        try check(bench, "collections", ["collections"] + app)
        try check(bench, "sync", ["sync", source.path, "--dry-run"] + app)
        try check(bench, "sync", ["sync", source.path] + app)
        try check(bench, "sync", ["diff", source.path] + app)
        try check(bench, "doctor", ["doctor"] + app)
        try check(bench, "df", ["df"])
    }

    @Test("Documents of a backup that is planned, made and checked match")
    func backup() throws {
        let bench = try ReaderBench(books: [RealBooks.history("en")])
        let folder = try TemporaryFolder()
        for words in [["--dry-run"], [], []] {
            try check(bench, "backup", ["backup", folder.url.path] + words)
        }
        try check(bench, "backup-verify", ["backup", "--verify", folder.url.path])
        let files = FileManager.default.enumerator(at: folder.url, includingPropertiesForKeys: nil)
        let book = try #require(
            files?.compactMap { $0 as? URL }.first { $0.pathExtension == "epub" })
        try Data("damaged".utf8).write(to: book)
        try check(bench, "backup-verify", ["backup", "--verify", folder.url.path], status: 1)
    }

    @Test("Documents of local files, preferences and overlays match")
    func thisComputer() throws {
        let bench = try ReaderBench(attached: false)
        let book = try RealBooks.history("en").path
        let overlay = try buildProductsFolder().appendingPathComponent("libDocumentsOverlay.so").path
        try check(bench, "sniff", ["sniff", "--explain", book, "/nosuch"], status: 1)
        try check(bench, "fetch-list", ["fetch", book, "--list"])
        try check(bench, "fetch", ["fetch", book, "-o", bench.folder.path("copy")])
        try check(bench, "info", ["info", book])
        try check(bench, "prefs-list", ["prefs", "list"])
        try check(bench, "prefs-value", ["prefs", "get", "cc_mappings"])
        try check(bench, "prefs-value", ["prefs", "set", "upload_batch_size", "25"])
        try check(bench, "prefs-unset", ["prefs", "unset", "upload_batch_size"])
        try check(bench, "prefs-path", ["prefs", "path"])
        try check(bench, "overlays", ["overlays"])
        try check(bench, "overlay", ["overlays", "marvin"])
        try check(
            bench, "new", ["new", "shelf", "--language", "c", "--output", bench.folder.path("shelf")])
        try check(bench, "check-list", ["check", "--list"])
        try check(bench, "check", ["check", overlay, "--rule", "loading/*"])
        try check(bench, "doctor", ["doctor"], status: 69)
        try check(bench, "report", ["report"])
        try check(bench, "version", ["--version"])
        let program = try bench.start("simulate", bench.folder.path("sim"), "--json")
        let line = try #require(program.firstLine())
        #expect(try DocumentSchema("simulate").problems(JSONValue(parsing: line)) == [])
        program.interrupt()
        _ = program.wait()
    }
}
