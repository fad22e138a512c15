import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("Marvin is served from the command line as far as iOS lets it")
struct MarvinAccessTests {
    /// A Marvin with full access, as on iOS 8.1, or a development-signed one on a newer version.
    private func bench(_ ios: String) throws -> ReaderBench {
        try ReaderBench(books: [RealBooks.history("en"), RealBooks.history("fr")]) {
            $0.iosVersion = ios
            $0.apps = [ReaderBench.app(developmentSigned: ios != "8.1")]
        }
    }

    @Test("A second upload replaces books by option or preference, and --verbose says why")
    func conflicts() throws {
        let bench = try bench("8.1")
        let book = try BookEdition.write("first", to: bench.folder.url)
        let edition = try BookEdition.write("second", to: bench.folder.url)
        #expect(try bench.json("upload", book).texts("results", "status") == ["added"])
        let replaced = try bench.run("upload", book, "--on-conflict", "replace", "--verbose")
        #expect(
            replaced.errors.contains("in Marvin's library, because it has the same uuid"),
            "\(replaced.errors)")
        _ = try bench.run("prefs", "set", "marvin_protect_rb", "false")
        _ = try bench.run("prefs", "set", "marvin_replace_rb", "true")
        #expect(try bench.json("upload", edition).texts("results", "status") == ["replaced"])
        #expect(try bench.json("books").rows("books").count == 3)
    }

    @Test(
        "The documents of an App Store Marvin on a newer iOS work, and the rest is refused with the reason",
        arguments: ["9.3", "17.0"])
    func documentsOnly(ios: String) throws {
        let bench = try ReaderBench(books: [RealBooks.history("en")]) { $0.iosVersion = ios }
        let book = try #require(try bench.json("books", "--app", "Marvin").rows("books").first)
        #expect((book["title"] as? String)?.contains("Debian") == true)
        let path = try #require(book["path"] as? String)
        let upload = try bench.json("upload", RealBooks.history("fr").path, "--app", "Marvin")
        #expect(upload.texts("results", "status") == ["added"], "\(upload.errors)")
        #expect(upload.texts("results", "message").first?.contains("the next time it starts") == true)
        #expect(try bench.json("books", "--app", "Marvin").rows("books").count == 2)
        let delete = try bench.json("delete", path, "--yes", "--app", "Marvin")
        #expect(delete.status != 0)
        #expect(try bench.json("books", "--app", "Marvin").rows("books").count == 2)
        // Marvin imports the new book when it starts.
        let marvin = try #require(bench.device.marvin(ReaderBench.marvin))
        marvin.stop()
        marvin.update { $0.adoptsDocuments = true }
        try marvin.start()
        #expect(marvin.troubles.isEmpty)
    }

    @Test(
        "An app that keeps everything below its documents is served whole on every iOS",
        arguments: ["9.3", "17.0"])
    func inDocuments(ios: String) throws {
        let bench = try ReaderBench(marvin: false) {
            $0.iosVersion = ios
            $0.apps = [
                SimulatedApp(
                    bundleID: ReaderBench.marvin, name: "Marvin", version: "2.7.1", kind: .marvinInDocuments)
            ]
        }
        _ = try bench.run("prefs", "set", "marvin_staging_folder", "/Documents/calibre")
        _ = try bench.run("prefs", "set", "marvin_database_path", "/Documents/mainDb.sqlite")
        let upload = try bench.json("upload", RealBooks.history("it").path, "--collection", "Mine")
        #expect(upload.texts("results", "status") == ["added"], "\(upload.errors)")
        let path = try #require(upload.texts("results", "path").first)
        let book = try #require(try bench.json("books").rows("books").first)
        #expect((book["collections"] as? [String])?.contains("Mine") == true)
        #expect(try bench.json("delete", path, "--yes").texts("results", "status") == ["deleted"])
    }

    @Test("A listing of what has not changed asks the device hardly anything")
    func warmListing() throws {
        let bench = try bench("8.1")
        let container = bench.container
        let past = Date(timeIntervalSinceNow: -7200)
        var places = [container.database, container.documents]
        if let covers = container.smallCovers { places.append(covers) }
        for place in places {
            try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: place.path)
        }
        let first = try bench.json("books")
        bench.device.resetCounters()
        let second = try bench.json("books")
        #expect(second.texts("books", "title") == first.texts("books", "title"))
        #expect(bench.device.counters.total(of: "afc") < 20)
    }
}
