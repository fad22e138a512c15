import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("A command says which app it uses if the user has not named one")
struct UnnamedAppTests {
    private func bench() throws -> ReaderBench {
        try ReaderBench(marvin: false) {
            $0.iosVersion = "17.0"
            $0.apps = [SimulatedReader.kindle(), SimulatedReader.paperback(), SimulatedBooks.app()]
        }
    }

    @Test("Reading commands name the app, unless --app, a preference, --quiet or --json is given")
    func heading() throws {
        let bench = try bench()
        let heading = "Kindle on "
        #expect(try bench.run("books").errors.contains(heading))
        for words in [["--app", "Kindle"], ["--quiet"], ["--json"]] {
            #expect(!(try bench.run(words: ["books"] + words).errors.contains(heading)), "\(words)")
        }
        #expect(try bench.json("prefs", "set", "preferred_reader_app", "Kindle").status == 0)
        #expect(!(try bench.run("books").errors.contains(heading)))
        #expect(try bench.run("eject").errors.isEmpty)
    }

    @Test("A file that the app does not accept is refused with the name of an app that does")
    func otherApp() throws {
        let bench = try bench()
        let file = bench.folder.url.appendingPathComponent("a.epub")
        try SyncSource.book(title: "A", author: "Ann Author", words: "one").write(to: file)
        let row = try #require(try bench.json("upload", file.path).rows("results").first)
        #expect(row["code"] as? String == "unsupported_format")
        #expect(
            row["hint"] as? String == "Convert the book first. Paperback may accept it: use --app Paperback.")
        #expect(row["hint_code"] as? String == "choose_app")
        #expect(
            try bench.json("upload", file.path, "--app", "Paperback").texts("results", "status") == ["added"])
    }

    @Test("Without --app, annotations searches every app, also those without an overlay of their own")
    func annotations() throws {
        let bench = try bench()
        for id in [SimulatedReader.paperbackID, SimulatedReader.kindleID] {
            let documents = bench.device.containerFolder(of: id).appendingPathComponent("Documents")
            try Data(HighlightedPDF.bytes()).write(to: documents.appendingPathComponent("marked.pdf"))
        }
        let all = try bench.json("annotations")
        #expect(all.status == 0, "\(all.errors)")
        #expect(Set(all.texts("books", "app")) == ["Kindle", "Paperback"])
        #expect(try bench.json("annotations", "--app", "Paperback").texts("books", "app") == ["Paperback"])
        // A name that no app knows does not hold the others back.
        let some = try bench.json("annotations", "none", "marked.pdf", "--app", "Paperback")
        #expect(some.status == 1 && some.texts("books", "app") == ["Paperback"])
        #expect(some.errors.contains("none: No book has this path, uuid, title or cite key."))
        // Nor does a beginning of a title that comes after it.
        #expect(
            try bench.json("annotations", "none", "mark", "--app", "Paperback").texts("books", "app") == [
                "Paperback"
            ])
        #expect(try bench.json("annotations", "none", "--app", "Paperback").error("code") == "not_found")
    }

    @Test("The hint to list the books names the app as the user did")
    func listHint() throws {
        let bench = try bench()
        let id = SimulatedReader.paperbackID
        #expect(
            try bench.json("info", "none", "--app", id).error("hint")
                == "List the books with: overlayhost books --app \(id)")
        #expect(try bench.json("info", "none").error("hint") == "List the books with: overlayhost books")
    }
}
