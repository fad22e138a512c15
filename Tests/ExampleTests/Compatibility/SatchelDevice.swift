import Foundation
import TestSupport
import Testing

/// The simulated device of the example in C.
enum SatchelDevice {
    /// Makes it in the folder `device`.
    static func make(_ shop: Workshop) throws {
        try FileManager.default.createDirectory(
            at: shop.folder.url.appendingPathComponent("device"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: sourceFolder.appendingPathComponent("Examples/c/device/device.json"),
            to: shop.folder.url.appendingPathComponent("device/device.json"))
    }

    /// Lets the overlay in the folder `plugins` list, add and fetch.
    static func tryOut(_ shop: Workshop) throws {
        try make(shop)
        let options = ["--plugins", "plugins", "--simulated=device"]
        let book = try RealBooks.history("en")
        let added = try shop.document(["upload", book.path] + options)
        #expect(texts(added, "results", "status") == ["added"])
        let list = try shop.document(["books"] + options)
        #expect(list["overlay"] as? String == "satchel")
        #expect(texts(list, "books", "title").contains("Emma"))
        let path = try #require(texts(added, "results", "path").first)
        #expect(texts(list, "books", "path").contains(path))
        let fetched = try shop.document(["get", path, "--output", "fetched"] + options)
        #expect(texts(fetched, "results", "status") == ["fetched"])
        let files = try FileManager.default.contentsOfDirectory(atPath: shop.folder.path("fetched"))
        #expect(
            files.count == 1
                && FileManager.default.contentsEqual(
                    atPath: shop.folder.path("fetched/" + (files.first ?? "")), andPath: book.path)
        )
    }
}
