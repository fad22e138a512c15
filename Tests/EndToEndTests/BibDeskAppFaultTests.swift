import Foundation
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@Suite("A sync loses nothing when the app removes files, edits them meanwhile, or has another clock")
struct BibDeskAppFaultTests {
    private static let entry = """
        @article{Ada:1843,
        \tauthor = {Ada Lovelace},
        \tdate-modified = {2024-01-01 00:00:00 +0000},
        \tnote = {Old},
        \ttitle = {Notes},
        \tbdsk-file-1 = {Papers/notes.pdf}}

        """
    private let bench: ReaderBench
    private let app: SimulatedBibDesk
    private let source: URL

    init() throws {
        bench = try ReaderBench.bibDesk()
        app = SimulatedBibDesk(device: bench.device)
        source = bench.folder.url.appendingPathComponent("source")
        try put("refs.bib", Self.entry)
        try put("Papers/notes.pdf", "%PDF-1.4 notes")
    }

    private func put(_ item: String, _ text: String) throws {
        let file = source.appendingPathComponent(item)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func text(_ item: String) throws -> String {
        try String(contentsOf: source.appendingPathComponent(item), encoding: .utf8)
    }

    private func onDevice() throws -> String {
        String(decoding: try app.bytes(of: "refs.bib"), as: UTF8.self)
    }

    private func sync(_ words: String...) throws -> Document {
        try bench.json(["sync", source.path, "--app", "BibDesk"] + words)
    }

    /// Sets the app's behaviour in `device.json`.
    private func set(_ behaviour: String) throws {
        var file = SimulatedDeviceFile()
        file.bibdesk = behaviour
        try bench.device.update { settings in
            do {
                try file.apply(to: &settings)
            } catch {
                Issue.record(error)
            }
        }
    }

    @Test(
        "Files that the app removed between two syncs stay in the folder, and the next sync sends them again")
    func removedFiles() throws {
        #expect(try sync().status == 0)
        let sent = try onDevice()
        #expect(try app.launch().papers.contains { $0.hasSuffix("Papers/notes.pdf") })
        try set("removes-unknown-files")
        let shelf = try app.launch()
        #expect(
            !shelf.libraries.contains("refs.bib")
                && !shelf.papers.contains { $0.hasSuffix("Papers/notes.pdf") })
        #expect(!shelf.libraries.isEmpty, "The app keeps what it brought itself.")
        try set("normal")
        let again = try sync()
        #expect(again.status == 0, "\(again.object) \(again.errors)")
        #expect(again.texts("results", "item") == ["refs.bib", "Papers/notes.pdf"])
        #expect(again.texts("results", "status") == ["added", "added"])
        #expect(try text("refs.bib") == Self.entry && text("Papers/notes.pdf") == "%PDF-1.4 notes")
        #expect(try onDevice() == sent)
        let paper = try #require(try app.launch().papers.first { $0.hasSuffix("Papers/notes.pdf") })
        let bytes = try Data(contentsOf: app.container.papers.appendingPathComponent(paper))
        #expect(String(decoding: bytes, as: UTF8.self) == "%PDF-1.4 notes")
    }

    @Test("An edit of the app between plan and write is read and merged, and both changes are on both sides")
    func editedMeanwhile() throws {
        #expect(try sync().status == 0)
        try set("edits-during-sync")
        try put("refs.bib", Self.entry.replacing("{Notes}", with: "{Notes on the Engine}"))
        let done = try sync()
        #expect(done.status == 0, "\(done.object) \(done.errors)")
        for library in [try text("refs.bib"), try onDevice()] {
            #expect(library.contains("{Notes on the Engine}"), "\(library)")
            #expect(library.contains(SimulatedBibDesk.note), "\(library)")
        }
        #expect(try app.launch().refused.isEmpty)
        // The app's other library was changed after it had been read. The next sync copies that.
        #expect(try sync().texts("results", "status") == ["updated", "updated"])
        #expect(try text("References.bib").contains(SimulatedBibDesk.note))
        #expect(try sync().rows("results").isEmpty)
    }

