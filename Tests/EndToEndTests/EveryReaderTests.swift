import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("Every method works in every reader app on every iOS, as far as the app can do it")
struct EveryReaderTests {
    /// A reader app, and how it differs from others.
    private struct Reader {
        /// The name for `--app`.
        var name: String
        var overlay: String
        /// A book that it takes.
        var file: String
        var isUpdated = true
        var isCollected = true
        /// Whether it reports which books are in collections.
        var tellsCollections = true
    }

    /// An iPad with all reader apps, with full access to Marvin and writable Books.
    private func bench(_ ios: String) throws -> ReaderBench {
        let bench = try ReaderBench(books: [RealBooks.history("en")]) {
            $0.iosVersion = ios
            // A model that cannot be in any list of known devices.
            $0.productType = "Tablet98,76"
            $0.apps = [
                ReaderBench.app(developmentSigned: ios != "8.1"), SimulatedGoodReader.app(),
                SimulatedReader.kindle(), SimulatedReader.paperback(), SimulatedBooks.app(),
            ]
        }
        #expect(try bench.run("prefs", "set", "ibooks_write", "true").status == 0)
        return bench
    }

    private func readers(_ bench: ReaderBench) throws -> [Reader] {
        let pdf = bench.folder.url.appendingPathComponent("paper.pdf")
        try SimulatedPDF(title: "A Paper", author: "Ann A", size: 40_000).write(to: pdf)
        let mobi = bench.folder.url.appendingPathComponent("novel.mobi")
        try SampleMOBI(title: "A Novel", authors: ["Bo B"], length: 8_000).write(to: mobi)
        let epub = try RealBooks.history("it").path
        return [
            Reader(name: "Marvin", overlay: "marvin", file: epub),
            Reader(name: "GoodReader", overlay: "goodreader", file: pdf.path, isCollected: false),
            Reader(
                name: "Kindle", overlay: "kindle", file: mobi.path, isUpdated: false, isCollected: false,
                tellsCollections: false),
            Reader(name: "Paperback", overlay: "documents", file: epub),
            Reader(
                name: "Books", overlay: "ibooks", file: epub, isUpdated: false, isCollected: false,
                tellsCollections: false),
        ]
    }

    /// Weakness 21 in docs/weaknesses.md.
    @Test(
        "The commands from apps to eject work on a device of an unknown model",
        arguments: ["8.1", "9.3", "17.0"])
    func methods(ios: String) throws {
        let bench = try bench(ios)
        let apps = try bench.json("apps").texts("apps", "overlay")
        for reader in try readers(bench) {
            #expect(apps.contains(reader.overlay))
            try go(through: reader, bench)
        }
    }

    @Test("A truncated EPUB gets the same answer from every app that takes EPUBs, and is not sent")
    func truncated() throws {
        let bench = try bench("8.1")
        let whole = try Data(contentsOf: RealBooks.history("it"))
        for length in [whole.count / 2, whole.count - 10] {
            let file = bench.folder.url.appendingPathComponent("cut-\(length).epub")
            try whole.prefix(length).write(to: file)
            var answers: Set<[String]> = []
            for reader in ["Marvin", "Books", "Paperback"] {
                let before = try bench.json("books", "--app", reader).rows("books").count
                let upload = try bench.json("upload", file.path, "--app", reader)
                #expect(upload.status == 1, "\(reader): \(upload.errors)")
                answers.insert(
                    upload.texts("results", "status") + upload.texts("results", "message")
                        + upload.texts("results", "hint"))
                #expect(try bench.json("books", "--app", reader).rows("books").count == before, "\(reader)")
            }
            #expect(answers.count == 1, "\(answers)")
            #expect(answers.first?.first == "failed")
            #expect(answers.first?.contains { $0.contains("Cannot open the EPUB") } == true)
        }
    }

    /// Moves one book into an app and out of it.
    private func go(through reader: Reader, _ bench: ReaderBench) throws {
        func json(_ words: String...) throws -> Document { try bench.json(words + ["--app", reader.name]) }
        let name = reader.name
        let before = try json("books")
        #expect(before["overlay"] as? String == reader.overlay)
        let upload = try json("upload", reader.file)
        #expect(
            upload.status == 0 && upload.texts("results", "status") == ["added"], "\(name): \(upload.errors)")
        var path = try #require(upload.texts("results", "path").first)
        #expect(try json("books").rows("books").count == before.rows("books").count + 1, "\(name)")
        let info = try json("info", path)
        #expect((info["title"] as? String)?.isEmpty == false, "\(name)")
        #expect((info["format"] as? String)?.isEmpty == false, "\(name)")

