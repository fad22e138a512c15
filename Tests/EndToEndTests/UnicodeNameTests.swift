import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("A name typed in one Unicode form finds a book that the device lists in the other")
struct UnicodeNameTests {
    /// "é" as one scalar, as a keyboard writes it, and as two, as HFS+ lists it.
    private let composed = "Caf\u{E9}"
    private let decomposed = "Cafe\u{301}"

    private func bytes(_ texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }

    /// The names in a folder as bytes.
    private func names(_ folder: URL) throws -> [[UInt8]] {
        bytes(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted())
    }

    /// Makes a copy of a book whose title is in either form.
    private func book(_ title: String, in bench: ReaderBench, named name: String) throws -> String {
        let place = bench.folder.url.appendingPathComponent(name)
        try SampleEPUB(title: title, authors: ["Ann"]).write(to: place)
        return place.path
    }

    @Test(
        "Files in a folder are found in either form",
        arguments: ["info", "get", "delete", "update", "collections", "upload"])
    func folder(command: String) throws {
        let bench = try ReaderBench(marvin: false) {
            $0.iosVersion = "17.0"
            $0.apps = [SimulatedReader.paperback()]
        }
        let reader = SimulatedReader(device: bench.device)
        _ = try bench.json("books")
        let folder = try reader.place("\(decomposed)/\(decomposed).epub").deletingLastPathComponent()
        try SampleEPUB(title: decomposed, authors: ["Ann"]).write(
            to: folder.appendingPathComponent("\(decomposed).epub"))
        #expect(try names(folder) == bytes(["\(decomposed).epub"]))
        let path = "\(composed)/\(composed).epub"
        let listed = "\(decomposed)/\(decomposed).epub"
        switch command {
        case "info":
            let info = try bench.json("info", path)
            #expect(bytes([info["path"] as? String ?? ""]) == bytes([listed]), "\(info.errors)")
        case "get":
            let get = try bench.json("get", path, "-o", bench.folder.path("out"))
            #expect(get.texts("results", "status") == ["fetched"], "\(get.errors)")
        case "delete":
            #expect(try bench.json("delete", path, "--yes").texts("results", "status") == ["deleted"])
            #expect(try names(folder).isEmpty)
        case "update":
            let update = try bench.json("update", path, "--title", "Tea")
            #expect(update.texts("results", "status") == ["updated"], "\(update.errors)")
            #expect(try names(folder) == bytes(["Tea.epub"]))
        case "collections":
            let away = try bench.json("collections", "--remove", composed, path)
            #expect(away.texts("results", "status") == ["updated"], "\(away.errors)")
            #expect(bytes(away.texts("results", "path")) == bytes(["\(decomposed).epub"]))
            try SampleEPUB(title: "Other", authors: ["Bo"]).write(
                to: try reader.place("\(decomposed)/other.epub"))
            let back = try bench.json("collections", "--add", composed, "\(composed).epub")
            #expect(back.texts("results", "status") == ["updated"], "\(back.errors)")
            #expect(bytes(back.texts("results", "path")) == bytes([listed]))
            #expect(back.texts("results", "message").isEmpty)
        default:
            let file = try book(composed, in: bench, named: "\(composed).epub")
            let upload = try bench.json("upload", file, "--collection", composed)
            #expect(upload.texts("results", "status") == ["skipped"], "\(upload.errors)")
            #expect(try names(folder) == bytes(["\(decomposed).epub"]))
            #expect(try names(reader.documents).filter { $0.starts(with: "Caf".utf8) }.count == 1)
        }
    }

