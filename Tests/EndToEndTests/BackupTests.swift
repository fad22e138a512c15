import Foundation
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@Suite("The books of all apps are backed up, also after interruptions")
struct BackupTests {
    private func bench() throws -> ReaderBench {
        let bench = try ReaderBench.paperback()
        try FileManager.default.removeItem(at: SimulatedReader(device: bench.device).documents)
        for (name, title) in [("pride", "Pride"), ("emma", "Emma"), ("susan", "Lady Susan")] {
            try put(bench, name, title: title)
        }
        return bench
    }

    /// Puts a book into the app's folder, like the app itself.
    private func put(_ bench: ReaderBench, _ name: String, title: String, words: String = "one") throws {
        let folder = SimulatedReader(device: bench.device).documents
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try SyncSource.book(title: title, author: "Ann Author", words: words)
            .write(to: folder.appendingPathComponent(name + ".epub"))
    }

    private func target(_ bench: ReaderBench) -> String { bench.folder.path("backup") }

    /// The only app in a document that has books.
    private func app(_ document: Document) throws -> [String: Any] {
        try #require(
            document.rows("apps").first { ($0["plan"] as? [Any])?.isEmpty == false }, "\(document.errors)")
    }

    private func actions(_ document: Document) throws -> [String] {
        (try app(document)["plan"] as? [[String: Any]] ?? []).compactMap { $0["action"] as? String }
    }

    /// The files of books in the backup, by their paths from the folder of the app.
    private func files(_ bench: ReaderBench) throws -> [String: Data] {
        var found: [String: Data] = [:]
        let root = URL(fileURLWithPath: target(bench))
        for name in try FileManager.default.subpathsOfDirectory(atPath: root.path) {
            let short = name.split(separator: "/").dropFirst(2).joined(separator: "/")
            let url = root.appendingPathComponent(name)
            guard !short.isEmpty, !short.hasPrefix("."), !short.hasSuffix("json"), !short.hasSuffix("opf"),
                try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
            else { continue }
            found[short] = try Data(contentsOf: url)
        }
        return found
    }

    @Test("The folder of one device is refused once, before the device is asked")
    func nested() throws {
        let bench = try bench()
        let first = try bench.json("backup", target(bench))
        #expect(first.status == 0, "\(first.errors)")
        let folder = try #require(try app(first)["folder"] as? String)
        let asked = bench.device.counters.requests
        let again = try bench.json("backup", (folder as NSString).deletingLastPathComponent)
        #expect(again.status != 0 && again.rows("apps").isEmpty)
        let failure = try #require(again.object["error"] as? [String: Any])
        #expect((failure["message"] as? String)?.hasPrefix("This is the folder of one device") == true)
        #expect(bench.device.counters.requests == asked)
    }

    @Test(
        "A name that begins with a combining mark is backed up like any other, and one odd book stops no others"
    )
    func oddNames() throws {
        let bench = try bench()
        try put(bench, "odd", title: "\u{301}Odd")
        let whole = try bench.json("backup", target(bench))
        #expect(whole.status == 0, "\(whole.errors)")
        #expect(try files(bench).count == 4)
        // Paperback and Books share one session with the device. Connections in the background may begin another.
        #expect(whole.rows("apps").count == 2)
        #expect(bench.device.counters.requests["lockdown.StartSession", default: 0] <= 2)
        let inTheWay = bench.folder.path("other")
        try FileManager.default.createDirectory(atPath: inTheWay, withIntermediateDirectories: true)
        let first = try bench.json("backup", inTheWay)
        let folder = try #require(try app(first)["folder"] as? String)
        let plan = try #require(try app(first)["plan"] as? [[String: Any]])
        let pride = try #require(plan.first { $0["title"] as? String == "Pride" }?["folder"] as? String)
        // A file has the name of the folder of a book.
        try FileManager.default.removeItem(atPath: folder + "/" + pride)
        try Data("x".utf8).write(to: URL(fileURLWithPath: folder + "/" + pride))
        try put(bench, "new", title: "Newcomer")
        let second = try bench.json("backup", inTheWay)
        let rows = try #require(try app(second)["results"] as? [[String: Any]])
        #expect(rows.count == 2 && second.status == 1, "\(second.errors)")
        #expect(Set(rows.compactMap { $0["status"] as? String }) == ["fetched", "failed"])
        // If nothing can be written at all, each app reports it, and so does the exit status.
        let file = bench.folder.path("file")
        try Data("x".utf8).write(to: URL(fileURLWithPath: file))
        #expect(try bench.json("backup", file).status == 73)
        #expect(try bench.json("get", "--all", "/proc").status == 73)
    }

    @Test("Books are copied once, changed ones again, and those that are gone stay")
    func everything() throws {
        let bench = try bench()
        let dry = try bench.json("backup", target(bench), "--dry-run")
        #expect(dry.status == 0 && dry["dry_run"] as? Bool == true)
        #expect(try actions(dry) == ["fetch", "fetch", "fetch"])
        #expect(!FileManager.default.fileExists(atPath: target(bench)))

        let first = try bench.json("backup", target(bench))
        #expect(first.status == 0, "\(first.errors)")
        #expect(first["device"] as? String == bench.device.settings.udid)
        let names = [
            "Ann Author/Emma/Emma.epub", "Ann Author/Lady Susan/Lady Susan.epub",
            "Ann Author/Pride/Pride.epub",
        ]
        let copies = try files(bench)
        #expect(copies.keys.sorted() == names)
        #expect(copies[names[0]] == SyncSource.book(title: "Emma", author: "Ann Author", words: "one"))

        let quiet = bench.device.fileRequests.count
        let again = try bench.json("backup", target(bench))
        #expect(try actions(again) == ["keep", "keep", "keep"])
        #expect(bench.device.fileRequests.dropFirst(quiet).allSatisfy { $0.operation != "FILE_READ" })

        try put(bench, "emma", title: "Emma", words: "second edition")
        try FileManager.default.removeItem(
            at: SimulatedReader(device: bench.device).documents.appendingPathComponent("pride.epub"))
        let changed = try bench.json("backup", target(bench))
        #expect(try actions(changed).sorted() == ["fetch", "gone", "keep"])
        #expect(
            (try app(changed)["results"] as? [[String: Any]])?.compactMap { $0["status"] as? String } == [
                "fetched"
            ])
        let now = try files(bench)
        #expect(now.keys.sorted() == names && now[names[2]] == copies[names[2]])
        #expect(
            now[names[0]] == SyncSource.book(title: "Emma", author: "Ann Author", words: "second edition"))
        let whole = try bench.json("backup", "--verify", target(bench))
        #expect(whole.status == 0 && whole["books"] as? Int == 3 && whole.rows("problems").isEmpty)
    }

    @Test("A lost manifest is rebuilt, and nothing is copied again or twice")
    func lostManifest() throws {
        let bench = try bench()
        #expect(try bench.json("backup", target(bench)).status == 0)
        let copies = try files(bench)
        let manifest = try #require(
            try FileManager.default.subpathsOfDirectory(atPath: target(bench)).first {
                $0.hasSuffix("manifest.json")
            })
        try FileManager.default.removeItem(atPath: target(bench) + "/" + manifest)
        let verified = try bench.json("backup", "--verify", target(bench))
        #expect(verified.status == 1 && verified.texts("problems", "problem") == ["missing"])
        let shown = try bench.run("backup", "--verify", target(bench))
        #expect(shown.errors.contains("Run the backup again") && !shown.errors.contains("--repair"))
        #expect(try actions(try bench.json("backup", target(bench))) == ["keep", "keep", "keep"])
        #expect(try files(bench) == copies)
        #expect(try bench.json("backup", "--verify", target(bench)).status == 0)
    }

    @Test("A damaged copy is named, and a missing one is copied again")
    func damaged() throws {
        let bench = try bench()
        #expect(try bench.json("backup", target(bench)).status == 0)
        let books = try FileManager.default.subpathsOfDirectory(atPath: target(bench))
            .filter { $0.hasSuffix(".epub") }.sorted()
        let path = target(bench) + "/" + books[0]
        var data = try Data(contentsOf: URL(fileURLWithPath: path))
        data[data.count / 2] ^= 1
        try data.write(to: URL(fileURLWithPath: path))
        try FileManager.default.removeItem(atPath: target(bench) + "/" + books[1])
        let found = try bench.json("backup", "--verify", target(bench))
        #expect(found.status == 1 && found.texts("problems", "problem") == ["damaged", "missing"])
        #expect(found.texts("problems", "path") == [path, target(bench) + "/" + books[1]])
        #expect(try actions(try bench.json("backup", target(bench))).sorted() == ["fetch", "keep", "keep"])
        #expect(try bench.json("backup", "--verify", bench.folder.path("none")).status == 66)
        #expect(try bench.run("backup", "--verify", "--dry-run", target(bench)).status == 64)
    }

    @Test("A damaged copy of the right size is copied again with --repair, and one that is gone is a failure")
    func repaired() throws {
        let bench = try bench()
        #expect(try bench.json("backup", target(bench)).status == 0)
        let whole = try files(bench)
        let books = try FileManager.default.subpathsOfDirectory(atPath: target(bench))
            .filter { $0.hasSuffix(".epub") || $0.hasSuffix("Emma/metadata.opf") }.sorted()
        func damage(_ name: String) throws {
            let place = URL(fileURLWithPath: target(bench) + "/" + name)
            var data = try Data(contentsOf: place)
            data[data.count / 2] ^= 1
            try data.write(to: place)
        }
        #expect(
            books.map { $0.split(separator: "/").last ?? "" } == [
                "Emma.epub", "metadata.opf", "Lady Susan.epub", "Pride.epub",
            ])
        try damage(books[1])
        try damage(books[2])
        #expect(try actions(try bench.json("backup", target(bench))) == ["keep", "keep", "keep"])
        let shown = try bench.json("backup", "--repair", "--dry-run", target(bench))
        #expect(try actions(shown).sorted() == ["fetch", "keep", "update"] && shown.status == 0)
        #expect(try bench.json("backup", "--verify", target(bench)).status == 1)
        let repaired = try bench.json("backup", "--repair", target(bench))
        #expect(repaired.status == 0, "\(repaired.errors)")
        #expect(try files(bench) == whole)
        #expect(try bench.json("backup", "--verify", target(bench)).status == 0)
        #expect(
            try actions(try bench.json("backup", "--repair", target(bench))) == ["keep", "keep", "keep"])

        try damage(books[3])
        try FileManager.default.removeItem(
            at: SimulatedReader(device: bench.device).documents.appendingPathComponent("pride.epub"))
        let lost = try bench.json("backup", "--repair", target(bench))
        #expect(lost.status == 1, "\(lost.errors)")
        let rows = try #require(try app(lost)["results"] as? [[String: Any]])
        #expect(rows.compactMap { $0["status"] as? String } == ["failed"])
        #expect((rows.first?["message"] as? String)?.contains("missing or damaged") == true)
        #expect(try bench.run("backup", "--verify", "--repair", target(bench)).status == 64)
    }

    @Test("Names of a hostile device stay in the folder, and no two books share one")
    func hostileNames() throws {
        let bench = try bench()
        for (name, title) in [
            ("a", "../../../../escape"), ("b", "EMMA"), ("c", "metadata"), ("d", "/etc/passwd"),
            ("e", "emma"),
        ] { try put(bench, name, title: title, words: name) }
        let document = try bench.json("backup", target(bench))
        #expect(document.status == 0, "\(document.errors)")
        let copies = try files(bench)
        #expect(copies.count == 8 && Set(copies.keys.map { $0.lowercased() }).count == 8)
        #expect(copies.keys.allSatisfy { $0.split(separator: "/").count == 3 })
        #expect(!FileManager.default.fileExists(atPath: bench.folder.path("escape")))
        #expect(try bench.json("backup", "--verify", target(bench)).status == 0)
    }

    @Test("After a cable was pulled at any request, the next run ends like an undisturbed one")
    func interrupted() throws {
        try interruptEverywhere { try bench() }
    }

    @Test("After a cable was pulled while the app gives its own covers, the next run has them as well")
    func interruptedCovers() throws {
        let covers = try interruptEverywhere {
            let books = try BooksBench(populated: false)
            // An unpacked book is packed with the times of its files, which differ from test to test.
            var library = Array(try BooksBench.library()[1...2])
            library[0].packageHash = "018FAD7D0C8E0A9B6B0AB9058D59880D"
            library[0].cover = (BooksBench.cover, .artwork)
            try books.books.populate(library, binary: [])
            return books.bench
        }
        #expect(covers.values.contains(Data(BooksBench.cover)))
    }

    /// Pulls the cable at one request after the other of a first backup, and runs the next one.
    ///
    /// - Returns: the files that each backup has in the end.
    @discardableResult
    private func interruptEverywhere(_ make: () throws -> ReaderBench) throws -> [String: Data] {
        var wanted: [String: Data] = [:]
        for place in sequence(first: 0, next: { $0 + 1 + $0 / 3 }) {
            let bench = try make()
            let count = Atomic(0)
            let (device, daemon) = (bench.device, bench.daemon)
            device.onFileRequest { _ in
                if count.add(1, ordering: .relaxed).newValue == place { daemon.detach(device) }
            }
            let cut = try bench.json("backup", target(bench))
            device.onFileRequest(nil)
            let wasCut = place > 0 && count.load(ordering: .relaxed) >= place
            if wasCut {
                daemon.attach(device)
                let next = try bench.json("backup", target(bench))
                #expect(next.status == 0, "request \(place): \(next.errors)")
            } else {
                #expect(cut.status == 0, "\(cut.errors)")
            }
            if place == 0 { wanted = try files(bench) }
            let found = try files(bench)
            let others = Set(wanted.keys).union(found.keys).filter { wanted[$0] != found[$0] }
            #expect(others.isEmpty, "request \(place): \(others.sorted())")
            #expect(try bench.json("backup", "--verify", target(bench)).status == 0, "request \(place)")
            let again = try actions(try bench.json("backup", target(bench)))
            #expect(!again.isEmpty && again.allSatisfy { $0 == "keep" }, "request \(place): \(again)")
            guard wasCut || place == 0 else {
                #expect(place > 5)
                return wanted
            }
        }
        return wanted
    }

    @Test("Books of several batches have their rows in the order of the plan, and no copy is left over")
    func manyBooks() throws {
        let bench = try bench()
        for number in 0..<200 { try put(bench, "\(number)", title: "Book \(number)") }
        let document = try bench.json("backup", target(bench))
        #expect(document.status == 0, "\(document.errors)")
        let plan = try #require(try app(document)["plan"] as? [[String: Any]])
        let rows = try #require(try app(document)["results"] as? [[String: Any]])
        #expect(rows.count == 203)
        #expect(rows.map { $0["item"] as? String } == plan.map { $0["path"] as? String })
        for row in rows {
            let (path, item) = (row["path"] as? String ?? "", row["item"] as? String ?? "")
            let source = SimulatedReader(device: bench.device).documents.appendingPathComponent(item)
            #expect(
                FileManager.default.contents(atPath: path)
                    == FileManager.default.contents(atPath: source.path))
        }
        let left = try FileManager.default.subpathsOfDirectory(atPath: target(bench))
        #expect(!left.contains { $0.contains(".overlayhost-") || $0.hasSuffix(".unfinished") })
        #expect(try bench.json("backup", "--verify", target(bench)).status == 0)
    }

    @Test("Highlights, covers and metadata of Marvin are kept, and change without the file")
    func marvin() throws {
        let bench = try ReaderBench()
        let source = try SyncSource(bench.folder.url.appendingPathComponent("source"))
        try source.put("pride.epub", title: "Pride")
        #expect(try bench.json("upload", source.path + "/pride.epub").status == 0)
        #expect(try bench.json("backup", target(bench), "--app", "Marvin").status == 0)
        #expect(try bench.json("update", "Pride", "--title", "Pride, revised", "--tag", "Novel").status == 0)
        let changed = try bench.json("backup", target(bench), "--app", "Marvin")
        #expect(try actions(changed) == ["update"], "\(changed.errors)")
        let opf = try #require(
            try FileManager.default.subpathsOfDirectory(atPath: target(bench)).first {
                $0.hasSuffix("metadata.opf")
            })
        let text = try String(contentsOfFile: target(bench) + "/" + opf, encoding: .utf8)
        #expect(
            text.contains("<dc:title>Pride, revised</dc:title>")
                && text.contains("<dc:subject>Novel</dc:subject>"))
        #expect(try bench.json("backup", "--verify", target(bench)).status == 0)
    }

    @Test("Highlights are written down for people and for programs, and again when there are more")
    func highlights() throws {
        let books = try BooksBench()
        let hash = "018FAD7D0C8E0A9B6B0AB9058D59880D"
        try books.books.write([SimulatedAnnotation(hash, text: "free software", uuid: "1")])
        let folder = books.bench.folder.path("backup")
        let first = try books.bench.json("backup", folder)
        #expect(first.status == 0, "\(first.errors)")
        let name = try #require(
            try FileManager.default.subpathsOfDirectory(atPath: folder).first {
                $0.hasSuffix("highlights.md")
            })
        #expect(try String(contentsOfFile: folder + "/" + name, encoding: .utf8).contains("> free software"))
        let cover = (folder + "/" + name).replacing("highlights.md", with: "cover.jpg")
        #expect(FileManager.default.contents(atPath: cover).map { [UInt8]($0) } == [UInt8](BooksBench.cover))
        try books.books.write([
            SimulatedAnnotation(hash, text: "free software", uuid: "1"),
            SimulatedAnnotation(hash, text: "more of it", uuid: "2"),
        ])
        let second = try books.bench.json("backup", folder)
        #expect(try actions(second).filter { $0 != "keep" } == ["update"], "\(second.errors)")
        let json = (folder + "/" + name).replacing("highlights.md", with: "highlights.json")
        #expect(try String(contentsOfFile: json, encoding: .utf8).contains("more of it"))
        #expect(try books.bench.json("backup", "--verify", folder).status == 0)
    }
}
