import Foundation
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@Suite("A folder or a calibre library is synced to a reader app, also after interruptions")
struct SyncTests {
    /// The app whose books are files in a folder, and one with its own library.
    enum Reader: String, CaseIterable { case paperback = "Paperback", marvin = "Marvin" }

    private func bench(_ reader: Reader) throws -> ReaderBench {
        switch reader {
        case .marvin: try ReaderBench()
        case .paperback:
            try ReaderBench.paperback()
        }
    }

    private func source(_ bench: ReaderBench) throws -> SyncSource {
        let source = try SyncSource(bench.folder.url.appendingPathComponent("source"))
        try source.put("Austen/pride.epub", title: "Pride")
        try source.put("sand.epub", title: "Sanditon")
        try source.put("susan.epub", title: "Lady Susan")
        return source
    }

    private func plan(_ bench: ReaderBench, _ words: String...) throws -> [String] {
        let document = try bench.json(words)
        #expect(document.status == 0, "\(document.errors)")
        return document.rows("plan").map { "\($0["action"] ?? "") \($0["item"] ?? "")" }
    }

    private func titles(_ bench: ReaderBench) throws -> [String] {
        try bench.json("books").texts("books", "title").sorted()
    }

    @Test("An empty source stops the sync of books that came from it, until the user confirms it")
    func emptied() throws {
        let bench = try bench(.paperback)
        let source = try source(bench)
        #expect(try bench.json("sync", source.path).status == 0)
        let before = try titles(bench)
        for item in ["Austen", "sand.epub", "susan.epub"] { try source.remove(item) }
        for words in [[], ["--delete"], ["--delete", "--max-delete", "1"], ["--dry-run"]] {
            let stopped = try bench.json(["sync", source.path] + words)
            #expect(stopped.status == 66, "\(stopped.object)")
            #expect(
                stopped.error("message") == "The source is empty, but 3 books on the device came from it.")
        }
        #expect(try titles(bench) == before)
        #expect(try bench.json("sync", source.path, "--yes").status == 0)
        #expect(try titles(bench) == before)
        #expect(try bench.json("sync", source.path, "--delete", "--max-delete", "3").status == 0)
        #expect(try titles(bench).count == before.count - 3)
    }

    @Test(
        "Books are added, kept, replaced, updated, and removed where that is asked for",
        arguments: Reader.allCases)
    func everything(reader: Reader) throws {
        let bench = try bench(reader)
        let source = try source(bench)
        let before = try titles(bench)

        let dry = try bench.json("sync", source.path, "--dry-run")
        #expect(dry["dry_run"] as? Bool == true && dry["results"] == nil)
        #expect(dry["app"] as? String == reader.rawValue && dry["source"] as? String == source.path)
        #expect(dry.texts("plan", "action") == ["add", "add", "add"])
        #expect(dry.texts("plan", "item") == ["Austen/pride.epub", "sand.epub", "susan.epub"])
        #expect(try titles(bench) == before)
        #expect(!FileManager.default.fileExists(atPath: bench.folder.path("state")))

        let first = try bench.json("sync", source.path)
        #expect(first.status == 0, "\(first.errors)")
        #expect(first.texts("results", "status") == ["added", "added", "added"])
        #expect(first.texts("results", "item") == ["Austen/pride.epub", "sand.epub", "susan.epub"])
        #expect(try titles(bench) == (before + ["Lady Susan", "Pride", "Sanditon"]).sorted())

        let quiet = bench.device.fileRequests.count
        let again = try bench.json("sync", source.path)
        #expect(again.texts("plan", "action") == ["keep", "keep", "keep"])
        #expect(again.rows("results").isEmpty && again.status == 0)
        #expect(
            bench.device.fileRequests.dropFirst(quiet).allSatisfy { !Self.changes.contains($0.operation) })

        try source.put("Austen/pride.epub", title: "Pride", words: "second edition")
        try source.describe("sand.opf", title: "Sanditon, a Fragment")
        try source.remove("susan.epub")
        try source.put("emma.epub", title: "Another Emma")
        #expect(
            try plan(bench, "sync", source.path, "--dry-run") == [
                "replace Austen/pride.epub", "add emma.epub", "update sand.epub", "keep susan.epub",
            ])
        let only = try plan(bench, "diff", source.path)
        #expect(
            only.count == 4 + before.count && only.count { $0.hasPrefix("only_on_device") } == before.count)
        let changed = try bench.json("sync", source.path, "--delete")
        #expect(changed.status == 0, "\(changed.errors)")
        #expect(
            changed.texts("results", "status") == ["replaced", "added", "updated", "deleted"],
            "\(changed.errors)")
        #expect(
            try titles(bench) == (before + ["Another Emma", "Pride", "Sanditon, a Fragment"]).sorted())
        #expect(try plan(bench, "sync", source.path).allSatisfy { $0.hasPrefix("keep") })
    }

    @Test("A folder that a symbolic link has replaced is not gone: its books are named and stay")
    func linked() throws {
        let bench = try bench(.paperback)
        let source = try source(bench)
        #expect(try bench.json("sync", source.path).status == 0)
        let before = try titles(bench)
        let (folder, moved) = (source.path + "/Austen", bench.folder.path("moved"))
        try FileManager.default.moveItem(atPath: folder, toPath: moved)
        try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: moved)
        try source.remove("susan.epub")
        let dry = try bench.json("sync", source.path, "--delete", "--dry-run")
        #expect(dry.status == 1)
        #expect(
            dry.rows("plan").filter { $0["fails"] as? Bool == true }.map { $0["item"] as? String }
                == ["Austen/pride.epub"])
        let held = try bench.json("sync", source.path, "--delete")
        #expect(held.status == 1 && held.texts("results", "status") == ["failed", "deleted"])
        #expect(try titles(bench) == before.filter { $0 != "Lady Susan" })
        #expect(try bench.json("sync", source.path).status == 0)
        try source.remove("Austen")
        #expect(try bench.json("sync", source.path, "--delete").texts("results", "status") == ["deleted"])
    }

    @Test("A changed file with the content of a book that was there before does not make it the source's")
    func foundElsewhere() throws {
        let bench = try bench(.paperback)
        let source = try source(bench)
        let own = bench.folder.url.appendingPathComponent("own.epub")
        try SyncSource.book(title: "Own", author: "Ann Author", words: "mine").write(to: own)
        #expect(try bench.json("upload", own.path).texts("results", "status") == ["added"])
        #expect(try bench.json("sync", source.path).status == 0)
        // The same bytes as the earlier book.
        try source.put("sand.epub", title: "Own", words: "mine")
        #expect(try bench.json("sync", source.path).status == 0)
        #expect(try titles(bench).contains("Sanditon"))
        // The copy that it left behind came from the source.
        let cleared = try bench.json("sync", source.path, "--delete")
        #expect(cleared.status == 0 && cleared.texts("results", "status") == ["deleted"], "\(cleared.errors)")
        #expect(try titles(bench).filter { ["Own", "Sanditon"].contains($0) } == ["Own"])
        try source.remove("sand.epub")
        #expect(try bench.json("sync", source.path, "--delete").status == 0)
        #expect(try titles(bench).contains("Own"))
    }

    @Test(
        "Books that the app changed as well are named and left alone, and foreign books are never removed",
        arguments: Reader.allCases)
    func conflicts(reader: Reader) throws {
        let bench = try bench(reader)
        let source = try source(bench)
        #expect(try bench.json("upload", source.path + "/susan.epub").texts("results", "status") == ["added"])
        #expect(try bench.json("sync", source.path).texts("results", "status") == ["added", "added"])
        let path = try #require(
            try bench.json("books").rows("books").first { $0["title"] as? String == "Pride" }?["path"]
                as? String)
        #expect(try bench.json("update", path, "--title", "Mine").status == 0)
        try source.put("Austen/pride.epub", title: "Pride", words: "second edition")
        try source.remove("susan.epub")
        for isFirst in [true, false] {
            let result = try bench.json("sync", source.path, "--delete")
            // The book that was on the device before is named once.
            #expect(result.texts("plan", "action") == ["conflict", "keep"] + (isFirst ? ["keep"] : []))
            #expect(result.texts("plan", "reason").contains { $0.contains("counts as your own") } == isFirst)
            #expect(result.texts("results", "status") == ["skipped"] && result.status == 1)
        }
        #expect(try titles(bench).filter { ["Lady Susan", "Mine", "Sanditon"].contains($0) }.count == 3)
    }

    @Test("--prefer decides conflicts for one side, and the next sync is silent", arguments: Reader.allCases)
    func preferred(reader: Reader) throws {
        for side in ["source", "device"] {
            let bench = try bench(reader)
            let source = try source(bench)
            #expect(try bench.json("sync", source.path).status == 0)
            #expect(try bench.json("update", "Pride", "--title", "Mine").status == 0)
            try source.put("Austen/pride.epub", title: "Pride", words: "second edition")
            #expect(try bench.json("sync", source.path).status == 1)
            let action = side == "source" ? "replace" : "keep"
            let dry = try bench.run("sync", source.path, "--prefer", side, "--dry-run")
            #expect(dry.status == 0 && dry.output.contains("\(action)  Austen/pride.epub"), "\(dry.output)")
            #expect(
                try bench.json("sync", source.path, "--dry-run").texts("plan", "action").contains("conflict"))
            let decided = try bench.json("sync", source.path, "--prefer", side)
            #expect(
                decided.status == 0 && decided.texts("plan", "action").first == action, "\(decided.errors)")
            #expect(try titles(bench).contains(side == "source" ? "Pride" : "Mine"))
            let next = try bench.json("sync", source.path)
            #expect(next.status == 0 && next.texts("plan", "reason").isEmpty, "\(side): \(next.object)")
            #expect(Set(next.texts("plan", "action")) == ["keep"], "\(side)")
        }
        let bench = try bench(reader)
        #expect(try bench.run("sync", bench.folder.path, "--prefer", "both").status == 64)
    }

    @Test("A book that the app takes in no format is named in the plan, and the sync does not fail")
    func unsupported() throws {
        let bench = try bench(.marvin)
        let source = try source(bench)
        try source.put("Austen/emma.mobi", title: "x")
        let dry = try bench.run("sync", source.path, "--dry-run")
        #expect(dry.status == 0)
        #expect(
            dry.output.contains(
                "unsupported  Austen/emma.mobi  (None of its formats can be synced to Marvin: MOBI.)"))
        #expect(dry.errors.contains("1 in no format that can be synced"), "\(dry.errors)")
        let result = try bench.json("sync", source.path)
        #expect(result.status == 0)
        #expect(result.texts("plan", "action") == ["add", "add", "add", "unsupported"])
        #expect(result.texts("results", "status") == ["added", "added", "added"])
        let row = try #require(result.rows("plan").last)
        #expect(row["path"] is NSNull && row["bytes"] as? Int == 0)
    }

    @Test("A calibre library without its database is a failure, unless it is to be read as a folder")
    func lostLibrary() throws {
        let bench = try bench(.paperback)
        let source = try source(bench)
        try FileManager.default.createDirectory(
            atPath: source.path + "/.caltrash", withIntermediateDirectories: true)
        for words in [["sync"], ["sync", "--dry-run"], ["diff"]] {
            let refused = try bench.json(words + [source.path])
            #expect(refused.status == 66 && refused.error("subject")?.hasSuffix("metadata.db") == true)
        }
        let first = try bench.json("sync", source.path, "--as-folder")
        #expect(first.texts("results", "status") == ["added", "added", "added"], "\(first.errors)")
        // From then on it is known as a folder.
        #expect(try plan(bench, "sync", source.path).allSatisfy { $0.hasPrefix("keep") })
    }

    @Test("A source that is treated in another way than last time is synced once before anything is removed")
    func otherKind() throws {
        let bench = try bench(.paperback)
        let source = try SyncSource.library(bench)
        #expect(try bench.json("sync", source.path, "--as-folder").status == 0)
        for words in [["--delete"], ["--search", "tag:x"]] {
            let refused = try bench.json(["sync", source.path] + words)
            #expect(
                refused.status == 64 && refused.error("hint")?.contains("once without") == true, "\(words)")
        }
        let before = try titles(bench).count
        #expect(try bench.json("sync", source.path).status == 0)
        let last = try plan(bench, "sync", source.path, "--delete")
        #expect(!last.contains { $0.hasPrefix("remove") }, "\(last)")
        #expect(try titles(bench).count >= before)
    }

    @Test("Names that differ only in their Unicode form, or begin with a combining mark, are all sent")
    func unicodeNames() throws {
        let bench = try bench(.marvin)
        let source = try source(bench)
        try source.put("caf\u{E9}.epub", title: "Composed")
        try source.put("cafe\u{301}.epub", title: "Decomposed")
        try source.put("\u{301}folder/\u{301}x.epub", title: "Marked")
        let first = try bench.json("sync", source.path)
        #expect(first.status == 0 && first.texts("results", "status").count == 6, "\(first.errors)")
        #expect(try Set(["Composed", "Decomposed", "Marked"]).isSubset(of: titles(bench)))
        #expect(try plan(bench, "sync", source.path).allSatisfy { $0.hasPrefix("keep") })
    }

    @Test("A book that a person rated in the app after the last sync is not removed")
    func rated() throws {
        let bench = try bench(.marvin)
        let source = try source(bench)
        #expect(try bench.json("sync", source.path).status == 0)
        #expect(try plan(bench, "sync", source.path, "--dry-run").allSatisfy { $0.hasPrefix("keep") })
        #expect(try bench.json("update", "Lady Susan", "--rating", "5").status == 0)
        try source.remove("susan.epub")
        let result = try bench.json("sync", source.path, "--delete")
        #expect(result.texts("plan", "action") == ["keep", "keep", "conflict"] && result.status == 1)
        #expect(try titles(bench).contains("Lady Susan"))
    }

    @Test("Without a state nothing is sent twice; an empty source removes nothing unless the user insists")
    func lostState() throws {
        let bench = try bench(.paperback)
        let source = try source(bench)
        #expect(try bench.json("sync", source.path).status == 0)
        let all = try titles(bench)
        try FileManager.default.removeItem(atPath: bench.folder.path("state"))
        #expect(
            try plan(bench, "sync", source.path) == [
                "keep Austen/pride.epub", "keep sand.epub", "keep susan.epub",
            ])
        try source.put("new.epub", title: "Newcomer")
        #expect(try bench.json("sync", source.path).texts("results", "status") == ["added"])
        for item in ["Austen", "sand.epub", "susan.epub", "new.epub"] { try source.remove(item) }
        let refused = try bench.json("sync", source.path, "--delete")
        #expect(refused.status == 66 && refused.error("code") == "input_unreadable")
        #expect(
            try bench.json("sync", source.path, "--delete", "--max-delete", "1").texts("results", "item") == [
                "new.epub"
            ])
        #expect(try titles(bench) == all)
    }

    // MARK: interruptions

    private static let changes: Set<String> = [
        "FILE_WRITE", "RENAME_PATH", "REMOVE_PATH", "REMOVE_PATH_AND_CONTENTS", "MAKE_DIR", "TRUNCATE_FILE",
    ]

    @Test(
        "After a cable was pulled at any changing request, the next run ends like an undisturbed one",
        arguments: Reader.allCases)
    func interrupted(reader: Reader) throws {
        var wanted: [String] = []
        // Tries each of the first requests, and then fewer, because every try takes several runs of the program.
        for place in sequence(first: 0, next: { $0 + 1 + $0 / 3 }) {
            let bench = try bench(reader)
            let source = try source(bench)
            #expect(try bench.json("sync", source.path).status == 0)
            try source.put("Austen/pride.epub", title: "Pride", words: "second edition")
            try source.describe("sand.opf", title: "Sanditon, a Fragment")
            try source.remove("susan.epub")
            try source.put("emma.epub", title: "Another Emma")
            let count = Atomic(0)
            let (device, daemon) = (bench.device, bench.daemon)
            device.onFileRequest { request in
                guard Self.changes.contains(request.operation) else { return }
                if count.add(1, ordering: .relaxed).newValue == place { daemon.detach(device) }
            }
            let cut = try bench.json("sync", source.path, "--delete")
            device.onFileRequest(nil)
            let wasCut = place > 0 && count.load(ordering: .relaxed) >= place
            if wasCut {
                daemon.attach(device)
                let next = try bench.json("sync", source.path, "--delete")
                #expect(next.status == 0, "request \(place): \(next.errors)")
            } else {
                #expect(cut.status == 0, "\(cut.errors)")
            }
            let found = try titles(bench)
            if place == 0 { wanted = found }
            #expect(found == wanted, "request \(place)")
            #expect(
                try plan(bench, "sync", source.path, "--delete").allSatisfy { $0.hasPrefix("keep") },
                "request \(place)")
            // All of them came from this source, including books that an interrupted run sent.
            for item in ["Austen", "sand.epub", "emma.epub"] { try source.remove(item) }
            let removal = try bench.json("sync", source.path, "--delete", "--max-delete", "3", "--dry-run")
            #expect(removal.texts("plan", "action") == ["remove", "remove", "remove"], "request \(place)")
            guard wasCut || place == 0 else {
                #expect(place > 5)
                return
            }
        }
    }

    // MARK: calibre

    @Test("A calibre library's metadata wins over the file's, and its changes reach Marvin without the file")
    func calibre() throws {
        let bench = try bench(.marvin)
        let source = try SyncSource.library(bench)
        #expect(
            try bench.run(
                "prefs", "set", "cc_mappings",
                ##"{"My Library": {"marvin_collections": {"field": "#shelf", "combobox": "Shelf"}}}"##
            ).status == 0)
        try source.change(
            "INSERT INTO custom_column_1 (value) VALUES ('Best'); INSERT INTO books_custom_column_1_link (book, value) VALUES (1, 1)"
        )
        let tagged = try bench.json("sync", source.path, "--search", "tag:novel")
        #expect(tagged.texts("results", "item") == ["Jane Austen/2/book.epub"], "\(tagged.errors)")
        let all = try bench.json("sync", source.path)
        #expect(all.texts("results", "status") == ["added"], "\(all.errors)")
        let book = try #require(
            try bench.json("books").rows("books").first { $0["title"] as? String == "Emma of Calibre" })
        #expect(book["authors"] as? [String] == ["Jane Austen"])
        #expect((book["collections"] as? [String])?.contains("Best") == true)
        #expect(try plan(bench, "sync", source.path).allSatisfy { $0.hasPrefix("keep") })

        try source.change("UPDATE books SET title = 'Emma, revised' WHERE id = 1")
        let quiet = bench.device.fileRequests.count
        let changed = try bench.json("sync", source.path)
        #expect(changed.texts("plan", "action") == ["update", "keep"])
        #expect(changed.texts("results", "status") == ["updated"], "\(changed.errors)")
        #expect(try titles(bench).contains("Emma, revised"))
        #expect(
            !bench.device.fileRequests.dropFirst(quiet).contains {
                $0.path?.hasSuffix(".epub") == true && $0.operation == "FILE_WRITE"
            })
        // A book that a search leaves out does not count as removed.
        #expect(
            try plan(bench, "sync", source.path, "--search", "tag:novel", "--delete") == [
                "keep Jane Austen/2/book.epub"
            ])
        try source.change("DELETE FROM books WHERE id = 1")
        #expect(try bench.json("sync", source.path, "--delete").texts("results", "status") == ["deleted"])
        try source.remove("metadata.db")
        let lost = try bench.json("sync", source.path, "--delete")
        #expect(lost.status == 66 && lost.error("subject")?.hasSuffix("metadata.db") == true)
        #expect(try titles(bench).contains("Persuasion"))
    }

    @Test("Each mistake with the source has its own error")
    func mistakes() throws {
        let bench = try bench(.paperback)
        let source = try source(bench)
        #expect(try bench.json("sync", bench.folder.path("none")).status == 66)
        #expect(try bench.json("sync", source.path, "--search", "tag:x").status == 64)
        #expect(try bench.run("sync").status == 64)
        try source.put("empty.epub", title: "x")
        try Data().write(to: source.url.appendingPathComponent("empty.epub"))
        let result = try bench.json("sync", source.path)
        #expect(result.status == 1)
        #expect(result.texts("results", "status") == ["added", "failed", "added", "added"])
    }
}
