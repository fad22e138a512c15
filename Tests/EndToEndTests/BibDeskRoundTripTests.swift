import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("BibDesk is served on every generation of the app, from the command line to the wire")
struct BibDeskRoundTripTests {
    private func bench(
        _ generation: BibDeskGeneration = .linkedFiles, ios: String = "18.6",
        _ change: (inout SimulatedApp) -> Void = { _ in }
    ) throws -> ReaderBench {
        var app = SimulatedBibDesk.app(generation: generation)
        change(&app)
        return try ReaderBench(marvin: false) {
            $0.iosVersion = ios
            $0.apps = [app]
        }
    }

    private func app(_ bench: ReaderBench, _ generation: BibDeskGeneration = .linkedFiles)
        -> SimulatedBibDesk
    {
        SimulatedBibDesk(device: bench.device, generation: generation)
    }

    private func book(_ list: Document, _ key: String) throws -> [String: Any] {
        try #require(list.rows("books").first { $0["cite_key"] as? String == key }, "\(list.object)")
    }

    @Test(
        "References of each generation are listed with their files and the state of each",
        arguments: [BibDeskGeneration.documents, .flat, .linkedFiles])
    func listing(generation: BibDeskGeneration) throws {
        let bench = try bench(generation)
        let list = try bench.json("books", "--app", "BibDesk")
        #expect(list.status == 0, "\(list.errors)")
        let prefix = generation == .linkedFiles ? "Papers/" : ""
        let notes = try book(list, "Lovelace:1843aa")
        let isNested = generation == .linkedFiles
        #expect(notes["path"] as? String == prefix + (isNested ? "Engines/Notes.pdf" : "Notes.pdf"))
        #expect(notes["authors"] as? [String] == ["Ada Lovelace"])
        #expect(notes["journal"] as? String == "Scientific Memoirs")
        #expect(notes["fields"] == nil)
        let babbage = try book(list, "Babbage:1832aa")
        #expect(babbage["authors"] as? [String] == ["Charles Babbage", "Jörg Müller"])
        #expect(babbage["path"] as? String == prefix + "Economy.pdf")
        let austen = try book(list, "Austen:1813aa")
        let files = try #require(austen["files"] as? [[String: Any]])
        #expect(files.map { $0["state"] as? String } == ["can_be_sent"])
        #expect(list.rows("books").count == 3)
    }

    @Test("A search finds what is in any field of a reference, and shows no more of it than a listing")
    func search() throws {
        let bench = try bench()
        let text =
            "@article{a, author = {Au}, editor = {Eddy, Xed}, note = {nnote}, custom = {custx}, pages = {991--993}}"
        try Data(text.utf8).write(to: app(bench).container.libraries.appendingPathComponent("Other.bib"))
        #expect(try bench.run("prefs", "set", "bibdesk_list_all", "true").status == 0)
        for query in ["xed", "nnote", "custx", "991", "editor:eddy", "note:nnote"] {
            let list = try bench.json("books", "--app", "BibDesk", "--search", query)
            #expect(list.rows("books").map { $0["cite_key"] as? String } == ["a"], "\(query)")
            #expect(list.rows("books").allSatisfy { $0["search_texts"] == nil })
        }
    }

    @Test("One reference is shown with every field and file")
    func info() throws {
        let bench = try bench()
        let info = try bench.json("info", "Papers/Engines/Notes.pdf")
        #expect(info.status == 0, "\(info.errors)")
        #expect(info["cite_key"] as? String == "Lovelace:1843aa")
        let fields = try #require(info["fields"] as? [String: String])
        #expect(fields["doi"] == "10.1000/notes" && fields["title"] == "Notes on the {Analytical Engine}")
        let text = try bench.run("info", "Papers/Engines/Notes.pdf", "--no-file").output
        #expect(text.contains("Papers/Engines/Appendix.pdf, on device"))
        #expect(text.contains("Scientific Memoirs"))
    }

