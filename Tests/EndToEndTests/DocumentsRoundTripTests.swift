import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("A current reader app with file sharing is served on every iOS, from the command line to the wire")
struct DocumentsRoundTripTests {
    private static let systems = ["8.1", "9.3", "17.0"]

    private func bench(_ ios: String, _ app: SimulatedApp = SimulatedReader.paperback()) throws -> ReaderBench
    {
        try ReaderBench(marvin: false) {
            $0.iosVersion = ios
            $0.apps = [app]
        }
    }

    private func reader(_ bench: ReaderBench) -> SimulatedReader { SimulatedReader(device: bench.device) }

    @Test("Books in folders of any depth are listed with what they say of themselves", arguments: systems)
    func listing(ios: String) throws {
        let bench = try bench(ios)
        let list = try bench.json("books")
        #expect(list.status == 0, "\(list.errors)")
        #expect(list["overlay"] as? String == "documents")
        #expect(list["app"] as? String == "Paperback")
        #expect(
            list.texts("books", "path").sorted() == [
                "Crime/Holmes/sign4.epub", "Crime/Unpacked.epub", "Emma.epub", "Papers/notes.pdf",
            ])
        #expect(
            list.texts("books", "title").sorted() == [
                "Emma", "Field Notes", "The Sign of the Four", "Unpacked",
            ])
        for words in [["sign of"], ["\"sign of\""]] {
            #expect(
                try bench.json(["books"] + words).texts("books", "title") == ["The Sign of the Four"],
                "\(words)")
        }
        #expect(try bench.json("books", "\"of sign\"").rows("books").isEmpty)
        let holmes = try #require(
            list.rows("books").first { $0["path"] as? String == "Crime/Holmes/sign4.epub" })
        #expect(holmes["authors"] as? [String] == ["Arthur Conan Doyle"])
        #expect(holmes["series"] as? String == "Sherlock Holmes")
        #expect(holmes["collections"] as? [String] == ["Crime/Holmes"])
        #expect(holmes["format"] as? String == "application/epub+zip")
        #expect(holmes["cover"] is [String: Any])
    }

    @Test("Books are added, fetched unchanged and deleted", arguments: systems)
    func roundTrip(ios: String) throws {
        let bench = try bench(ios)
        let files = try [RealBooks.history("fr"), RealBooks.developersReference()]
        let upload = try bench.json("upload", files[0].path, files[1].path, "--collection", "Debian/Docs")
        #expect(upload.status == 0, "\(upload.errors)")
        #expect(upload.texts("results", "status") == ["added", "added"])
        let paths = upload.texts("results", "path")
        try #require(paths.count == 2)
        #expect(paths.allSatisfy { $0.hasPrefix("Debian/Docs/") && $0.hasSuffix(".epub") })
        #expect(try bench.json("upload", files[0].path).texts("results", "status") == ["skipped"])
        let list = try bench.json("books")
        #expect(list.rows("books").count == 6)

        let target = bench.folder.path("fetched")
        let get = try bench.json("get", paths[0], paths[1], "-o", target)
        #expect(get.texts("results", "status") == ["fetched", "fetched"], "\(get.errors)")
        for (path, file) in zip(get.texts("results", "path"), files) {
            #expect(FileManager.default.contentsEqual(atPath: path, andPath: file.path))
        }

        let delete = try bench.json("delete", paths[0], "Emma.epub", "--yes")
        #expect(delete.texts("results", "status") == ["deleted", "deleted"])
        let left = try reader(bench).files()
        #expect(left.contains(paths[1]))
        #expect(!left.contains(paths[0]))
        #expect(left.contains("library.sqlite"))
    }

    @Test("A title becomes the file's name, and a collection its folder", arguments: systems)
    func changes(ios: String) throws {
        let bench = try bench(ios)
        let update = try bench.json("update", "Crime/Holmes/sign4.epub", "--title", "The Sign / of Four")
        #expect(update.status == 0, "\(update.errors)")
        #expect(update.texts("results", "status") == ["updated"])
        #expect(update.texts("results", "path") == ["Crime/Holmes/The Sign - of Four.epub"])
        let list = try bench.json("books")
        #expect(list.texts("books", "title").contains("The Sign / of Four"))

        let path = "Crime/Holmes/The Sign - of Four.epub"
        let both = try bench.json("collections", "--add", "Classics", path)
        #expect(both.texts("results", "status") == ["failed"])
        let moved = try bench.json("collections", "--add", "Classics", "--remove", "Crime/Holmes", path)
        #expect(moved.texts("results", "path") == ["Classics/The Sign - of Four.epub"], "\(moved.errors)")
        let files = try reader(bench).files()
        #expect(files.contains("Classics/The Sign - of Four.epub"))
        #expect(!FileManager.default.fileExists(atPath: reader(bench).document("Crime/Holmes").path))
    }

    @Test("A full device leaves no half file behind, and the same upload finishes later", arguments: systems)
    func fullDevice(ios: String) throws {
        let bench = try bench(ios)
        try bench.device.update {
            $0.faults = FaultPlan([Fault(.diskFull(keeping: 1000), operation: "FILE_WRITE")])
        }
        let book = try RealBooks.history("it").path
        let upload = try bench.json("upload", book)
        #expect(upload.texts("results", "status") == ["failed"])
        #expect(upload.status == 1)
        let all = try FileManager.default.subpathsOfDirectory(atPath: reader(bench).documents.path)
        #expect(!all.contains { $0.hasSuffix(".part") || $0.contains("claim") }, "\(all)")
        try bench.device.update { $0.faults = FaultPlan() }
        #expect(try bench.json("upload", book).texts("results", "status") == ["added"])
    }

    @Test("A damaged book is added with a warning that names the damage, for a person and for a program")
    func damaged() throws {
        let bench = try bench("17.0")
        let file = try bench.file("garbage.epub", "no book at all")
        let upload = try bench.json("upload", file)
        #expect(upload.status == 0 && upload.texts("results", "status") == ["added"], "\(upload.errors)")
        #expect(upload.texts("results", "message").first?.contains("not EPUB") == true)
        let other = try bench.file("other.epub", "no book either")
        let shown = try bench.run("upload", other)
        #expect((shown.output + shown.errors).contains("not EPUB"), "\(shown.output) \(shown.errors)")
    }

    @Test("An existing book moves into the requested collection", arguments: systems)
    func replacedIntoCollection(ios: String) throws {
        let bench = try bench(ios)
        let book = try RealBooks.history("fr").path
        let first = try bench.json("upload", book, "--collection", "Old")
        let old = try #require(first.texts("results", "path").first)
        let again = try bench.json("upload", book, "--collection", "New", "--on-conflict", "replace")
        #expect(again.texts("results", "status") == ["updated"], "\(again.errors)")
        #expect(
            again.texts("results", "message") == [
                "The same file was already on the device. It was moved here from '\(old)'."
            ])
        let path = try #require(again.texts("results", "path").first)
        #expect(path.hasPrefix("New/"))
        let files = try reader(bench).files()
        #expect(files.contains(path) && !files.contains(old))
        let same = try bench.json("upload", book, "--collection", "New", "--on-conflict", "replace")
        #expect(same.texts("results", "status") == ["skipped"], "\(same.errors)")
        #expect(same.texts("results", "message") == ["The same file is already on the device."])
    }

    @Test("An unpacked EPUB comes back as one file")
    func unpacked() throws {
        let bench = try bench("17.0")
        let get = try bench.json("get", "Crime/Unpacked.epub", "-o", bench.folder.path("fetched"))
        #expect(get.texts("results", "status") == ["fetched"], "\(get.errors)")
        let path = try #require(get.texts("results", "path").first)
        let info = try bench.json("info", path)
        #expect(info["title"] as? String == "Unpacked")
    }

    @Test("A cover is saved, and a second listing reads no file again")
    func coverAndCache() throws {
        let bench = try bench("17.0")
        let file = bench.folder.path("cover.jpg")
        let info = try bench.run("info", "Emma.epub", "--cover", file)
        #expect(info.status == 0, "\(info.errors)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)).starts(with: [0xFF, 0xD8]))
        _ = try bench.json("books")
        let before = bench.device.counters.bytesSent
        let list = try bench.json("books")
        #expect(list.rows("books").count == 4)
        // Names and sizes of a dozen files, and the cost of a connection, but no content.
        #expect(bench.device.counters.bytesSent - before < 60_000)
    }

    @Test("An app without file sharing is refused with the reason")
    func refused() throws {
        let bench = try bench("17.0", SimulatedReader.paperback(fileSharing: false))
        let list = try bench.json("books", "--app", SimulatedReader.paperbackID)
        #expect(list.status != 0)
        #expect(list.error("message") != nil)
    }
}
