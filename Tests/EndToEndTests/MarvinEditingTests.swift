import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("Books in Marvin are changed from the command line")
struct MarvinEditingTests {
    private let title = "Eine kurze Geschichte von Debian"

    @Test("update changes what is named and nothing else")
    func update() throws {
        let bench = try ReaderBench(books: [RealBooks.history("de"), RealBooks.history("en")])
        let before = try bench.json("info", title)
        let update = try bench.json(
            "update", title, "--title", "Debian & \"Söhne\"", "--author", "Ada", "--author", "Bob",
            "--series", "Linux",
            "--series-index", "2.5", "--publisher", "Verlag", "--pubdate", "2024-02-29", "--tag", "one",
            "--tag",
            "two", "--rating", "4", "--description", "<p>About</p>")
        #expect(update.status == 0, "\(update.errors) \(update.rows("results"))")
        #expect(update.texts("results", "status") == ["updated"])
        let path = try #require(update.texts("results", "path").first)
        let after = try bench.json("info", path)
        #expect(after["title"] as? String == "Debian & \"Söhne\"")
        #expect(after["authors"] as? [String] == ["Ada", "Bob"])
        #expect(after["series"] as? String == "Linux")
        #expect(after["series_index"] as? Double == 2.5)
        #expect(after["publisher"] as? String == "Verlag")
        #expect(after["pubdate"] as? String == "2024-02-29")
        #expect(Set(after["tags"] as? [String] ?? []) == ["one", "two"])
        #expect(after["rating"] as? Double == 4)
        #expect(after["description"] as? String == "<p>About</p>")
        #expect(after["uuid"] as? String == before["uuid"] as? String)
        #expect(after["collections"] as? [String] == before["collections"] as? [String])
        #expect(after["size"] as? Int == before["size"] as? Int)
        #expect(try bench.json("books").rows("books").count == 2)
        #expect(try bench.staged().isEmpty)
    }

    @Test("An empty value clears a field, and the others stay")
    func cleared() throws {
        let bench = try ReaderBench(books: [RealBooks.developersReference()])
        let path = try #require(try bench.json("books").texts("books", "path").first)
        #expect(try bench.json("update", path, "--series", "S", "--tag", "t").status == 0)
        #expect(try bench.json("update", path, "--series=").status == 0)
        let info = try bench.json("info", path)
        #expect((info["series"] as? String ?? "").isEmpty)
        #expect(info["tags"] as? [String] == ["t"])
    }

    @Test("The fields of a sidecar are taken, and an option goes before it")
    func sidecar() throws {
        let bench = try ReaderBench(books: [RealBooks.history("de")])
        let sidecar = try bench.file(
            "metadata.opf",
            """
            <?xml version="1.0" encoding="utf-8"?>
            <package xmlns="http://www.idpf.org/2007/opf" version="2.0">
              <metadata xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf">
                <dc:title>From the sidecar</dc:title>
                <dc:creator opf:role="aut" opf:file-as="Lovelace, Ada">Ada Lovelace</dc:creator>
                <dc:publisher>Sidecar House</dc:publisher>
              </metadata>
            </package>
            """)
        let update = try bench.json("update", title, "--from-sidecar", sidecar, "--publisher", "Mine")
        #expect(update.status == 0, "\(update.errors) \(update.rows("results"))")
        let path = try #require(update.texts("results", "path").first)
        let info = try bench.json("info", path)
        #expect(info["title"] as? String == "From the sidecar")
        #expect(info["authors"] as? [String] == ["Ada Lovelace"])
        #expect(info["publisher"] as? String == "Mine")
        let missing = try bench.json("update", path, "--from-sidecar", bench.folder.path("none.opf"))
        #expect(missing.status == 66)
    }

    @Test("A new cover is the one that comes back")
    func cover() throws {
        let bench = try ReaderBench(books: [RealBooks.history("de")])
        let path = try #require(try bench.json("books").texts("books", "path").first)
        let image = bench.folder.path("cover.jpg")
        let bytes = Data(SmallImage.jpeg)
        try bytes.write(to: URL(fileURLWithPath: image))
        let update = try bench.json("update", path, "--cover", image)
        #expect(update.status == 0, "\(update.errors) \(update.rows("results"))")
        let saved = bench.folder.path("saved")
        #expect(try bench.json("info", path, "--cover", saved).status == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: saved)) == bytes)
    }

