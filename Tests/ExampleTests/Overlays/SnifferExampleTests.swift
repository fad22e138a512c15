import Foundation
import TestSupport
import Testing

@Suite("The example with its own sniffer knows its app's format by content")
struct SnifferExampleTests {
    @Test(
        "Files without telling names are listed by what they are",
        .enabled(if: programIsInstalled("cc"), "no C compiler: the example is not tested"))
    func listing() throws {
        let shop = try Workshop()
        let example = sourceFolder.appendingPathComponent("Examples/sniffer")
        try FileManager.default.copyItem(
            at: example.appendingPathComponent("device"),
            to: shop.folder.url.appendingPathComponent("device"))
        try FileManager.default.copyItem(
            at: RealBooks.history("en"),
            to: shop.folder.url.appendingPathComponent(
                "device/Containers/org.example.pamphlet/Documents/9c2b"))
        try compileC(example.appendingPathComponent("pamphlet.c"), to: "plugins/pamphlet.so", in: shop)
        let list = try shop.document(["books", "--plugins", "plugins", "--simulated=device"])
        #expect(texts(list, "books", "path").sorted() == ["/Documents/9c2b", "/Documents/f1a7"])
        let formats = Dictionary(
            uniqueKeysWithValues: zip(texts(list, "books", "path"), texts(list, "books", "format")))
        #expect(formats["/Documents/f1a7"] == "application/vnd.example.pamphlet")
        #expect(formats["/Documents/9c2b"] == "application/epub+zip")
        let check = try shop.overlayhost("check", "plugins/pamphlet.so")
        #expect(check.status == 0, "\(check.output)\(check.errors)")
    }
}
