import Foundation
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@Suite("A sync that failed or was cut off loses no change and no conflict")
struct SyncRecoveryTests {
    private func bench(_ reader: SyncTests.Reader) throws -> ReaderBench {
        switch reader {
        case .marvin: try ReaderBench()
        case .paperback:
            try ReaderBench(marvin: false) {
                $0.iosVersion = "17.0"
                $0.apps = [SimulatedReader.paperback()]
            }
        }
    }

    private static let changes: Set<String> = ["FILE_WRITE", "RENAME_PATH", "REMOVE_PATH", "MAKE_DIR"]

    /// Runs a sync that gets a signal after a changing request; returns false if it made fewer of them.
    private func sync(_ source: SyncSource, _ bench: ReaderBench, _ signal: Int32, at number: Int) throws
        -> Bool
    {
        let state = Mutex((requests: 0, process: Int32(0)))
        let isStarted = DispatchSemaphore(value: 0)
        bench.device.onFileRequest { request in
            guard Self.changes.contains(request.operation) else { return }
            let count = state.withLock { state in
                state.requests += 1
                return state.requests
            }
            guard count == number else { return }
            isStarted.wait()
            kill(state.withLock { $0.process }, signal)
        }
        defer { bench.device.onFileRequest(nil) }
        let program = try bench.start("sync", source.path)
        state.withLock { $0.process = program.identifier }
        isStarted.signal()
        _ = program.wait()
        return state.withLock { $0.requests } >= number
    }

