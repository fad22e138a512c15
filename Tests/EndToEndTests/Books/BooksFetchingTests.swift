import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("A book of Books comes back as one whole file")
struct BooksFetchingTests {
    @Test("An unpacked book becomes an EPUB that other programs read", arguments: BooksBench.versions)
    func unpacked(ios: String) throws {
        let bench = try BooksBench(ios: ios)
        let target = bench.bench.folder.path("fetched")
        let get = try bench.json("get", "376FAA7E4CF81729.epub", "-o", target)
        #expect(get.texts("results", "status") == ["fetched"], "\(get.errors) \(get.rows("results"))")
        let file = try #require(get.texts("results", "path").first)
        #expect(file.hasSuffix(".epub"))
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        #expect(String(decoding: bytes[30..<58], as: UTF8.self) == "mimetypeapplication/epub+zip")
        let test = try runProgram("unzip", ["-tqq", file])
        #expect(test.status == 0, "\(test.output) \(test.errors)")
        let again = try SimulatedBooks.unpacked(URL(fileURLWithPath: file))
        var expected = try BooksBench.library()[0].files
        expected["iTunesMetadata.plist"] = nil
        #expect(Set(again.keys) == Set(expected.keys))
        for (path, content) in expected where path != "mimetype" {
            #expect(again[path] == content, "\(path)")
        }
        let sniffed = try bench.bench.json("sniff", file)
        #expect(sniffed.texts("results", "media_type") == ["application/epub+zip"])
    }

    @Test("Packed books and documents come back byte by byte")
    func packed() throws {
        let bench = try BooksBench()
        let target = bench.bench.folder.path("fetched")
        let get = try bench.json("get", "Guide.epub", "Purchases/Paper.pdf", "-o", target)
        #expect(get.texts("results", "status") == ["fetched", "fetched"], "\(get.errors)")
        let paths = get.texts("results", "path")
        #expect(paths.count == 2)
        for (file, place) in zip(paths, ["Guide.epub", "Purchases/Paper.pdf"]) {
            #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == bench.bytes(place))
        }
    }

    @Test("A protected book is fetched, and its row says that it is protected")
    func protected() throws {
        let bench = try BooksBench()
        let target = bench.bench.folder.path("fetched")
        let get = try bench.bench.run(
            "get", "Purchases/Bought.epub", "-o", target, "--app", "iBooks", "--verbose")
        #expect(get.status == 0, "\(get.errors)")
        #expect(get.errors.contains("This book is protected"), "\(get.errors)")
    }

    /// Weakness 4 in docs/weaknesses.md.
    @Test("A book with an unreadable part fails instead of being filled with zeros")
    func shortRead() throws {
        let bench = try BooksBench()
        let container = "/Books/376FAA7E4CF81729.epub/META-INF/container.xml"
        try bench.bench.device.update { settings in
            settings.faults = FaultPlan([
                Fault.status(5, at: .exactly(container), operation: "FILE_READ")
            ])
        }
        let target = bench.bench.folder.path("fetched")
        let get = try bench.json("get", "376FAA7E4CF81729.epub", "-o", target)
        #expect(get.status != 0)
        #expect(get.texts("results", "status") == ["failed"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: target).isEmpty)
    }

    @Test("A link in a book's folder leads nowhere")
    func link() throws {
        let bench = try BooksBench()
        let secret = bench.bench.device.mediaFolder.appendingPathComponent("secret.txt")
        try Data("secret".utf8).write(to: secret)
        try FileManager.default.createSymbolicLink(
            at: bench.books.folder.appendingPathComponent("376FAA7E4CF81729.epub/secret.txt"),
            withDestinationURL: secret)
        let target = bench.bench.folder.path("fetched")
        let get = try bench.json("get", "376FAA7E4CF81729.epub", "-o", target)
        let file = try #require(get.texts("results", "path").first)
        #expect(try SimulatedBooks.unpacked(URL(fileURLWithPath: file))["secret.txt"] == nil)
    }
}