    @Test(
        "With a clock that is ahead the app's value wins as the later one, and the folder's stays beside it")
    func otherClock() throws {
        #expect(try sync().status == 0)
        try set("clock-ahead")
        let now = ISO8601DateFormatter.string(
            from: Date(), timeZone: .gmt,
            formatOptions: [.withFullDate, .withFullTime, .withSpaceBetweenDateAndTime])
        let date = now.prefix(19) + " +0000"
        try put(
            "refs.bib",
            Self.entry.replacing("{Old}", with: "{Mine}").replacing("2024-01-01 00:00:00 +0000", with: date))
        let done = try sync()
        #expect(done.status == 1, "A conflict is told: \(done.object)")
        for library in [try text("refs.bib"), try onDevice()] {
            #expect(library.contains("note = {\(SimulatedBibDesk.note)}"), "\(library)")
            #expect(library.contains("note-conflict-1 = {Mine}"), "\(library)")
        }
        #expect(try sync().rows("results").isEmpty)
    }

    @Test("Files come into the app's folders by a rename only, whole and from where the app does not look")
    func onlyRenames() throws {
        let seen = Mutex<(written: [String], renamed: [(String, String)])>(([], []))
        bench.device.onFileRequest { request in
            seen.withLock { seen in
                switch request.operation {
                case "FILE_WRITE": seen.written.append(request.path ?? "")
                case "RENAME_PATH": seen.renamed.append((request.path ?? "", request.secondPath ?? ""))
                default: break
                }
            }
        }
        #expect(try sync().status == 0)
        try put("refs.bib", Self.entry.replacing("{Notes}", with: "{Notes on the Engine}"))
        try put("Papers/notes.pdf", "%PDF-1.4 second edition")
        #expect(try sync().status == 0)
        let (written, renamed) = seen.withLock { $0 }
        let shown = "/Library/Application Support/Dropbox/"
        #expect(written.contains { $0.hasPrefix("/tmp/") })
        #expect(!written.contains { $0.hasPrefix(shown) }, "\(written)")
        let arrivals = renamed.filter { $0.1.hasPrefix(shown) }
        #expect(arrivals.count == 4 && arrivals.allSatisfy { $0.0.hasPrefix("/tmp/") }, "\(renamed)")
    }

    @Test("A paper that is asked for goes to the app before the others")
    func wantedFirst() throws {
        let keys = (0..<6).map { "k\($0)" }
        try put(
            "more.bib",
            keys.map { "@misc{\($0), title = {T}, bdsk-file-1 = {Papers/\($0).pdf}}\n" }.joined(
                separator: "\n"))
        for key in keys { try put("Papers/\(key).pdf", "%PDF-1.4 \(key)") }
        let arrived = Mutex<[String]>([])
        bench.device.onFileRequest { request in
            guard request.operation == "RENAME_PATH", let path = request.secondPath, path.hasSuffix(".pdf")
            else {
                return
            }
            arrived.withLock { $0.append(path.split(separator: "/").last.map(String.init) ?? "") }
        }
        #expect(try sync("--wanted", "k4").status == 0)
        #expect(arrived.withLock { $0.first } == "k4.pdf" && arrived.withLock { $0.count } == 7)
    }

    @Test("A wanted paper that is on the device already is replaced where it is")
    func wantedAgain() throws {
        let group =
            "@comment{BibDesk Static Groups{\n<plist version=\"1.0\"><array><dict><key>group name</key>"
            + "<string>None</string><key>keys</key><string></string></dict></array></plist>\n}}\n"
        try put("refs.bib", Self.entry + group)
        #expect(try sync().status == 0)
        #expect(try bench.run("prefs", "set", "bibdesk_sync_groups", "[\"None\"]").status == 0)
        try put("Papers/notes.pdf", "%PDF-1.4 notes with highlights")
        #expect(try sync("--wanted", "Ada:1843").texts("results", "status") == ["replaced"])
        #expect(try sync().rows("results").isEmpty)
        #expect(try text("Papers/notes.pdf") == "%PDF-1.4 notes with highlights")
        let papers = try app.launch().papers.filter { $0.hasSuffix("Papers/notes.pdf") }
        let paper = try #require(papers.first)
        #expect(papers.count == 1)
        let bytes = try Data(contentsOf: app.container.papers.appendingPathComponent(paper))
        #expect(String(decoding: bytes, as: UTF8.self) == "%PDF-1.4 notes with highlights")
    }