    @Test(
        "Marvin's books are found in either form",
        arguments: ["info", "get", "delete", "update", "collections", "upload"])
    func marvin(command: String) throws {
        let bench = try ReaderBench()
        let books = try [decomposed, "Tea"].map {
            URL(fileURLWithPath: try book($0, in: bench, named: "\($0).epub"))
        }
        let library = MarvinLibrary(bench.container)
        let documents = bench.container.documents
        for (own, name) in zip(try library.populate(books: books), ["\(decomposed).epub", "Tea.epub"]) {
            try library.execute("UPDATE Books SET FileName = '\(name)' WHERE FileName = '\(own)'")
            try FileManager.default.moveItem(
                atPath: documents.path + "/" + own, toPath: documents.path + "/" + name)
        }
        try #require(try names(documents) == bytes(["\(decomposed).epub", "Tea.epub"]))
        let path = "\(composed).epub"
        switch command {
        case "info":
            let info = try bench.json("info", path)
            #expect(bytes([info["path"] as? String ?? ""]) == bytes(["\(decomposed).epub"]), "\(info.errors)")
        case "get":
            let get = try bench.json("get", path, "-o", bench.folder.path("out"))
            #expect(get.texts("results", "status") == ["fetched"], "\(get.errors)")
        case "delete":
            #expect(try bench.json("delete", path, "--yes").texts("results", "status") == ["deleted"])
            #expect(try names(documents) == bytes(["Tea.epub"]))
        case "update":
            let update = try bench.json("update", path, "--title", "Milk")
            #expect(update.texts("results", "status") == ["updated"], "\(update.errors)")
            #expect(bytes(update.texts("results", "path")) == bytes(["\(decomposed).epub"]))
        case "collections":
            #expect(try bench.json("collections", "--add", decomposed, path).status == 0)
            #expect(try bench.json("collections", "--add", composed, "Tea.epub").status == 0)
            let named = try bench.json("collections").rows("collections")
                .filter { $0["name"] as? String == composed }
            #expect(bytes(named.compactMap { $0["name"] as? String }) == bytes([decomposed]))
            #expect((named.first?["books"] as? [String])?.count == 2)
            #expect(try bench.json("collections", "--remove", composed, path).status == 0)
        default:
            let file = try book(composed, in: bench, named: "\(composed).epub")
            let upload = try bench.json("upload", file)
            #expect(upload.texts("results", "status") == ["skipped"], "\(upload.errors)")
            #expect(try names(documents) == bytes(["\(decomposed).epub", "Tea.epub"]))
        }
    }

    @Test("The books of Books are found in either form", arguments: ["info", "get", "delete", "upload"])
    func books(command: String) throws {
        let bench = try BooksBench(populated: false)
        try bench.allowWriting()
        var listed = SimulatedBook(
            path: "\(composed).epub", title: decomposed, artist: "Ann", persistentID: "AAAABBBBCCCCDDDD")
        let file = try book(decomposed, in: bench.bench, named: "1.epub")
        listed.file = try Array(Data(contentsOf: URL(fileURLWithPath: file)))
        try bench.books.populate([listed], binary: [])
        // The list spells the name in one way, the folder in the other.
        let folder = bench.books.folder
        try FileManager.default.moveItem(
            atPath: folder.appendingPathComponent("\(composed).epub").path,
            toPath: folder.path + "/\(decomposed).epub")
        let path = "\(composed).epub"
        switch command {
        case "info":
            let info = try bench.json("info", path)
            #expect(bytes([info["path"] as? String ?? ""]) == bytes(["\(decomposed).epub"]), "\(info.errors)")
        case "get":
            let get = try bench.json("get", path, "-o", bench.bench.folder.path("out"))
            #expect(get.texts("results", "status") == ["fetched"], "\(get.errors)")
        case "delete":
            #expect(try bench.json("delete", path, "--yes").texts("results", "status") == ["deleted"])
            #expect(try bench.json("books").rows("books").isEmpty)
        default:
            let other = try book(composed, in: bench.bench, named: "2.epub")
            #expect(try bench.json("upload", other).texts("results", "status") == ["skipped"])
        }
    }

    @Test("Unicode names of a device and an app are shown")
    func deviceAndApp() throws {
        let bench = try ReaderBench(marvin: false) {
            $0.iosVersion = "17.0"
            $0.name = "\(decomposed) iPad"
            $0.apps = [SimulatedReader.paperback()]
            $0.apps[0].name = "\(decomposed) Reader"
        }
        for device in ["\(composed) iPad", composed] {
            #expect(try bench.json("devices", "--device", device).rows("devices").count == 1)
        }
        let list = try bench.json("books", "--app", "\(composed) Reader", "--device", composed)
        #expect(list.status == 0, "\(list.errors)")
        #expect(list["app"] as? String == "\(decomposed) Reader")
    }
}
