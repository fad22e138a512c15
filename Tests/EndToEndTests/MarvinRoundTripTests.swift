import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("Books go into Marvin and come back, from the command line to the wire")
struct MarvinRoundTripTests {
    @Test("Real books are listed, added, fetched and deleted", arguments: [false, true])
    func roundTrip(tls: Bool) throws {
        let bench = try ReaderBench(books: [RealBooks.history("en")]) {
            $0.usesTLS = tls
            $0.serviceTLS = tls
        }
        let before = try bench.json("books")
        #expect(before.status == 0)
        #expect(before.rows("books").count == 1)
        #expect(before["app"] as? String == "Marvin")
        #expect(before["overlay"] as? String == "marvin")
        #expect(before["device"] as? String == bench.device.settings.udid)

        let files = try [
            RealBooks.history("fr"), RealBooks.history("ja"), RealBooks.developersReference(),
        ]
        let upload = try bench.json(
            "upload", files[0].path, files[1].path, files[2].path, "--collection", "Debian & Söhne")
        #expect(upload.status == 0, "\(upload.errors)")
        #expect(upload.texts("results", "status") == ["added", "added", "added"])
        #expect(upload.texts("results", "item") == files.map(\.path))
        #expect(try bench.staged().isEmpty)

        let after = try bench.json("books")
        #expect(after.rows("books").count == 4)
        let paths = upload.texts("results", "path")
        for (path, file) in zip(paths, files) {
            let book = try #require(after.rows("books").first { $0["path"] as? String == path })
            #expect((book["collections"] as? [String] ?? []).contains("Debian & Söhne"))
            #expect(book["size"] as? Int == (try Data(contentsOf: file)).count)
            #expect(book["format"] as? String == "application/epub+zip")
        }

        let target = bench.folder.path("fetched")
        let get = try bench.json("get", paths[0], paths[1], "-o", target)
        #expect(get.texts("results", "status") == ["fetched", "fetched"])
        for (path, file) in zip(get.texts("results", "path"), files) {
            #expect(path.hasPrefix(target + "/"))
            #expect(FileManager.default.contentsEqual(atPath: path, andPath: file.path))
        }

        let delete = try bench.json("delete", paths[0], paths[2], "--yes")
        #expect(delete.texts("results", "status") == ["deleted", "deleted"])
        #expect(try bench.json("books").texts("books", "path").filter(paths.contains) == [paths[1]])
        #expect(try bench.staged().isEmpty)
    }

    @Test("One book is shown whole, and its cover saved")
    func info() throws {
        let bench = try ReaderBench(books: [RealBooks.developersReference(), RealBooks.history("de")])
        let path = try #require(try bench.json("books").texts("books", "path").first)
        let info = try bench.json("info", path)
        #expect(info["path"] as? String == path)
        #expect(info["title"] as? String != nil)
        let text = try bench.run("info", path)
        #expect(text.output.contains("Title"))
        let missing = try bench.json("info", "no such book")
        #expect(missing.status == 66)
        #expect(missing.error("code") == "not_found")
    }

    @Test("A book that is already there is left alone, and replaced only when asked")
    func conflicts() throws {
        let bench = try ReaderBench()
        let file = try BookEdition.write("first", to: bench.folder.url)
        let edition = try BookEdition.write("second", to: bench.folder.url)
        #expect(try bench.json("upload", file).texts("results", "status") == ["added"])
        #expect(try bench.json("upload", edition).texts("results", "status") == ["skipped"])
        let same = try bench.json("upload", file, "--on-conflict", "replace")
        #expect(same.texts("results", "status") == ["skipped"])
        let replaced = try bench.json("upload", edition, "--on-conflict", "replace")
        #expect(replaced.texts("results", "status") == ["replaced"])
        #expect(try bench.json("books").rows("books").count == 1)
    }

    @Test("A file that is not an EPUB is refused alone; the others are added")
    func noEPUB() throws {
        let bench = try ReaderBench()
        let leaflet = try bench.file("leaflet.epub", "%PDF-1.4\nnot a book")
        let good = try RealBooks.history("es").path
        let upload = try bench.json("upload", leaflet, good, bench.folder.path("missing.epub"))
        #expect(upload.status == 1)
        #expect(upload.texts("results", "status") == ["failed", "added", "failed"])
        #expect(try bench.json("books").rows("books").count == 1)
        #expect(try bench.staged().isEmpty)
    }

    @Test("A title with every awkward character survives the way to the device and back")
    func awkwardTitles() throws {
        let bench = try ReaderBench()
        let upload = try bench.json(
            "upload", RealBooks.history("ko").path, "--collection", #"both ' and " & <b> ]]> 𝄞"#)
        #expect(upload.texts("results", "status") == ["added"])
        let collections = try bench.json("books").rows("books").first?["collections"] as? [String]
        #expect(collections?.contains(#"both ' and " & <b> ]]> 𝄞"#) == true)
    }
}
