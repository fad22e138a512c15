import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("GoodReader is served on every iOS, from the command line to the wire")
struct GoodReaderRoundTripTests {
    static let versions = ["8.1", "9.3", "17.0"]

    private func bench(_ ios: String, _ bundleID: String = SimulatedGoodReader.padID) throws -> ReaderBench {
        try ReaderBench(marvin: false) {
            $0.iosVersion = ios
            $0.apps = [SimulatedGoodReader.app(bundleID: bundleID)]
        }
    }

    private func reader(_ bench: ReaderBench) -> SimulatedGoodReader {
        SimulatedGoodReader(device: bench.device)
    }

    private func pdf(_ bench: ReaderBench, _ name: String, _ document: SimulatedPDF) throws -> String {
        let url = bench.folder.url.appendingPathComponent(name)
        try document.write(to: url)
        return url.path
    }

    @Test("Documents in deep folders are listed with what they say of themselves", arguments: versions)
    func listing(ios: String) throws {
        let bench = try bench(ios)
        let reader = reader(bench)
        try reader.add(SimulatedPDF(title: "Größe", author: "A. B.", size: 2_000_000), at: "A/B/C/D/deep.pdf")
        try reader.add(SimulatedPDF(size: 300_000), at: "plain.pdf")
        try reader.add(Array("text".utf8), at: "note.txt")
        bench.device.resetCounters()
        let list = try bench.json("books")
        #expect(list.status == 0, "\(list.errors)")
        #expect(list["overlay"] as? String == "goodreader" && list["app"] as? String == "GoodReader")
        #expect(list.texts("books", "path") == ["A/B/C/D/deep.pdf", "plain.pdf"])
        #expect(list.texts("books", "title") == ["Größe", "plain"])
        let deep = try #require(list.rows("books").first)
        #expect(deep["authors"] as? [String] == ["A. B."] && deep["collections"] as? [String] == ["A/B/C/D"])
        #expect(
            deep["size"] as? Int
                == SimulatedPDF(title: "Größe", author: "A. B.", size: 2_000_000).bytes().count)
        #expect(bench.device.counters.bytesSent < 600_000)
        bench.device.resetCounters()
        #expect(try bench.json("books").texts("books", "title") == ["Größe", "plain"])
        #expect(bench.device.counters.bytesSent < 40_000)
    }

    @Test("Documents are added, fetched and deleted; names never collide", arguments: versions)
    func roundTrip(ios: String) throws {
        let bench = try bench(ios)
        let first = try pdf(bench, "1.pdf", SimulatedPDF(title: "AC/DC", author: "First", size: 50_000))
        let second = try pdf(bench, "2.pdf", SimulatedPDF(title: "AC/DC", author: "Second", size: 60_000))
        let upload = try bench.json("upload", first, second, "--collection", "Papers/2020")
        #expect(upload.status == 0, "\(upload.errors)")
        #expect(
            upload.texts("results", "path") == ["Papers/2020/AC-DC.pdf", "Papers/2020/AC-DC (2).pdf"])
        #expect(try bench.json("upload", second).texts("results", "status") == ["skipped"])
        try reader(bench).add(SimulatedPDF(title: "Other", size: 70_000), at: "AC-DC.pdf")

        let target = bench.folder.path("fetched")
        let get = try bench.json("get", "Papers/2020/AC-DC.pdf", "AC-DC.pdf", "-o", target)
        #expect(get.texts("results", "status") == ["fetched", "fetched"], "\(get.errors)")
        let fetched = get.texts("results", "path")
        #expect(
            Set(fetched).count == 2 && FileManager.default.contentsEqual(atPath: fetched[0], andPath: first))
        #expect(
            FileManager.default.contentsEqual(
                atPath: fetched[1], andPath: reader(bench).container.document("AC-DC.pdf").path))

        let delete = try bench.json("delete", "Papers/2020/AC-DC.pdf", "--yes")
        #expect(delete.texts("results", "status") == ["deleted"])
        #expect(try bench.json("books").texts("books", "path") == ["AC-DC.pdf", "Papers/2020/AC-DC (2).pdf"])
    }

    @Test("Previews are covers where iOS opens the container, scans everywhere", arguments: versions)
    func covers(ios: String) throws {
        let bench = try bench(ios)
        let picture = GoodReaderPictures.jpeg
        try reader(bench).add(SimulatedPDF(title: "Text", size: 50_000), at: "A/text.pdf")
        try reader(bench).add(SimulatedPDF(title: "Scan", size: 50_000, scan: picture), at: "scan.pdf")
        try reader(bench).writePreview(of: "A/text.pdf", picture)
        let files = ["Scan", "Text"].map { bench.folder.path("\($0).jpg") }
        #expect(try bench.run("info", "Scan", "--cover", files[0]).status == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: files[0])) == Data(picture))
        let text = try bench.run("info", "Text", "--cover", files[1])
        if ios == "8.1" {
            #expect(text.status == 0, "\(text.errors)")
            #expect(try Data(contentsOf: URL(fileURLWithPath: files[1])) == Data(picture))
        } else {
            #expect(text.status != 0 && !FileManager.default.fileExists(atPath: files[1]))
        }
    }

    @Test(
        "Titles and authors are kept beside the documents, and follow one that is moved", arguments: versions)
    func edits(ios: String) throws {
        let bench = try bench(ios)
        try reader(bench).add(SimulatedPDF(title: "Old", author: "A", size: 50_000), at: "A/a.pdf")
        let file = reader(bench).container.document("A/a.pdf")
        let before = try Data(contentsOf: file)
        let title = "He said \"no\" & left"
        let update = try bench.json("update", "A/a.pdf", "--title", title, "--author", "B", "--author", "C")
        #expect(update.texts("results", "status") == ["updated"], "\(update.errors)")
        let folder = reader(bench).container.document("New/Folder")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try FileManager.default.moveItem(at: file, to: folder.appendingPathComponent("b.pdf"))
        let book = try #require(try bench.json("books").rows("books").first)
        #expect(book["path"] as? String == "New/Folder/b.pdf" && book["title"] as? String == title)
        #expect(book["authors"] as? [String] == ["B", "C"])
        #expect(try Data(contentsOf: folder.appendingPathComponent("b.pdf")) == before)
        let collections = try bench.json("collections", "--add", "Other", "New/Folder/b.pdf")
        #expect(collections.status != 0)
        #expect(FileManager.default.fileExists(atPath: folder.appendingPathComponent("b.pdf").path))
    }

    @Test("The cache that calibre's plugin left is read before iOS 8.3, a damaged one is passed over")
    func calibreCache() throws {
        let bench = try bench("8.1")
        try reader(bench).add(SimulatedPDF(title: "In the file", size: 50_000), at: "A/a.pdf")
        let size =
            try FileManager.default.attributesOfItem(
                atPath: reader(bench).container.document("A/a.pdf").path)[.size] as? Int
        try reader(bench).writeCache([
            GoodReaderCacheRow(
                path: "A/a.pdf", title: "In calibre", authors: "A & B", size: size.map { Int64($0) })
        ])
        let book = try #require(try bench.json("books").rows("books").first)
        #expect(book["title"] as? String == "In calibre" && book["authors"] as? [String] == ["A", "B"])
        try FileManager.default.removeItem(atPath: bench.folder.path("cache"))
        try Data(repeating: 0x41, count: 9_000).write(to: reader(bench).container.cache)
        let list = try bench.json("books")
        #expect(list.status == 0 && list.texts("books", "title") == ["In the file"])
    }

    @Test("Both names of the app choose the one overlay, each on its own bundle id")
    func bothNames() throws {
        for (name, id) in [
            ("GoodReader", SimulatedGoodReader.phoneID), ("GoodReader 4", SimulatedGoodReader.fourthID),
        ] {
            let bench = try bench("17.0", id)
            try SimulatedGoodReader(device: bench.device, bundleID: id)
                .add(SimulatedPDF(title: "Here", size: 9_000), at: "a.pdf")
            #expect(try bench.run("prefs", "set", "preferred_reader_app", name).status == 0)
            let list = try bench.json("books")
            #expect(list.status == 0, "\(list.errors)")
            #expect(list["overlay"] as? String == "goodreader" && list.texts("books", "title") == ["Here"])
            let other = name == "GoodReader" ? "GoodReader 4" : "GoodReader"
            #expect(try bench.json("books", "--app", other).status == 69)
        }
    }

    @Test("With both apps on the device, each name lists its own documents")
    func bothApps() throws {
        let bench = try ReaderBench(marvin: false) {
            $0.iosVersion = "17.0"
            $0.apps = [
                SimulatedGoodReader.app(), SimulatedGoodReader.app(bundleID: SimulatedGoodReader.fourthID),
            ]
        }
        for (id, title) in [(SimulatedGoodReader.padID, "Old"), (SimulatedGoodReader.fourthID, "New")] {
            try SimulatedGoodReader(device: bench.device, bundleID: id)
                .add(SimulatedPDF(title: title, size: 9_000), at: "same.pdf")
        }
        #expect(try bench.json("books", "--app", "GoodReader").texts("books", "title") == ["Old"])
        #expect(try bench.json("books", "--app", "GoodReader 4").texts("books", "title") == ["New"])
    }

    @Test("Other formats are listed and taken if the switch allows them, and an unknown format is refused")
    func formats() throws {
        let bench = try bench("9.3")
        try reader(bench).add(Array("Some text.".utf8), at: "notes/a.txt")
        #expect(try bench.json("books").rows("books").isEmpty)
        #expect(try bench.run("prefs", "set", "goodreader_formats", #"["pdf", "txt"]"#).status == 0)
        #expect(try bench.json("books").texts("books", "path") == ["notes/a.txt"])
        let text = try bench.file("letter.txt", "Dear reader")
        let upload = try bench.json("upload", text)
        #expect(upload.texts("results", "path") == ["letter.txt"], "\(upload.rows("results"))")
        #expect(try bench.run("prefs", "set", "goodreader_formats", #"["epub"]"#).status != 0)
    }
}

/// Bytes that begin and end as a JPEG file does.
enum GoodReaderPictures {
    static let jpeg: [UInt8] =
        [0xFF, 0xD8, 0xFF, 0xE0, 0, 16] + Array("JFIF".utf8) + [0, 1, 1, 0, 0, 1, 0, 1, 0, 0]
        + [UInt8](repeating: 0x20, count: 400) + [0xFF, 0xD9]
}
