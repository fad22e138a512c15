import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("Books in Marvin are changed from the command line, as far as iOS lets it")
struct MarvinChangeTests {
    /// A Marvin with full access, as on iOS 8.1, or a development-signed one on a newer version.
    private func bench(_ ios: String) throws -> ReaderBench {
        try ReaderBench(books: [RealBooks.history("en"), RealBooks.history("fr")]) {
            $0.iosVersion = ios
            $0.apps = [ReaderBench.app(developmentSigned: ios != "8.1")]
        }
    }

    @Test(
        "Metadata, flags and collections are set and cleared, and found afterwards",
        arguments: ["8.1", "9.3", "17.0"])
    func changes(ios: String) throws {
        let bench = try bench(ios)
        let path = try #require(try bench.json("books").texts("books", "path").first)
        let update = try bench.json(
            "update", path, "--title", #"It's "both""#, "--author", "Ann A", "--author", "Bo B", "--series",
            "Saga",
            "--series-index", "2.5", "--rating", "4", "--lock")
        try #require(update.texts("results", "status") == ["updated"], "\(update.errors)")
        #expect(update.texts("results", "path") == [path])
        let add = try bench.json("collections", "--add", "READ", "--add", "Sea & Sky", path)
        #expect(add.texts("results", "status") == ["updated"], "\(add.errors)")
        var info = try bench.json("info", path)
        #expect(info["title"] as? String == #"It's "both""#)
        #expect(info["authors"] as? [String] == ["Ann A", "Bo B"])
        #expect(info["series"] as? String == "Saga" && info["series_index"] as? Double == 2.5)
        let collections = try #require(info["collections"] as? [String])
        #expect(collections.contains("READ") && collections.contains("Sea & Sky"))
        let again = try bench.json("collections", "--add", "READ", path)
        #expect(again.texts("results", "status") == ["skipped"])
        #expect(
            try bench.json("collections", "--remove", "READ", path).texts("results", "status") == ["updated"])
        info = try bench.json("info", path)
        #expect((info["collections"] as? [String])?.contains("READ") == false)
        #expect(try bench.staged().isEmpty)
    }

    @Test("An App Store Marvin on a newer iOS is not changed, and the reason is given")
    func refused() throws {
        let bench = try ReaderBench(books: [RealBooks.history("en")]) { $0.iosVersion = "9.3" }
        let path = try #require(try bench.json("books", "--app", "Marvin").texts("books", "path").first)
        let update = try bench.json("update", path, "--title", "x", "--app", "Marvin")
        #expect(update.status != 0)
        let collections = try bench.json("collections", "--add", "READ", path, "--app", "Marvin")
        #expect(collections.status != 0)
    }

    @Test("An upload with update changes the metadata of a book that is there, once")
    func updateByUpload() throws {
        let bench = try bench("8.1")
        let book = try RealBooks.history("de").path
        #expect(try bench.json("upload", book).texts("results", "status") == ["added"])
        // The file may have more metadata than Marvin takes. The second time nothing is new.
        _ = try bench.json("upload", book, "--on-conflict", "update")
        let again = try bench.json("upload", book, "--on-conflict", "update")
        #expect(again.texts("results", "status") == ["skipped"], "\(again.texts("results", "message"))")
    }
}