    @Test("Groups are listed with their kinds, and only static ones can be changed")
    func groups() throws {
        let bench = try bench()
        let list = try bench.json("collections")
        let rows = list.rows("collections")
        let kinds = rows.reduce(into: [String: String]()) {
            $0[$1["name"] as? String ?? ""] = $1["kind"] as? String
        }
        #expect(kinds["Engines"] == "static" && kinds["By Austen"] == "smart")
        #expect(kinds["engines"] == "keyword" && kinds["Ada Lovelace"] == "author")
        #expect(try bench.run("collections").output.contains("smart"))
        let refused = try bench.json("collections", "--remove", "By Austen", "First Impressions")
        #expect(refused.status == 1)
        #expect(try bench.json("collections", "--add", "To read", "First Impressions").status == 0)
        let again = try bench.json("collections").rows("collections").first {
            $0["name"] as? String == "To read"
        }
        #expect(again?["books"] as? [String] == ["References.bib#Austen:1813aa"])
        #expect(try app(bench).launch().refused.isEmpty)
    }

    @Test("A paper is added, changed, fetched and deleted, and the app shows its library all the while")
    func roundTrip() throws {
        let bench = try bench()
        let file = bench.folder.url.appendingPathComponent("paper.pdf")
        try SimulatedPDF(title: "On Sync", author: "Grace Hopper", pages: 3, size: 90_000).write(to: file)
        let upload = try bench.json("upload", file.path, "--collection", "New")
        #expect(upload.status == 0, "\(upload.errors) \(upload.object)")
        #expect(upload.texts("results", "path") == ["Papers/On Sync.pdf"])
        #expect(try bench.json("upload", file.path).texts("results", "status") == ["skipped"])
        #expect(try bench.json("update", "On Sync", "--title", "On Syncing", "--tag", "a").status == 0)
        let info = try bench.json("info", "On Syncing", "--no-file")
        #expect(info["collections"] as? [String] == ["New"] && info["tags"] as? [String] == ["a"])
        let get = try bench.json("get", "On Syncing", "-o", bench.folder.path("fetched"))
        let fetched = try #require(get.texts("results", "path").first)
        #expect(FileManager.default.contentsEqual(atPath: fetched, andPath: file.path))
        #expect(try app(bench).launch().papers.contains("Papers/On Sync.pdf"))
        #expect(try bench.json("delete", "On Syncing", "--yes").status == 0)
        let shelf = try app(bench).launch()
        #expect(!shelf.papers.contains("Papers/On Sync.pdf") && shelf.refused.isEmpty)
        let text = String(decoding: try app(bench).bytes(of: "References.bib"), as: UTF8.self)
        #expect(text.contains("On Syncing") && !text.contains("overlayhost"))
    }

