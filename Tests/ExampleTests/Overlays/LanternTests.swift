import Foundation
import TestSupport
import Testing

@Suite("The complete example serves its app with every method")
struct LanternTests {
    private let shop: Workshop
    private let options: [String]

    init() throws {
        shop = try Workshop()
        try FileManager.default.createDirectory(
            at: shop.folder.url.appendingPathComponent("plugins"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: try buildProductsFolder().appendingPathComponent("libLanternExample.so"),
            to: shop.folder.url.appendingPathComponent("plugins/lantern.so"))
        try FileManager.default.copyItem(
            at: sourceFolder.appendingPathComponent("Examples/Lantern/device"),
            to: shop.folder.url.appendingPathComponent("device"))
        options = ["--plugins", "plugins", "--simulated=device"]
    }

    private var library: URL {
        shop.folder.url.appendingPathComponent("device/Containers/org.example.lantern/Documents/Lantern")
    }

    /// The card of the book in a folder.
    private func card(_ folder: String) throws -> [String: Any] {
        let data = try Data(contentsOf: library.appendingPathComponent("Books/\(folder)/card.json"))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    @Test("Books are added, listed, edited, fetched and deleted")
    func roundTrip() throws {
        let files = try [RealBooks.history("en"), RealBooks.history("fr")]
        let added = try shop.document(
            ["upload", files[0].path, files[1].path, "--collection", "Travel"] + options)
        #expect(texts(added, "results", "status") == ["added", "added"])
        let paths = texts(added, "results", "path")
        try #require(paths.count == 2)
        #expect(
            texts(try shop.document(["upload", files[0].path] + options), "results", "status") == ["skipped"])

        let update = ["update", paths[0], "--title", "Told anew", "--author", "A. Writer"]
        #expect(texts(try shop.document(update + options), "results", "status") == ["updated"])
        let moved = try shop.document(
            ["collections", "--add", "Kitchen", "--remove", "Travel", paths[0]] + options)
        #expect(texts(moved, "results", "status") == ["updated"])
        #expect(try card(paths[0])["title"] as? String == "Told anew")
        #expect(try card(paths[0])["authors"] as? [String] == ["A. Writer"])
        #expect(try card(paths[0])["shelves"] as? [String] == ["Kitchen"])
        #expect(try card(paths[1])["shelves"] as? [String] == ["Travel"])

        let fetched = try shop.document(["get", paths[0], paths[1], "--output", "fetched"] + options)
        #expect(texts(fetched, "results", "status") == ["fetched", "fetched"])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: shop.folder.path("fetched")).sorted().count
                == 2)
        let deleted = try shop.document(["delete", paths[0], "--yes"] + options)
        #expect(texts(deleted, "results", "status") == ["deleted"])
        #expect(texts(try shop.document(["books"] + options), "books", "path") == [paths[1]])
        #expect(try FileManager.default.contentsOfDirectory(atPath: library.path + "/Books") == [paths[1]])
    }

    @Test("A device that fills up does not keep a partial book")
    func fullDevice() throws {
        let settings = shop.folder.url.appendingPathComponent("device/device.json")
        var device = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: settings)) as? [String: Any])
        device["faults"] = [["effect": "disk-full", "value": 1000, "operation": "FILE_WRITE"]]
        try JSONSerialization.data(withJSONObject: device).write(to: settings)
        let added = try shop.document(["upload", RealBooks.history("en").path] + options)
        #expect(texts(added, "results", "status") == ["failed"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: library.path + "/Books").isEmpty)
    }

    @Test("Its options work, and a damaged library is reported")
    func optionsAndDamage() throws {
        let added = try shop.document(["upload", RealBooks.history("en").path] + options)
        let path = try #require(texts(added, "results", "path").first)
        var finished = try card(path)
        finished["read"] = 1
        let file = library.appendingPathComponent("Books/\(path)/card.json")
        try JSONSerialization.data(withJSONObject: finished).write(to: file)
        try FileManager.default.createDirectory(
            at: library.appendingPathComponent("Books/broken"), withIntermediateDirectories: true)
        try Data("{".utf8).write(to: library.appendingPathComponent("Books/broken/card.json"))
        let list = try shop.document(["books"] + options)
        #expect(texts(list, "books", "path") == [path])
        #expect((list["books"] as? [[String: Any]])?.first?["progress"] as? Double == 1)
        let set = try shop.run(
            shop.program, ["prefs", "set", "lantern_hide_finished", "true", "--plugins", "plugins"])
        #expect(set.status == 0, "\(set.errors)")
        #expect(texts(try shop.document(["books"] + options), "books", "path").isEmpty)
    }

    @Test("Lantern follows the contract")
    func check() throws {
        let result = try shop.overlayhost("check", "plugins/lantern.so")
        #expect(result.status == 0, "\(result.output)\(result.errors)")
    }

    @Test("A library of another version is left alone, and one that is missing is made")
    func versions() throws {
        let version = library.appendingPathComponent("version.txt")
        try Data("3".utf8).write(to: version)
        let result = try shop.run(shop.program, ["books"] + options)
        #expect(result.status != 0)
        #expect(result.errors.contains("This overlay knows version 2"), "\(result.errors)")
        try FileManager.default.removeItem(at: library)
        #expect(texts(try shop.document(["books"] + options), "books", "path").isEmpty)
        let added = try shop.document(["upload", RealBooks.history("en").path] + options)
        #expect(texts(added, "results", "status") == ["added"])
        #expect(try Data(contentsOf: version) == Data("2\n".utf8))
    }
}