    @Test("Books go into collections and out of them, unless that is switched off")
    func collections() throws {
        let bench = try ReaderBench(books: [RealBooks.history("de"), RealBooks.history("en")])
        let paths = try bench.json("books").texts("books", "path")
        let add = try bench.json("collections", "--add", "To read & \"more\"", paths[0], paths[1], "nothing")
        #expect(add.status == 1, "\(add.errors)")
        #expect(add.texts("results", "status") == ["updated", "updated", "failed"])
        let listed = try bench.json("collections")
        let collection = try #require(
            listed.rows("collections").first { $0["name"] as? String == "To read & \"more\"" })
        #expect(Set(collection["books"] as? [String] ?? []) == Set(paths))
        #expect(try bench.run("collections").output.contains("To read & \"more\""))
        #expect(try bench.json("collections", "--remove", "To read & \"more\"", paths[0]).status == 0)
        let books = try bench.json("books").rows("books")
        for book in books {
            let isIn = (book["collections"] as? [String] ?? []).contains("To read & \"more\"")
            #expect(isIn == (book["path"] as? String == paths[1]))
        }
        let unknown = try bench.json("collections", "--remove", "To raed", paths[0])
        #expect(unknown.texts("results", "message") == ["The book is not in 'To raed'."])
        #expect(try bench.staged().isEmpty)
        #expect(try bench.run("prefs", "set", "marvin_edit_collections_cb", "false").status == 0)
        let off = try bench.json("collections", "--add", "Other", paths[0])
        #expect(off.status != 0)
        let said =
            [off.error("message"), off.error("hint"), off.errors] + off.texts("results", "message")
            + off.texts("results", "hint")
        #expect(said.contains { $0?.contains("marvin_edit_collections_cb") ?? false }, "\(said)")
        #expect(try bench.json("collections").texts("collections", "name").contains("Other") == false)
    }

    @Test("A missing book, or a field that the app cannot change, is reported")
    func refused() throws {
        let bench = try ReaderBench(books: [RealBooks.history("de")])
        let missing = try bench.json("update", "no such book", "--title", "x")
        #expect(missing.status == 1)
        #expect(missing.texts("results", "code") == ["not_found"])
    }

    @Test("An empty title is refused for that book, and the book stays as it is")
    func emptyTitle() throws {
        let bench = try ReaderBench(books: [RealBooks.history("de")])
        let update = try bench.json("update", title, "--title", " ", "--publisher", "Verlag")
        #expect(update.status == 64)
        #expect(update.texts("results", "message") == ["A book must have a title."])
        #expect(try bench.json("info", title)["publisher"] as? String != "Verlag")
    }

    @Test("A full device is named once, without the file that did not fit")
    func fullDevice() throws {
        let bench = try ReaderBench(books: [RealBooks.history("de")])
        try bench.device.update {
            $0.faults = FaultPlan([
                Fault(.diskFull(keeping: 0), path: .below("/Library/calibre"), operation: "FILE_WRITE")
            ])
        }
        let delete = try bench.json("delete", title, "--yes")
        #expect(delete.texts("results", "code") == ["no_space"], "\(delete.errors)")
        #expect(
            delete.texts("results", "message") == [
                "The book was not deleted. The device has no space left for a command to Marvin."
            ])
        #expect(!delete.errors.contains(".overlayhost-claim"), "\(delete.errors)")
        #expect(try bench.json("books").rows("books").count == 1)
    }

    @Test(
        "Custom columns of a calibre library give a new book its collections, its lock and its number of words"
    )
    func customColumns() throws {
        let bench = try ReaderBench()
        let folder = bench.folder.url.appendingPathComponent("calibre book")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let book = folder.appendingPathComponent("story.epub")
        try FileManager.default.copyItem(at: RealBooks.history("de"), to: book)
        func column(_ lookup: String, _ heading: String, _ type: String, _ value: String) -> String {
            let json =
                ##"{"name": "\##(heading)", "datatype": "\##(type)", "label": "x", "#value#": \##(value)}"##
            return
                ##"<meta name="calibre:user_metadata:\##(lookup)" content="\##(json.replacing("\"", with: "&quot;"))"/>"##
        }
        let package = """
            <?xml version="1.0" encoding="utf-8"?>
            <package xmlns="http://www.idpf.org/2007/opf" version="2.0">
              <metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Mit Spalten</dc:title>
              \(column("#mm_collections", "Collections", "text", #"["Neu & alt", "Krimi", "read"]"#))
              \(column("#mm_locked", "Locked", "bool", "true"))
              \(column("#mm_word_count", "Word count", "int", "81234"))
              </metadata>
            </package>
            """
        try Data(package.utf8).write(to: folder.appendingPathComponent("metadata.opf"))
        let mappings = ##"""
            {"Calibre Library": {"marvin_collections": {"field": "#mm_collections", "combobox": "Collections"},
            "marvin_locked": {"field": "#mm_locked", "combobox": "Locked"},
            "marvin_word_count": {"field": "#mm_word_count", "combobox": "Word count"}}}
            """##
        #expect(try bench.run("prefs", "set", "cc_mappings", mappings).status == 0)
        let upload = try bench.json("upload", book.path, "--library", "Calibre Library")
        #expect(upload.texts("results", "status") == ["added"], "\(upload.errors)")
        let path = try #require(upload.texts("results", "path").first)
        let info = try bench.json("info", path)
        // Flags are never taken from columns.
        #expect(Set(info["collections"] as? [String] ?? []) == ["Krimi", "NEW", "Neu & alt"])
        #expect(info["locked"] as? Bool == true && info["word_count"] as? Int == 81234)
    }

    @Test("A command of Marvin's own is sent in development mode only, and its answer comes back")
    func perform() throws {
        let bench = try ReaderBench(books: [RealBooks.history("de")])
        let refused = try bench.json("perform", "BACKUPMANIFEST")
        #expect(refused.status == 78)
        #expect(refused.error("hint")?.contains("development_mode") == true)
        #expect(try bench.run("prefs", "set", "development_mode", "true").status == 0)
        let file = bench.folder.path("answer")
        let answer = try bench.json("perform", "BACKUPMANIFEST", "-o", file)
        #expect(answer.status == 0, "\(answer.errors) \(answer.error("message") ?? "")")
        #expect(try !Data(contentsOf: URL(fileURLWithPath: file)).isEmpty)
        let locked = try bench.json("perform", "LockBooks", title)
        #expect(locked.status == 0, "\(locked.errors) \(locked.error("message") ?? "")")
        #expect(try bench.json("perform", "NoSuchCommand").status != 0)
    }

    @Test("Where everything is allowed, apps says that nothing is missing")
    func apps() throws {
        let bench = try ReaderBench()
        let app = try #require(try bench.json("apps").rows("apps").first)
        #expect((app["missing"] as? [Any])?.isEmpty == true)
    }

    @Test("All devices take a change at once")
    func many() throws {
        let bench = try ReaderBench(books: [RealBooks.history("de")])
        let update = try bench.json("update", title, "--publisher", "Verlag", "--device", "all")
        #expect(update.status == 0, "\(update.errors)")
        let rows = update.rows("devices").first?["results"] as? [[String: Any]]
        #expect(rows?.first?["status"] as? String == "updated")
        let listed = try bench.json("collections", "--device", "all")
        #expect(listed.rows("devices").first?["collections"] != nil)
    }
}

/// The smallest image of its kind that decoders take.
private enum SmallImage {
    static let jpeg: [UInt8] = {
        let table = [UInt8](repeating: 1, count: 64)
        var bytes: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0] + table
        bytes += [0xFF, 0xC0, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0]
        bytes += [0xFF, 0xC4, 0, 20, 0, 1] + [UInt8](repeating: 0, count: 15) + [0]
        bytes += [0xFF, 0xC4, 0, 20, 0x10, 1] + [UInt8](repeating: 0, count: 15) + [0]
        bytes += [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, 0x3F, 0xFF, 0xD9]
        return bytes
    }()
}