        let get = try json("get", path, "-o", bench.folder.path("from \(name)"))
        let fetched = try #require(get.texts("results", "path").first, "\(name): \(get.errors)")
        #expect(FileManager.default.contentsEqual(atPath: fetched, andPath: reader.file), "\(name)")

        let update = try json("update", path, "--title", "Another Title")
        #expect(update.texts("results", "status") == [reader.isUpdated ? "updated" : "failed"], "\(name)")
        #expect(update.status == (reader.isUpdated ? 0 : 69), "\(name)")
        path = update.texts("results", "path").first ?? path
        let expected = reader.isUpdated ? "Another Title" : info["title"] as? String
        #expect(try json("info", path)["title"] as? String == expected, "\(name)")

        let add = try json("collections", "--add", "Shelf", path)
        #expect(add.status == (reader.isCollected ? 0 : 69), "\(name)")
        path = add.texts("results", "path").first ?? path
        let list = try json("collections")
        #expect(list.status == 0)
        #expect(list.texts("collections", "name").contains("Shelf") == reader.isCollected, "\(name)")
        #expect((list["collections"] is NSNull) == !reader.tellsCollections, "\(name)")
        #expect((list["reason"] as? String != nil) == !reader.tellsCollections, "\(name)")
        if reader.isCollected {
            let remove = try json("collections", "--remove", "Shelf", path)
            #expect(remove.texts("results", "status") == ["updated"], "\(name)")
            path = remove.texts("results", "path").first ?? path
        }

        #expect(try json("delete", path, "--yes").texts("results", "status") == ["deleted"], "\(name)")
        #expect(try json("books").texts("books", "path") == before.texts("books", "path"), "\(name)")
        #expect(try json("eject")["ejected"] as? Bool == true, "\(name)")
    }

    @Test("Without an app, or with an older one, the error lists all names that can be chosen")
    func names() throws {
        let bench = try bench("17.0")
        let readers = try readers(bench).map(\.name)
        let several = try bench.json("books")
        #expect(several.error("code") == "app_not_chosen")
        let told = (several.error("message") ?? "") + (several.error("hint") ?? "")
        for reader in readers { #expect(told.contains(reader), "\(reader)") }
        try bench.device.update { settings in
            for index in settings.apps.indices where settings.apps[index].name == "GoodReader" {
                settings.apps[index].name = "GoodReader 4"
                settings.apps[index].bundleID = "com.goodiware.goodreader4"
            }
        }
        let older = try bench.json("books", "--app", "GoodReader")
        #expect(older.error("code") == "app_not_installed")
        #expect(older.error("hint")?.hasPrefix("Did you mean GoodReader 4? ") == true)
    }

    @Test("The same error ends with the same status in every reader app")
    func statuses() throws {
        let bench = try bench("17.0")
        let readers = try readers(bench)
        let leaflet = try bench.file("leaflet.xyz", "no book")
        for reader in readers {
            // If single items fail, the status is 1, and the row has the reason.
            for (words, code) in [
                (["get", "nothing", "-o", bench.folder.path("x")], "not_found"),
                (["delete", "nothing", "--yes"], "not_found"), (["upload", leaflet], "unsupported_format"),
                (["upload", bench.folder.path("gone.epub")], "input_unreadable"),
                (["upload", "http://127.0.0.1:1/a.epub"], "host_io"),
            ] {
                let answer = try bench.json(words + ["--app", reader.name])
                #expect(answer.status == 1, "\(reader.name): \(words)")
                #expect(answer.texts("results", "code") == [code], "\(reader.name): \(words)")
                #expect(answer["error"] == nil, "\(reader.name): \(words)")
            }
        }
        // If the command cannot begin, the status is that of the cause.
        try bench.device.update { $0.freeBytes = 1_000 }
        for reader in readers {
            let full = try bench.json("upload", reader.file, "--app", reader.name)
            #expect(full.status == 73 && full.error("code") == "no_space", "\(reader.name)")
            #expect(full.texts("results", "code") == ["no_space"], "\(reader.name)")
        }
    }
}