    @Test(
        "Books that a calibre library describes have its titles and tags, wherever the run before ended",
        arguments: SyncTests.Reader.allCases, [SIGKILL, SIGINT])
    func metadata(reader: SyncTests.Reader, signal: Int32) throws {
        let bench = try bench(reader)
        let source = try SyncSource.library(bench)
        #expect(try bench.json("sync", source.path).status == 0)
        var wasCut = true
        for number in 1...60 where wasCut {
            // One book is replaced and one is new.
            try source.put(
                "Jane Austen/2/book.epub", title: "Title in the file", author: "X", words: "edition \(number)"
            )
            try source.insert(10 + number, "Novel \(number)")
            try source.change("INSERT INTO books_tags_link (book, tag) VALUES (\(10 + number), 1)")
            wasCut = try sync(source, bench, signal, at: number)
            let planned = try bench.json("sync", source.path, "--dry-run").texts("plan", "action")
            let next = try bench.json("sync", source.path)
            #expect(next.status == 0, "request \(number): \(next.errors)")
            // The plan stays what it was, even if the run then finds that an app has a book already.
            #expect(next.texts("plan", "action") == planned, "request \(number)")
            let books = try bench.json("books").rows("books")
            for title in ["Persuasion", "Novel \(number)"] {
                let found = books.filter { $0["title"] as? String == title }
                #expect(found.count == 1, "request \(number): \(title)")
                #expect(found.first?["tags"] as? [String] == ["Novel"], "request \(number): \(title)")
                #expect(
                    found.first?["authors"] as? [String] == ["Jane Austen"], "request \(number): \(title)")
            }
            #expect(
                !books.contains { $0["title"] as? String == "Title in the file" }, "request \(number)")
            let last = try bench.json("sync", source.path, "--delete", "--dry-run")
            #expect(Set(last.texts("plan", "action")) == ["keep"], "request \(number): \(last.object)")
        }
        #expect(!wasCut)
    }

    @Test(
        "A book whose file, title and author change together replaces its own copy, as the plan says",
        arguments: SyncTests.Reader.allCases)
    func changedAsAWhole(reader: SyncTests.Reader) throws {
        let bench = try bench(reader)
        let source = try SyncSource.library(bench)
        #expect(try bench.json("sync", source.path).status == 0)
        let count = try bench.json("books").rows("books").count
        try source.change(
            """
            UPDATE books SET title = 'Sanditon' WHERE id = 2;
            UPDATE books_authors_link SET author = 2 WHERE book = 2;
            """)
        try source.put("Jane Austen/2/book.epub", title: "Other", author: "Y", words: "another edition")
        let changed = try bench.json("sync", source.path)
        #expect(changed.texts("plan", "action") == ["keep", "replace"])
        #expect(changed.texts("results", "status") == ["replaced"], "\(changed.object)")
        let books = try bench.json("books").rows("books")
        #expect(books.count == count)
        #expect(
            books.first { $0["title"] as? String == "Sanditon" }?["authors"] as? [String] == ["Ann Author"])
        #expect(!books.contains { $0["title"] as? String == "Persuasion" })
    }

    @Test(
        "A conflict that could not be decided, because the device is full, is a conflict again",
        arguments: SyncTests.Reader.allCases)
    func undecided(reader: SyncTests.Reader) throws {
        let bench = try bench(reader)
        let source = try SyncSource(bench.folder.url.appendingPathComponent("source"))
        try source.put("pride.epub", title: "Pride")
        #expect(try bench.json("sync", source.path).status == 0)
        #expect(try bench.json("update", "Pride", "--title", "Mine").status == 0)
        try source.put("pride.epub", title: "Pride", words: "second edition")
        let free = bench.device.settings.freeBytes
        try bench.device.update { $0.freeBytes = 100 }
        let failed = try bench.json("sync", source.path, "--prefer", "source")
        #expect(failed.status == 73, "\(failed.object)")
        try bench.device.update { $0.freeBytes = free }
        for _ in 0..<2 {
            let next = try bench.json("sync", source.path)
            #expect(next.status == 1 && next.texts("plan", "action") == ["conflict"], "\(next.object)")
        }
        #expect(try bench.json("books").texts("books", "title").contains("Mine"))
    }

    @Test("A conflict whose decision was cut off is a conflict again", arguments: [SIGKILL, SIGINT])
    func cutOffDecision(signal: Int32) throws {
        let bench = try bench(.paperback)
        let source = try SyncSource(bench.folder.url.appendingPathComponent("source"))
        try source.put("pride.epub", title: "Pride")
        #expect(try bench.json("sync", source.path).status == 0)
        #expect(try bench.json("update", "Pride", "--title", "Mine").status == 0)
        try source.put("pride.epub", title: "Pride", words: "second edition")
        let process = Mutex<Int32>(0)
        let isStarted = DispatchSemaphore(value: 0)
        let isFirst = Mutex(true)
        bench.device.onFileRequest { request in
            let isMeant =
                Self.changes.contains(request.operation)
                && isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
            guard isMeant else { return }
            isStarted.wait()
            kill(process.withLock { $0 }, signal)
        }
        let program = try bench.start("sync", source.path, "--prefer", "source")
        process.withLock { $0 = program.identifier }
        isStarted.signal()
        _ = program.wait()
        bench.device.onFileRequest(nil)
        #expect(try bench.json("sync", source.path).texts("plan", "action") == ["conflict"])
        #expect(try bench.json("books").texts("books", "title").contains("Mine"))
    }

    @Test("Of two books with one uuid, only the one that is gone from the library is removed")
    func sharedUUID() throws {
        let bench = try bench(.marvin)
        let source = try SyncSource.library(bench)
        let uuid = "aaaaaaaa-0000-4000-8000-000000000001"
        try source.insert(4, "First", uuid: uuid)
        try source.insert(5, "Second", uuid: uuid)
        #expect(try bench.json("sync", source.path).status == 0)
        try source.change("DELETE FROM books WHERE id = 4")
        let cleared = try bench.json("sync", source.path, "--delete")
        #expect(cleared.texts("plan", "action") == ["keep", "keep", "keep", "remove"], "\(cleared.object)")
        let titles = try bench.json("books").texts("books", "title")
        #expect(titles.contains("Second") && !titles.contains("First"))
        #expect(
            try bench.json("sync", source.path, "--delete").texts("plan", "action") == [
                "keep", "keep", "keep",
            ])
    }

    @Test("A rating that is gone from the library goes from the device; one that only the device has stays")
    func rating() throws {
        let bench = try bench(.marvin)
        let source = try SyncSource.library(bench)
        try source.change(
            "INSERT INTO ratings (rating) VALUES (8); INSERT INTO books_ratings_link (book, rating) VALUES (1, 1)"
        )
        #expect(try bench.json("sync", source.path).status == 0)
        #expect(try bench.json("update", "Persuasion", "--rating", "5").status == 0)
        func ratings() throws -> [String: Double] {
            Dictionary(
                try bench.json("books").rows("books").compactMap { row in
                    (row["rating"] as? Double).map { (row["title"] as? String ?? "", $0) }
                }, uniquingKeysWith: { first, _ in first })
        }
        #expect(try ratings()["Emma of Calibre"] == 4 && ratings()["Persuasion"] == 5)
        try source.change("DELETE FROM books_ratings_link")
        let next = try bench.json("sync", source.path)
        #expect(next.texts("plan", "action") == ["update", "keep"], "\(next.object)")
        #expect(try ratings()["Emma of Calibre"] == nil && ratings()["Persuasion"] == 5)
        #expect(try bench.json("sync", source.path).rows("results").isEmpty)
    }

    @Test("A file that is moved and changed replaces its copy, and a conflict stays one under another name")
    func movedAndChanged() throws {
        let bench = try bench(.paperback)
        let source = try SyncSource(bench.folder.url.appendingPathComponent("source"))
        try source.put("pride.epub", title: "Pride")
        try source.put("sand.epub", title: "Sanditon")
        #expect(try bench.json("sync", source.path).status == 0)
        try source.remove("pride.epub")
        try source.put("Austen/pride.epub", title: "Pride", words: "second edition")
        let moved = try bench.json("sync", source.path)
        #expect(moved.texts("plan", "action") == ["replace", "keep"], "\(moved.object)")
        #expect(moved.texts("results", "status") == ["replaced"])
        #expect(try bench.json("sync", source.path).texts("plan", "reason").isEmpty)

        // The app writes into its copy.
        let documents = bench.device.containerFolder(of: SimulatedReader.paperback().bundleID)
            .appendingPathComponent("Documents")
        try SyncSource.book(title: "Sanditon", author: "Ann Author", words: "with notes").write(
            to: documents.appendingPathComponent("Sanditon.epub"))
        try source.put("sand.epub", title: "Sanditon", words: "second edition")
        #expect(try bench.json("sync", source.path).texts("plan", "action") == ["keep", "conflict"])
        try source.remove("sand.epub")
        try source.put("sanditon.epub", title: "Sanditon", words: "second edition")
        #expect(try bench.json("sync", source.path).texts("plan", "action") == ["keep", "conflict"])
        let decided = try bench.json("sync", source.path, "--prefer", "source", "--yes")
        #expect(decided.texts("results", "status") == ["replaced"], "\(decided.object)")
        #expect(Set(try bench.json("sync", source.path).texts("plan", "action")) == ["keep"])
    }

    @Test(
        "A file that is on the device under a title that was changed in the app is kept",
        arguments: SyncTests.Reader.allCases)
    func retitled(reader: SyncTests.Reader) throws {
        let bench = try bench(reader)
        let source = try SyncSource(bench.folder.url.appendingPathComponent("source"))
        try source.put("pride.epub", title: "Pride")
        #expect(try bench.json("upload", source.path + "/pride.epub").status == 0)
        let author = reader == .marvin ? ["--author", "Me"] : []
        #expect(
            try bench.json(["update", "Pride", "--title", "Called by me"] + author).status == 0)
        let shown = try bench.json("diff", source.path)
        #expect(shown.rows("plan").first?["action"] as? String == "keep", "\(shown.object)")
        #expect(
            !shown.rows("plan").contains {
                $0["action"] as? String == "only_on_device"
                    && $0["path"] as? String == shown.rows("plan").first?["path"] as? String
            })
        let next = try bench.json("sync", source.path)
        #expect(next.status == 0 && next.rows("results").isEmpty)
        #expect(try bench.json("books").texts("books", "title").contains("Called by me"))
    }

    @Test("A sidecar that cannot be read is reported once by the sync that reads it")
    func brokenSidecar() throws {
        let bench = try bench(.paperback)
        let source = try SyncSource(bench.folder.url.appendingPathComponent("source"))
        try source.put("pride.epub", title: "Pride")
        #expect(try bench.json("sync", source.path).status == 0)
        for item in ["pride", "sand"] {
            try Data("<broken".utf8).write(to: source.url.appendingPathComponent(item + ".opf"))
        }
        try source.put("sand.epub", title: "Sanditon")
        let result = try bench.run("sync", source.path)
        #expect(result.status == 0)
        for item in ["pride", "sand"] {
            let said = result.errors.split(separator: "\n").count { $0.contains("/\(item).opf") }
            #expect(said == 1, "\(item): \(result.errors)")
        }
    }
}
