import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("serve answers a client's requests, and its messages are those of the schema")
struct ServeTests {
    /// An iPad with Marvin, which has a book, and with an app that shares its files.
    static func bench(books: [URL] = []) throws -> ReaderBench {
        try ReaderBench(books: books) { $0.apps.append(SimulatedReader.paperback()) }
    }

    @Test("Each method has its schemas, and each schema its method")
    func methods() throws {
        let client = try ServeClient(Self.bench(), greeting: nil)
        let greeting = try client.call(
            "initialize", ["protocol_version": 1, "client": ["name": "tests", "version": "1"]])
        #expect((greeting["server"] as? [String: Any])?["name"] as? String == "overlayhost")
        let capabilities = try #require(greeting["capabilities"] as? [String: Any])
        let methods = try #require(capabilities["methods"] as? [String]).map { $0.replacing("$/", with: "") }
        let notifications = try #require(capabilities["notifications"] as? [String])
        let names = try MessageSchema().names
        #expect(Set(names.filter { $0.hasSuffix(".params") }) == Set(methods.map { $0 + ".params" }))
        #expect(Set(names.filter { $0.hasSuffix(".result") }) == Set(methods.map { $0 + ".result" }))
        #expect(
            Set(names.filter { $0.hasSuffix(".notification") })
                == Set(notifications.map { $0 + ".notification" }))
        #expect(try client.call("shutdown").isEmpty)
        #expect(client.wait() == 0)
    }

    @Test("The documents are those of the commands")
    func documents() throws {
        let bench = try Self.bench(books: [RealBooks.history("en")])
        let client = try ServeClient(bench)
        let session = try client.open("Marvin")
        for method in ["devices", "apps", "overlays"] {
            #expect(try text(client.call(method)) == text(bench.json(method).object))
        }
        let books = try client.call("books", ["session": session])
        let listed = try bench.json("books", "--app", "Marvin")
        #expect(try text(books.rows("books")) == text(listed.rows("books")))
        #expect(books["complete"] as? Bool == true)
        let path = try #require(listed.texts("books", "path").first)
        let info = try client.call("info", ["session": session, "book": path])
        #expect(try text(info) == text(bench.json("info", path, "--app", "Marvin").object))
        let detail = try client.call("overlays", ["overlay": "Marvin"]).rows("overlays")
        #expect(try text(detail) == text([bench.json("overlays", "Marvin").object]))
        #expect(try text(client.call("prefs.list")) == text(bench.json("prefs", "list").object))
    }

    private func text(_ document: Any) throws -> String {
        String(
            decoding: try JSONSerialization.data(withJSONObject: document, options: .sortedKeys),
            as: UTF8.self)
    }

    @Test("A book is sent with what the client knows of it, changed, fetched and deleted")
    func roundTrip() throws {
        let bench = try Self.bench()
        let client = try ServeClient(bench)
        let session = try client.open("Marvin")
        let mark = try #require(try client.call("books", ["session": session])["mark"] as? String)
        let uuid = "11111111-2222-4333-8444-555555555555"
        let cover = bench.folder.path("cover.png")
        try Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]).write(
            to: URL(fileURLWithPath: cover))
        let id = try client.send(
            "upload",
            [
                "session": session, "on_conflict": "replace", "collections": ["New"],
                "books": [
                    [
                        "file": try RealBooks.history("de").path, "name": "Emma - Jane Austen.epub",
                        "uuid": uuid, "cover": cover,
                        "metadata": [
                            "title": "Emma", "authors": ["Jane Austen"], "series": "Novels",
                            "series_index": 4, "tags": ["Classics"],
                        ],
                    ]
                ],
            ])
        let upload = try client.result(id)
        #expect(upload.texts("results", "status") == ["added"])
        let sent = try #require(upload.rows("results").first?["book"] as? [String: Any])
        #expect(sent["uuid"] as? String == uuid)
        #expect(sent["title"] as? String == "Emma")
        #expect(sent["authors"] as? [String] == ["Jane Austen"])
        #expect(sent["series"] as? String == "Novels")
        #expect((upload["space"] as? [String: Any])?["free"] as? Int ?? 0 > 0)
        // The row came before the answer.
        let messages = try client.messages()
        let row = messages.firstIndex { $0["method"] as? String == "row" }
        let answer = messages.firstIndex { $0["id"] as? Int == id }
        #expect(try #require(row) < #require(answer))

        let changes = try client.call("books", ["session": session, "since": mark])
        #expect(changes["complete"] as? Bool == false)
        #expect(changes.texts("books", "uuid") == [uuid])

        let update = try client.call(
            "update",
            [
                "session": session,
                "books": [["book": uuid, "changes": ["title": "Emma, annotated", "tags": [String]()]]],
            ])
        #expect(update.texts("results", "status") == ["updated"])
        let changed = try #require(update.rows("results").first?["book"] as? [String: Any])
        #expect(changed["title"] as? String == "Emma, annotated")

        let collections = try client.call(
            "collections", ["session": session, "books": [uuid], "add": ["Shelf"], "remove": ["New"]])
        #expect(collections.texts("results", "status") == ["updated"])
        // Both of two changes to one book count.
        let both = try client.call(
            "update",
            [
                "session": session,
                "books": [
                    ["book": uuid, "changes": ["title": "Emma twice"]],
                    ["book": uuid, "changes": ["publisher": "Murray"]],
                ],
            ])
        #expect(both.texts("results", "status") == ["updated", "updated"])
        let twice = try #require(both.rows("results").first?["book"] as? [String: Any])
        #expect(twice["title"] as? String == "Emma twice" && twice["publisher"] as? String == "Murray")
        let names = try client.call("collections", ["session": session]).texts("collections", "name")
        #expect(names.contains("Shelf") && !names.contains("New"))

        let folder = bench.folder.path("fetched")
        let get = try client.call("get", ["session": session, "books": [uuid], "folder": folder])
        #expect(get.texts("results", "status") == ["fetched"])
        let file = try #require(get.texts("results", "path").first)
        #expect(FileManager.default.fileExists(atPath: file))

        let deletion = try client.call(
            "delete", ["session": session, "books": [uuid, "no such book", uuid]])
        #expect(deletion.texts("results", "status") == ["deleted", "failed", "skipped"])
        let after = try client.call("books", ["session": session, "since": mark])
        #expect(after.rows("books").isEmpty)
        #expect(try client.call("annotations", ["session": session]).rows("books").isEmpty)
    }

    @Test("A change that the app cannot make is refused by its name, and nothing is changed")
    func refusedChange() throws {
        let client = try ServeClient(Self.bench())
        let session = try client.open("Paperback")
        let book = try #require(try client.call("books", ["session": session]).texts("books", "path").first)
        let error = try client.failure(
            "update",
            [
                "session": session,
                "books": [
                    ["book": book, "changes": ["title": "Changed"]],
                    ["book": book, "changes": ["locked": true]],
                ],
            ])
        #expect(error.code == "not_supported" && error.subject == "locked")
        let after = try client.call("books", ["session": session])
        #expect(!after.texts("books", "title").contains("Changed"))
    }

    @Test("With paths_only a book is found by its path alone, and not by a title that is the same")
    func pathsOnly() throws {
        let bench = try Self.bench()
        let client = try ServeClient(bench)
        let session = try client.open("Paperback")
        let books = try client.call("books", ["session": session]).rows("books")
        let book = try #require(books.first { $0["path"] as? String == "Emma.epub" })
        let title = try #require(book["title"] as? String)
        func named(_ names: [String]) -> [String: Any] {
            ["session": session, "books": names, "paths_only": true]
        }
        let deletion = try client.call("delete", named([title, "gone.epub"]))
        #expect(deletion.texts("results", "code") == ["not_found", "not_found"])
        #expect(deletion.texts("results", "item") == [title, "gone.epub"])
        let changes: [String: Any] = [
            "session": session, "paths_only": true, "books": [["book": title, "changes": ["title": "X"]]],
        ]
        #expect(try client.call("update", changes).texts("results", "code") == ["not_found"])
        var copying = named(["Emma.epub", title])
        copying["folder"] = bench.folder.path("fetched")
        #expect(try client.call("get", copying).texts("results", "status") == ["fetched", "failed"])
        // A missing book does not keep others from their annotations.
        #expect(try client.call("annotations", named(["gone.epub", "Emma.epub"]))["books"] != nil)
        #expect(try client.call("books", ["session": session]).rows("books").count == books.count)
        #expect(try client.call("delete", named(["Emma.epub"])).texts("results", "status") == ["deleted"])
    }

    @Test(
        "Changes since a mark are reported, and a client that asks only for its own costs no requests"
    )
    func marks() throws {
        let bench = try Self.bench()
        let client = try ServeClient(bench)
        let session = try client.open("Paperback")
        let all = try client.call("books", ["session": session])
        let mark = try #require(all["mark"] as? String)
        #expect(all.rows("books").count == 4)

        let before = bench.device.fileRequests.count
        let nothing = try client.call("books", ["session": session, "since": mark, "cached": true])
        #expect(nothing.rows("books").isEmpty && nothing["mark"] as? String == mark)
        #expect(bench.device.fileRequests.count == before)

        // Another program adds one book and deletes another.
        #expect(try bench.run("upload", RealBooks.history("fr").path, "--app", "Paperback").status == 0)
        #expect(try bench.run("delete", "Emma.epub", "--yes", "--app", "Paperback").status == 0)
        let unseen = try client.call("books", ["session": session, "since": mark, "cached": true])
        #expect(unseen.rows("books").isEmpty)
        let seen = try client.call("books", ["session": session, "since": mark])
        #expect(seen.rows("books").count == 1)
        #expect(seen["removed"] as? [String] == ["Emma.epub"])

        let later = try #require(seen["mark"] as? String)
        #expect(later != mark)
        let path = try #require(seen.texts("books", "path").first)
        _ = try client.call("delete", ["session": session, "books": [path]])
        // The client's own change is noticed without a request.
        let own = try client.call("books", ["session": session, "since": later, "cached": true])
        #expect(own["removed"] as? [String] == [path])
        let unknown = try client.call("books", ["session": session, "since": "1.2"])
        #expect(unknown["complete"] as? Bool == true && unknown.rows("books").count == 3)
    }

    @Test("Covers are files, which are not fetched twice")
    func covers() throws {
        let bench = try Self.bench()
        let client = try ServeClient(bench)
        let session = try client.open("Paperback")
        let books = try client.call("books", ["session": session, "covers": true])
        let files = books.rows("books").compactMap { ($0["cover"] as? [String: Any])?["path"] as? String }
        #expect(!files.isEmpty)
        for file in files {
            #expect(file.hasPrefix(bench.folder.path("cache")))
            let start = try Data(contentsOf: URL(fileURLWithPath: file)).prefix(2)
            #expect([[0xFF, 0xD8], [0x89, 0x50]].contains([UInt8](start)))
        }
        let read = bench.device.fileRequests.count
        _ = try client.call("books", ["session": session])
        let plain = bench.device.fileRequests.count - read
        let again = try client.call("books", ["session": session, "covers": true])
        #expect(bench.device.fileRequests.count - read == 2 * plain)
        #expect(try text(again.rows("books")) == text(books.rows("books")))
    }

    @Test("Preferences are listed with what a form needs, and take effect in open sessions")
    func preferences() throws {
        let bench = try Self.bench()
        let client = try ServeClient(bench, greeting: ["protocol_version": 1, "log_level": "debug"])
        let session = try client.open("Marvin")
        let options = try client.call("prefs.list", ["overlay": "Marvin"]).rows("prefs")
        let replace = try #require(options.first { $0["key"] as? String == "marvin_replace_rb" })
        #expect(replace["type"] as? String == "bool" && replace["help"] is String)
        #expect(
            try client.failure("prefs.set", ["key": "marvin_replace_rb", "value": "yes"]).code
                == "prefs_invalid_value")
        #expect(try client.failure("prefs.get", ["key": "no_such_key"]).code == "prefs_unknown_key")
        func upload(_ edition: String) throws -> [String] {
            let book = try BookEdition.write(edition, to: bench.folder.url)
            return try client.call("upload", ["session": session, "books": [["file": book]]])
                .texts("results", "status")
        }
        #expect(try upload("first") == ["added"])
        #expect(try upload("second") == ["skipped"])
        for (key, value) in [("marvin_protect_rb", false), ("marvin_replace_rb", true)] {
            _ = try client.call("prefs.set", ["key": key, "value": value])
        }
        #expect(try upload("second") == ["replaced"])
        // The client asked for debug records, which standard error has only in development_mode.
        #expect(try client.notifications("log").contains { $0["level"] as? String == "debug" })
        #expect(try bench.json("prefs", "get", "marvin_replace_rb")["value"] as? Bool == true)
        #expect(try client.call("prefs.unset", ["key": "marvin_replace_rb"])["removed"] as? Bool == true)
        // The options of the overlay under development are known as well.
        let overlay = try buildProductsFolder().appendingPathComponent("libLanternExample.so").path
        _ = try client.call("prefs.set", ["key": "development_overlay", "value": overlay])
        _ = try client.call("prefs.set", ["key": "development_mode", "value": true])
        let keys = try client.call("prefs.list").rows("prefs").compactMap { $0["key"] as? String }
        #expect(keys.contains("lantern_protect_rb"))
        #expect(
            try client.failure("prefs.set", ["key": "lantern_protect_rb", "value": "yes"]).code
                == "prefs_invalid_value")
    }

    @Test("The recorded conversation is one that the schema allows, and has all kinds of lines")
    func recording() throws {
        let file = URL(fileURLWithPath: #filePath).appendingPathComponent(
            "../../../../docs/rpc/conversation.txt")
        let schema = try MessageSchema()
        let lines = try String(contentsOf: file.standardized, encoding: .utf8).split(separator: "\n")
        var methods: [String: String] = [:]
        for line in lines {
            let value = try JSONSerialization.jsonObject(with: Data(line.dropFirst(2).utf8))
            let message = try #require(value as? [String: Any], "\(line)")
            let id = message["id"].map { "\($0)" } ?? ""
            if line.hasPrefix("> ") {
                #expect(schema.problems(message, "request") == [])
                methods[id] = message["method"] as? String
            } else if message["method"] != nil {
                #expect(schema.problems(message, "notification") == [])
            } else {
                #expect(schema.problems(message, "answer") == [])
                if let result = message["result"], let method = methods[id] {
                    #expect(schema.problems(result, method.replacing("$/", with: "") + ".result") == [])
                }
            }
        }
        #expect(methods.count >= 10 && lines.contains { $0.contains("\"error\"") })
    }

    @Test("A sync is planned and carried out")
    func sync() throws {
        let bench = try Self.bench()
        let source = bench.folder.url.appendingPathComponent("source")
        try FileManager.default.createDirectory(at: source, withIntermediateDirectories: false)
        try FileManager.default.copyItem(
            at: RealBooks.history("fr"), to: source.appendingPathComponent("history.epub"))
        let client = try ServeClient(bench)
        let session = try client.open("Paperback")
        let plan = try client.call("sync", ["session": session, "source": source.path, "dry_run": true])
        #expect(plan.texts("plan", "action") == ["add"] && plan["results"] == nil)
        let run = try client.call("sync", ["session": session, "source": source.path])
        #expect(run.texts("results", "status") == ["added"])
        let again = try client.call("sync", ["session": session, "source": source.path])
        #expect(again.texts("plan", "action") == ["keep"])
    }

    @Test("Two clients of one app add books at the same time, and all of them are kept")
    func twoClients() throws {
        let bench = try Self.bench()
        let clients = try [ServeClient(bench), ServeClient(bench)]
        let books = try [RealBooks.history("fr").path, RealBooks.history("de").path]
        let ids = try zip(clients, books).map { client, book in
            try client.send(
                "upload", ["session": try client.open("Marvin"), "books": [["file": book]]])
        }
        for (client, id) in zip(clients, ids) {
            #expect(try client.result(id).texts("results", "status") == ["added"])
        }
        #expect(try bench.json("books", "--app", "Marvin").rows("books").count == 2)
    }
}