    @Test("A library that became empty stops the sync with an exit status, and nothing is changed")
    func emptied() throws {
        #expect(try sync().status == 0)
        try put("refs.bib", "")
        let before = try onDevice()
        let refused = try sync()
        #expect(refused.status == 1)
        let failed = refused.rows("results").filter { $0["status"] as? String == "failed" }
        #expect(
            failed.map { $0["code"] as? String } == ["needs_consent"], "\(refused.object) \(refused.errors)")
        #expect(try onDevice() == before && text("refs.bib") == "")
    }

    @Test("A command that changed something says that the app is to be opened again, and any other does not")
    func openingAgain() throws {
        let remark = "Close BibDesk and open it again to see the changes"
        func says(_ words: String...) throws -> Int {
            let result = try bench.run(words: words + ["--app", "BibDesk"])
            #expect(result.status == 0, "\(words) \(result.errors)")
            return result.errors.components(separatedBy: remark).count - 1
        }
        #expect(try says("sync", source.path, "--dry-run") == 0)
        #expect(try says("sync", source.path) == 1)
        #expect(try says("sync", source.path) == 0)
        #expect(try says("books") == 0)
        #expect(try says("update", "Ada:1843", "--title", "Sketch") == 1)
        #expect(try says("delete", "Ada:1843", "--yes") == 1)
    }
}

@Suite("The folder to sync can be named once, in the overlay's preference")
struct BibDeskFolderTests {
    private let bench: ReaderBench

    init() throws {
        bench = try ReaderBench.bibDesk()
    }

    private func folder(_ name: String) throws -> URL {
        let folder = bench.folder.url.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("@misc{\(name), title = {T}}\n".utf8).write(to: folder.appendingPathComponent("\(name).bib"))
        return folder
    }

    @Test("sync and diff use bibdesk_folder unless a folder is given")
    func folders() throws {
        let app = SimulatedBibDesk(device: bench.device)
        for command in ["sync", "diff"] {
            let missing = try bench.json(command, "--app", "BibDesk")
            #expect(missing.error("code") == "usage", "\(missing.object)")
            let hint = try #require(missing.error("hint"))
            #expect(
                hint.contains("overlayhost sync FOLDER") && hint.contains("prefs set bibdesk_folder FOLDER"))
        }
        let (one, other) = (try folder("one"), try folder("other"))
        #expect(try bench.run("prefs", "set", "bibdesk_folder", one.path).status == 0)
        let done = try bench.json("sync", "--app", "BibDesk")
        #expect(done.status == 0 && done["source"] as? String == one.path, "\(done.object) \(done.errors)")
        #expect(try app.launch().libraries.contains("one.bib"))
        #expect(try !app.launch().libraries.contains("other.bib"))
        #expect(try bench.json("diff", "--app", "BibDesk")["source"] as? String == one.path)
        #expect(try bench.json("sync", other.path, "--app", "BibDesk").status == 0)
        #expect(try app.launch().libraries.contains("other.bib"))
    }

    @Test("A relative path is stored as an absolute one, and other text is refused")
    func paths() throws {
        #expect(try bench.run("prefs", "set", "bibdesk_folder", "~/Papers").status == 0)
        let missing = try bench.json("sync", "--app", "BibDesk")
        #expect(
            missing.status != 0 && missing.error("subject")?.hasSuffix("/Papers") == true, "\(missing.object)"
        )
        #expect(missing.error("subject")?.hasPrefix("/") == true)
        let shown = try bench.run("prefs", "list")
        #expect(shown.output.contains("bibdesk_folder"), "\(shown.output)")
    }
}
