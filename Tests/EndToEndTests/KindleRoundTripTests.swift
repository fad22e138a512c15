import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("Kindle is served on every iOS, from the command line to the wire")
struct KindleRoundTripTests {
    private func bench(_ ios: String) throws -> ReaderBench {
        try ReaderBench(marvin: false) {
            $0.iosVersion = ios
            $0.apps = [SimulatedReader.kindle()]
        }
    }

    private func reader(_ bench: ReaderBench) -> SimulatedReader {
        SimulatedReader(device: bench.device, bundleID: SimulatedReader.kindleID)
    }

    @Test(
        "Books with dots in their names and without covers are all listed", arguments: ["8.1", "9.3", "17.0"])
    func listing(ios: String) throws {
        let bench = try bench(ios)
        let list = try bench.json("books")
        #expect(list.status == 0, "\(list.errors)")
        #expect(list["overlay"] as? String == "kindle")
        #expect(
            list.texts("books", "title").sorted() == [
                "A Manual", "Dr. Jekyll and Mr. Hyde", "Emma", "Without a Cover",
            ])
        let emma = try #require(list.rows("books").first { $0["title"] as? String == "Emma" })
        #expect(emma["authors"] as? [String] == ["Jane Austen"])
        #expect(emma["cover"] is [String: Any])
        let file = bench.folder.path("cover.jpg")
        #expect(try bench.run("info", "Emma", "--cover", file).status == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)).starts(with: [0xFF, 0xD8]))
    }

    @Test("Books are added as title and author, fetched and deleted", arguments: ["8.1", "9.3", "17.0"])
    func roundTrip(ios: String) throws {
        let bench = try bench(ios)
        let files = try ["one", "two"].map { name in
            let url = bench.folder.url.appendingPathComponent("\(name).mobi")
            try SampleMOBI(
                title: name == "one" ? "AC/DC" : "AC-DC", authors: ["A. B.", "C"],
                length: name == "one" ? 8_000 : 16_000
            )
            .write(to: url)
            return url.path
        }
        let upload = try bench.json("upload", files[0], files[1])
        #expect(upload.status == 0, "\(upload.errors)")
        #expect(upload.texts("results", "path") == ["AC-DC-A. B.mobi", "AC-DC-A. B (2).mobi"])
        let epub = try bench.json("upload", RealBooks.history("de").path)
        #expect(epub.status == 1)
        #expect(epub.texts("results", "status") == ["failed"])

        let get = try bench.json("get", "AC-DC-A. B (2).mobi", "-o", bench.folder.path("fetched"))
        let fetched = try #require(get.texts("results", "path").first)
        #expect(FileManager.default.contentsEqual(atPath: fetched, andPath: files[1]))
        let delete = try bench.json("delete", "AC-DC-A. B (2).mobi", "--yes")
        #expect(delete.texts("results", "status") == ["deleted"])
        #expect(try reader(bench).files().count == 5)
    }

    @Test(
        "Title, authors and cover of a long book come from a few kilobytes of it, and from the cache afterwards"
    )
    func ranges() throws {
        let bench = try bench("17.0")
        #expect(try bench.json("books").rows("books").count == 4)
        try SampleMOBI(title: "Long", authors: ["A"], length: 8_000_000).write(
            to: reader(bench).document("Long.vol.2.mobi"))
        bench.device.resetCounters()
        #expect(try bench.json("books").texts("books", "title").contains("Long"))
        #expect(bench.device.counters.bytesSent < 400_000)
        bench.device.resetCounters()
        #expect(try bench.json("books").texts("books", "title").contains("Long"))
        #expect(bench.device.counters.bytesSent < 40_000)
    }

    @Test("A collection that the app does not share is reported")
    func collection() throws {
        let bench = try bench("17.0")
        let url = bench.folder.url.appendingPathComponent("one.mobi")
        try SampleMOBI(title: "One", authors: ["A"], length: 8_000).write(to: url)
        let upload = try bench.json("upload", url.path, "--collection", "Mine")
        #expect(upload.texts("results", "status") == ["added"], "\(upload.errors)")
        #expect(
            upload.texts("results", "message").first?.contains("does not allow access to its collections")
                == true)
    }

    @Test("Enabled formats decide what is a book and what can be added")
    func formats() throws {
        let bench = try bench("17.0")
        let set = try bench.run("prefs", "set", "kindle_enabled_formats", #"["EPUB", "PDF"]"#)
        #expect(set.status == 0, "\(set.errors)")
        #expect(try bench.json("books").texts("books", "title") == ["A Manual"])
        let upload = try bench.json("upload", RealBooks.history("de").path)
        #expect(upload.texts("results", "status") == ["added"], "\(upload.errors)")
    }

    @Test("An unknown format can be enabled, with a warning, and its files are books")
    func unknownFormat() throws {
        let bench = try bench("17.0")
        let set = try bench.run("prefs", "set", "kindle_enabled_formats", "qqq,PDF")
        #expect(set.status == 0, "\(set.errors)")
        #expect(set.errors.contains("'qqq' is not a known book format."), "\(set.errors)")
        let url = bench.folder.url.appendingPathComponent("strange.qqq")
        try Data("Any bytes".utf8).write(to: url)
        let upload = try bench.json("upload", url.path)
        #expect(upload.texts("results", "status") == ["added"], "\(upload.errors)")
        #expect(try bench.json("books").texts("books", "path").contains("strange.qqq"))
    }
}