    @Test(
        "Marks that a person made in a paper are annotations of its reference",
        arguments: [BibDeskGeneration.documents, .linkedFiles])
    func annotations(generation: BibDeskGeneration) throws {
        let bench = try bench(generation)
        let path = generation == .linkedFiles ? "Papers/Engines/Notes.pdf" : "Notes.pdf"
        try app(bench, generation).add(HighlightedPDF.bytes(), at: path)
        for words in [["annotations", path], ["annotations"]] {
            let list = try bench.json(words + ["--app", "BibDesk"])
            #expect(list.status == 0, "\(list.errors)")
            let book = try #require(list.rows("books").first)
            #expect(list.rows("books").count == 1 && book["path"] as? String == path)
            let marks = try #require(book["annotations"] as? [[String: String]])
            #expect(
                marks == [
                    [
                        "kind": "highlight", "location": "page 1", "note": "Bernoulli", "color": "#ffff00",
                        "author": "Ada", "modified": "2024-05-01T12:00:00Z",
                    ]
                ])
        }
    }

    @Test(
        "The words under a highlight are read from the page if pdftotext is installed",
        arguments: [BibDeskGeneration.documents, .linkedFiles])
    func markedWords(generation: BibDeskGeneration) throws {
        let bench = try bench(generation)
        let path = generation == .linkedFiles ? "Papers/Engines/Notes.pdf" : "Notes.pdf"
        try app(bench, generation).add(
            HighlightedPDF.bytes("/Contents (Which?) " + HighlightedPDF.area), at: path)
        func marks(_ words: [String], path folder: String) throws -> [[String: String]] {
            let list = try Document(
                bench.run(
                    words: ["annotations"] + words + ["--app", "BibDesk", "--json"],
                    environment: ["PATH": folder]))
            #expect(list.status == 0, "\(list.errors)")
            return try #require(list.rows("books").first?["annotations"] as? [[String: String]])
        }
        let reader = try bench.wordReader()
        for words in [[path], []] {
            let read = try marks(words, path: reader)
            #expect(
                read.map { $0["text"] } == ["Bernoulli&s numbers"] && read.map { $0["note"] } == ["Which?"])
            // Without the program, or with one that fails, the highlight exists without words.
            #expect(try marks(words, path: bench.folder.path).map { $0["text"] } == [nil])
        }
        let client = try ServeClient(bench, environment: ["PATH": reader])
        let session = try client.open("BibDesk")
        let served = try client.call("annotations", ["session": session])
        let first = try #require(served.rows("books").first?["annotations"] as? [[String: String]])
        #expect(first.map { $0["text"] } == ["Bernoulli&s numbers"])
        try writeProgram("#!/bin/sh\nexit 3\n", to: URL(fileURLWithPath: reader + "/pdftotext"))
        #expect(try marks([path], path: reader).map { $0["text"] } == [nil])
    }

    @Test("A library is merged into the one of its name, and a malformed one is refused with its place")
    func libraries() throws {
        let bench = try bench()
        let file = bench.folder.url.appendingPathComponent("References.bib")
        try Data("@misc{new, title = {A New Reference}}\n".utf8).write(to: file)
        let upload = try bench.json("upload", file.path)
        #expect(upload.texts("results", "status") == ["updated"], "\(upload.object)")
        let text = String(decoding: try app(bench).bytes(of: "References.bib"), as: UTF8.self)
        #expect(text.contains("@misc{new") && text.contains("Lovelace:1843aa"))
        let bad = bench.folder.url.appendingPathComponent("Bad.bib")
        try Data("@misc{a, title = {A}}\n@misc{b, title {B}}\n".utf8).write(to: bad)
        let refused = try bench.json("upload", bad.path)
        #expect(refused.status == 1)
        #expect(refused.texts("results", "message").first?.contains("line 2") == true, "\(refused.object)")
        #expect(try app(bench).launch().libraries == ["References.bib"])
    }

    @Test("Another app that keeps bibliographies is served by its bundle id, with file sharing only")
    func otherApp() throws {
        let bench = try bench(.documents) {
            $0.bundleID = "org.example.references"
            $0.name = "References"
            $0.developmentSigned = false
            $0.fileSharing = true
        }
        #expect(try bench.run("prefs", "set", "bibdesk_bundle_id", "org.example.references").status == 0)
        let list = try bench.json("books", "--app", "BibDesk")
        #expect(list.status == 0, "\(list.errors)")
        #expect(list["overlay"] as? String == "bibdesk")
        #expect(list.texts("books", "cite_key").contains("Babbage:1832aa"))
    }

    @Test("Where iOS opens nothing of the app, the reason says what the app would need")
    func refused() throws {
        let bench = try bench { $0.developmentSigned = false }
        let list = try bench.json("books", "--app", "BibDesk")
        #expect(list.status != 0)
        #expect("\(list.object)".contains("signed for development"), "\(list.object)")
    }

    @Test("A reference is named by its cite key in every command about books")
    func citeKey() throws {
        let bench = try bench()
        let info = try bench.json("info", "lovelace:1843AA", "--no-file")
        #expect(info["cite_key"] as? String == "Lovelace:1843aa", "\(info.object)")
        let change = try bench.run("update", "Babbage:1832aa", "--title", "{Economy}", "--app", "BibDesk")
        #expect(change.status == 0 && change.errors.hasPrefix("BibDesk on "), "\(change.errors)")
        #expect(try bench.json("info", "Babbage:1832aa", "--no-file")["title"] as? String == "{Economy}")
        #expect(try bench.json("collections", "--add", "Mine", "Austen:1813aa").status == 0)
        let deleted = try bench.json("delete", "Lovelace:1843aa", "--yes")
        #expect(deleted.texts("results", "status") == ["deleted"])
        let unknown = try bench.json("delete", "Baba", "Babbage", "--yes")
        #expect(unknown.texts("results", "code") == ["not_found", "not_found"])
    }

    @Test(
        "get copies every paper of a reference, and --all skips references without papers on the device")
    func papers() throws {
        let bench = try bench()
        let folder = bench.folder.path("fetched")
        let one = try bench.json("get", "Lovelace:1843aa", "-o", folder)
        let names = one.texts("results", "path").map { String($0.split(separator: "/").last ?? "") }
        #expect(
            names == [
                "Notes on the Analytical Engine.pdf", "Notes on the Analytical Engine - Appendix.pdf",
            ], "\(one.object)")
        for (name, paper) in zip(names, ["Notes.pdf", "Appendix.pdf"]) {
            let original = app(bench).container.papers.appendingPathComponent("Papers/Engines/" + paper)
            #expect(FileManager.default.contentsEqual(atPath: folder + "/" + name, andPath: original.path))
        }
        #expect(try bench.json("get", "Austen:1813aa", "-o", folder).status == 1)
        let all = try bench.json("get", "--all", bench.folder.path("all"))
        #expect(all.status == 0, "\(all.object)")
        #expect(all.texts("results", "status").sorted() == ["fetched", "fetched", "fetched", "skipped"])
    }

    @Test("Standard output takes a reference's only paper, and none of several")
    func standardOutput() throws {
        let bench = try bench()
        let one = try bench.run("get", "Babbage:1832aa", "-o", "-")
        #expect(one.status == 0 && one.output.hasPrefix("%PDF"), "\(one.errors)")
        let several = try bench.run("get", "Lovelace:1843aa", "-o", "-")
        #expect(several.status != 0 && several.output.isEmpty)
        for word in ["2 papers", "Papers/Engines/Notes.pdf", "Papers/Engines/Appendix.pdf", "-o FOLDER"] {
            #expect(several.errors.contains(word), "\(several.errors)")
        }
    }

    @Test("A client of serve gets every paper of a reference, and searches in the texts of all")
    func serving() throws {
        let bench = try bench()
        // A pdftotext that reads what the test has written into the papers.
        let folder = bench.folder.url.appendingPathComponent("bin")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let program = folder.appendingPathComponent("pdftotext")
        try writeProgram(
            "#!/bin/sh\n{ read -r first; read -r text; } < \"$5\"\necho \"$text\"\n", to: program)
        for (name, text) in [("Notes.pdf", "refraction"), ("Appendix.pdf", "bernoulli numbers")] {
            try Data("%PDF-1.4\n\(text)\n".utf8).write(
                to: app(bench).container.papers.appendingPathComponent("Papers/Engines/" + name))
        }
        let client = try ServeClient(bench, environment: ["PATH": folder.path])
        let session = try client.open("BibDesk")
        let got = try client.call(
            "get", ["session": session, "books": ["Lovelace:1843aa"], "folder": bench.folder.path("fetched")])
        #expect(got.texts("results", "item") == ["Lovelace:1843aa", "Lovelace:1843aa"], "\(got)")
        #expect(got.texts("results", "status") == ["fetched", "fetched"])
        for word in ["refraction", "bernoulli"] {
            let found = try client.call("books", ["session": session, "search": word, "texts": true])
            #expect(found.texts("books", "cite_key") == ["Lovelace:1843aa"], "\(word): \(found)")
            let without = try client.call("books", ["session": session, "search": word])
            #expect(without.rows("books").isEmpty)
        }
        // Another version of a further paper is read as well.
        try Data("%PDF-1.4\nalgebraic patterns\n".utf8).write(
            to: app(bench).container.papers.appendingPathComponent("Papers/Engines/Appendix.pdf"))
        let woven = try client.call("books", ["session": session, "search": "algebraic", "texts": true])
        #expect(woven.texts("books", "cite_key") == ["Lovelace:1843aa"])
    }

    @Test("A backup has every paper of a reference, and copies one that changed again, and no other")
    func backupOfPapers() throws {
        let bench = try bench()
        let papers = app(bench).container.papers.appendingPathComponent("Papers/Engines")
        func run() throws -> (rows: [[String: Any]], folder: URL) {
            let done = try bench.json("backup", bench.folder.path("backup"), "--app", "BibDesk")
            #expect(done.status == 0, "\(done.object)")
            let app = try #require(done.rows("apps").first)
            let rows = try #require(app["plan"] as? [[String: Any]])
            let row = try #require(rows.first { ($0["path"] as? String)?.hasSuffix("Notes.pdf") == true })
            let folder = try #require(app["folder"] as? String) + "/" + (row["folder"] as? String ?? "")
            return (rows, URL(fileURLWithPath: folder))
        }
        func expectCopies(_ folder: URL) {
            let title = "Notes on the Analytical Engine"
            for (copy, paper) in [("\(title).pdf", "Notes.pdf"), ("\(title) - Appendix.pdf", "Appendix.pdf")]
            {
                #expect(
                    FileManager.default.contentsEqual(
                        atPath: folder.appendingPathComponent(copy).path,
                        andPath: papers.appendingPathComponent(paper).path), "\(copy)")
            }
        }
        let first = try run()
        expectCopies(first.folder)
        #expect(try run().rows.allSatisfy { $0["action"] as? String == "keep" })
        let own = first.folder.appendingPathComponent("Notes on the Analytical Engine.pdf")
        let before = try FileManager.default.attributesOfItem(atPath: own.path)[.systemFileNumber] as? Int
        try Data("%PDF-1.4 another appendix".utf8).write(to: papers.appendingPathComponent("Appendix.pdf"))
        #expect(try run().rows.compactMap { $0["action"] as? String }.filter { $0 == "fetch" }.count == 1)
        expectCopies(first.folder)
        #expect(
            try FileManager.default.attributesOfItem(atPath: own.path)[.systemFileNumber] as? Int == before)
        try FileManager.default.removeItem(
            at: first.folder.appendingPathComponent("Notes on the Analytical Engine - Appendix.pdf"))
        #expect(try bench.run("backup", "--verify", bench.folder.path("backup")).status == 1)
        #expect(try run().rows.compactMap { $0["action"] as? String }.filter { $0 == "fetch" }.count == 1)
        expectCopies(first.folder)
        #expect(try bench.run("backup", "--verify", bench.folder.path("backup")).status == 0)
    }

    @Test("A backup keeps the metadata of references without papers, and is not a failure")
    func backup() throws {
        let bench = try bench()
        func plan() throws -> [String?] {
            let done = try bench.json("backup", bench.folder.path("backup"), "--app", "BibDesk")
            #expect(done.status == 0, "\(done.object)")
            let rows = try #require(done.rows("apps").first?["plan"] as? [[String: Any]])
            return rows.map { $0["action"] as? String }
        }
        #expect(try plan() == ["fetch", "fetch", "update"])
        #expect(try plan() == ["keep", "keep", "keep"])
    }

    @Test("A file without BibTeX is refused, and a library without entries is not")
    func text() throws {
        let bench = try bench()
        let refused = try bench.json("upload", bench.file("letter.bib", "Dear reader,\n"))
        #expect(refused.status == 1)
        #expect(refused.texts("results", "message") == ["The file has no BibTeX in it."], "\(refused.object)")
        let empty = try bench.json("upload", bench.file("Empty.bib", "% mine\n"))
        #expect(empty.texts("results", "status") == ["added"], "\(empty.object)")
    }

    @Test("A damaged library on the device is named with its place, once, and what can be read is listed")
    func damaged() throws {
        let bench = try bench()
        try app(bench).add(
            Array("@misc{good, title = {Good}, bdsk-file-1 = {x.pdf}}\n@misc{cut, title = {Half".utf8),
            named: "Damaged.bib")
        let list = try bench.json("books")
        #expect(list.status == 0)
        let keys = Set(list.texts("books", "cite_key"))
        #expect(keys.isSuperset(of: ["Lovelace:1843aa", "good"]), "\(list.object)")
        let named = list.errors.components(separatedBy: "The library 'Damaged.bib' is damaged at line 2")
        #expect(named.count == 2, "\(list.errors)")
        let get = try bench.run("get", "Lovelace:1843aa", "-o", bench.folder.path("fetched"))
        #expect(get.errors.components(separatedBy: "Damaged.bib").count == 2, "\(get.errors)")
    }
}
