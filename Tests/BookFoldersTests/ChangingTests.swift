import BookFolders
import OverlayKitTesting
import OverlayKit
import Testing

@Suite("Books are renamed, moved, fetched and deleted, and nothing else is touched")
struct ChangingTests {
    let bench = ShelfBench()
    var host: MemoryHost { bench.host }

    @Test("A new title is the file's new name, and stays the title")
    func renamed() throws {
        host.put("A/old.epub", bookText("Old title"))
        let rows = try bench.sync { $0[0].title = "New: title/2" }
        #expect(rows.map(\.outcome) == [.updated])
        #expect(rows[0].path == "A/New: title-2.epub")
        #expect(host.documents == ["A/New: title-2.epub"])
        host.resetCounts()
        let book = try #require(try bench.books().first)
        #expect(book.title == "New: title/2")
        #expect(book.collections == ["A"])
        #expect(host.bytesRead == 0)
    }

    @Test("An edit that changes nothing has no effect")
    func unchanged() throws {
        host.put("A/old.epub", bookText("Old title", ["A"]))
        #expect(try bench.sync { _ in }.isEmpty)
        #expect(!host.operations.contains { $0.hasPrefix("rename") })
    }

    @Test("A name that is taken gets a number, and no file is written over")
    func taken() throws {
        host.put("a.epub", bookText("A", filler: "1"))
        host.put("Target.epub", bookText("B", filler: "2"))
        let rows = try bench.sync { $0[0].title = "target" }
        #expect(rows[0].path == "target (2).epub")
        #expect(host.documents == ["Target.epub", "target (2).epub"])
        host.before = { [unowned host] operation, path in
            if operation == "stat", path == "/Documents/Sudden.epub" {
                host.put("Sudden.epub", "came meanwhile")
            }
        }
        let sudden = try bench.sync { $0[1].title = "Sudden" }
        #expect(sudden[0].status == .alreadyExists)
        #expect(host.content("Sudden.epub") == "came meanwhile")
        #expect(host.documents.contains("Target.epub"))
    }

    @Test("Only the case of a name can change")
    func caseOnly() throws {
        host.put("emma.epub", bookText(nil))
        let rows = try bench.sync { $0[0].title = "Emma" }
        #expect(rows.map(\.path) == ["Emma.epub"])
        #expect(host.documents == ["Emma.epub"])
    }

    @Test("A twin whose name differs in case alone is not written over, whichever of the two is renamed")
    func twins() throws {
        host.put("Emma.epub", bookText("Big", filler: "1"))
        host.put("emma.epub", bookText("Small", filler: "22"))
        let rows = try bench.sync { books in
            for index in books.indices {
                books[index].title = books[index].path == "emma.epub" ? "Emma" : "emma"
            }
        }
        #expect(rows.allSatisfy { $0.outcome == .updated })
        #expect(host.documents.count == 2)
        let contents = Set(host.documents.compactMap { host.content($0) })
        #expect(contents == [bookText("Big", filler: "1"), bookText("Small", filler: "22")])
    }

    @Test("A twin that the change does not name is not written over either")
    func otherTwin() throws {
        host.put("Emma.epub", bookText("Big", filler: "1"))
        host.put("emma.epub", bookText("Small", filler: "22"))
        #expect(try bench.retitle("Emma.epub", "emma").map(\.path) == ["emma (2).epub"])
        #expect(host.content("emma.epub") == bookText("Small", filler: "22"))
        #expect(host.content("emma (2).epub") == bookText("Big", filler: "1"))
    }

    @Test("A change that leaves a book in its folder lists that folder alone, and the shared folder once")
    func listings() throws {
        host.put("Shelf/emma.epub", bookText("Emma"))
        host.put("Shelf/Emma Again.epub", bookText("Twin", filler: "t"))
        for number in 0..<5 { host.put("Other/\(number).epub", bookText("Other \(number)")) }
        #expect(
            try bench.retitle("Shelf/emma.epub", "Emma Again").map(\.path) == ["Shelf/Emma Again (2).epub"])
        func listed() -> [String] { host.operations.filter { $0.hasPrefix("list ") } }
        #expect(listed() == ["list /Documents", "list /Documents/Shelf"])
        #expect(!host.operations.contains { $0.hasPrefix("stat /Documents/Other") })
        host.put("top.epub", bookText("Top"))
        #expect(try bench.retitle("top.epub", "At the Top").map(\.path) == ["At the Top.epub"])
        #expect(listed() == ["list /Documents"])
        host.operations = []
        #expect(try bench.upload([host.item("a.epub", bookText("New"), title: "New")]).error == nil)
        #expect(listed().sorted() == ["list /Documents", "list /Documents/Other", "list /Documents/Shelf"])
    }

    @Test("A collection is a folder: a book moves there, and folders that this empties go")
    func moved() throws {
        host.put("A/B/x.epub", bookText("X"))
        host.put("C/keep.txt", "not a book")
        host.put("C/y.epub", bookText("Y"))
        host.put("D/.hidden", "h")
        host.put("D/z.epub", bookText("Z"))
        let rows = try bench.sync { books in
            for index in books.indices {
                books[index].collections = books[index].title == "X" ? ["New/Shelf"] : []
            }
        }
        #expect(rows.map(\.path) == ["New/Shelf/x.epub", "y.epub", "z.epub"])
        #expect(
            host.folders == [
                "/Documents", "/Documents/New", "/Documents/New/Shelf", "/Documents/C", "/Documents/D",
            ])
        #expect(host.content("C/keep.txt") == "not a book")
        #expect(host.content("D/.hidden") == "h")
    }

    @Test("Two collections, an empty title and a book that is not there are refused in their rows")
    func refused() throws {
        host.put("a.epub", bookText("A"))
        host.put("b.epub", bookText("B"))
        let rows = try bench.sync { books in
            books[0].collections = ["X", "Y"]
            books[1].title = "  "
            books.append(Book(path: "missing.epub", title: "M"))
            books.append(Book(path: "../escape.epub", title: "M"))
        }
        #expect(rows.map(\.status) == [.invalidArgument, .invalidArgument, .notFound, .notFound])
        #expect(rows[0].path == "a.epub")
        #expect(host.documents == ["a.epub", "b.epub"])
    }

    @Test("A rename that fails leaves the name free again and the book where it was")
    func failedRename() throws {
        host.put("a.epub", bookText("A"))
        host.fault = { operation, _ in operation == "rename" ? .deviceIO : nil }
        let rows = try bench.sync { $0[0].title = "New" }
        #expect(rows[0].status == .deviceIO)
        #expect(rows[0].path == "a.epub")
        #expect(host.documents == ["a.epub"])
    }

    @Test("An edit that cannot be kept is a failed row, and the file has its old name again")
    func unkept() throws {
        host.put("a.epub", bookText("A"))
        host.fault = { operation, key in
            operation == "storage.put" && key.hasPrefix("edits") ? .hostIO : nil
        }
        let rows = try bench.sync { $0[0].title = "New" }
        #expect(rows.map(\.status) == [.hostIO])
        #expect(rows[0].path == "a.epub")
        #expect(host.documents == ["a.epub"])
        host.fault = { _, _ in nil }
        #expect(try bench.books().map(\.title) == ["A"])
    }

    @Test("A deletion removes the empty folders that this program made, and no others")
    func madeFolders() throws {
        host.put("Mine/Deep/a.epub", bookText("A"))
        host.put("Kept/b.epub", bookText("B"))
        let options = ["Mine/New/Deeper", "Fresh", "Kept"].map { UploadOptions(collections: [$0]) }
        for (number, wanted) in options.enumerated() {
            let item = host.item("\(number).epub", bookText("New \(number)"), title: "New \(number)")
            #expect(try bench.upload([item], wanted).rows.map(\.outcome) == [.added])
        }
        host.put("Fresh/from the app.txt", "x")
        // As if another process had done it.
        let paths = ["Mine/New/Deeper/New 0.epub", "Mine/Deep/a.epub", "Fresh/New 1.epub", "Kept/New 2.epub"]
        #expect(try bench.delete(paths).rows.allSatisfy { $0.outcome == .deleted })
        let folders = ["", "/Fresh", "/Kept", "/Mine", "/Mine/Deep"].map { "/Documents" + $0 }
        #expect(host.folders.sorted() == folders)
        host.files["/Documents/Fresh/from the app.txt"] = nil
        #expect(try bench.delete(["Kept/b.epub"]).error == nil)
        #expect(host.folders.sorted() == folders)
    }

    @Test("The notes about folders are read and written once, however many folders a change creates")
    func madeAtOnce() throws {
        for number in 0..<30 { host.put("\(number).epub", bookText("\(number)")) }
        var looks: [String] = []
        host.fault = { operation, key in
            if key.hasPrefix("folders") { looks.append(operation) }
            return nil
        }
        let rows = try bench.sync { books in
            for index in books.indices { books[index].collections = ["New/\(index)"] }
        }
        #expect(rows.map(\.outcome) == Array(repeating: .updated, count: 30))
        #expect(looks == ["storage.get", "storage.put"])
        #expect(try bench.delete(host.documents).rows.allSatisfy { $0.outcome == .deleted })
        #expect(host.folders == ["/Documents"])
    }

    @Test("A folder that was to be made and was not is forgotten")
    func unmade() throws {
        host.put("a.epub", bookText("A"))
        host.fault = { operation, _ in operation == "rename" ? .deviceIO : nil }
        #expect(try bench.sync { $0[0].collections = ["Fresh"] }.map(\.outcome) == [.failed])
        host.fault = { _, _ in nil }
        host.put("Fresh/mine.epub", bookText("Mine"))
        #expect(try bench.delete(["Fresh/mine.epub"]).error == nil)
        #expect(host.folders.contains("/Documents/Fresh"))
    }

    @Test(
        "A folder that was made, removed and made again by a person stays when nothing is known of it any more"
    )
    func madeAgain() throws {
        let item = host.item("1.epub", bookText("New"), title: "New")
        #expect(try bench.upload([item], UploadOptions(collections: ["Fresh"])).error == nil)
        #expect(try bench.delete(["Fresh/New.epub"]).error == nil)
        #expect(host.folders.sorted() == ["/Documents"])
        host.put("Fresh/mine.epub", bookText("Mine"))
        #expect(try bench.delete(["Fresh/mine.epub"]).error == nil)
        #expect(host.folders.sorted() == ["/Documents", "/Documents/Fresh"])
    }

    @Test(
        "A failed move leaves no new folder behind and removes no existing one",
        arguments: [true, false])
    func noFolderLeft(isMoved: Bool) throws {
        host.put("a.epub", bookText("A"))
        host.folders.insert("/Documents/Empty")
        host.fault = { operation, key in
            if !isMoved { return operation == "rename" ? .deviceIO : nil }
            return operation == "storage.put" && key.hasPrefix("edits") ? .hostIO : nil
        }
        let rows = try bench.sync { ($0[0].title, $0[0].collections) = ("New", ["Empty/More/Deep"]) }
        #expect(rows.map(\.outcome) == [.failed])
        #expect(host.documents == ["a.epub"])
        #expect(host.folders == ["/Documents", "/Documents/Empty"])
    }

    @Test("A title is not kept when the file cannot get its name")
    func unrenamed() throws {
        host.put("a.epub", bookText("A"))
        host.fault = { operation, _ in operation == "rename" ? .deviceIO : nil }
        #expect(try bench.sync { $0[0].title = "New" }.map(\.status) == [.deviceIO])
        host.fault = { _, _ in nil }
        #expect(try bench.books().map(\.title) == ["A"])
        #expect(try bench.sync { $0[0].title = "New" }.map(\.path) == ["New.epub"])
    }

    /// Weakness 15 in docs/weaknesses.md.
    @Test(
        "A title that is a column name or has quotes stays a title",
        arguments: ["size", "title", "uuid", "\"; --", "'"])
    func words(title: String) throws {
        host.put("a.pdf", bookText("A"))
        bench.edits = ShelfEdits(titleRenamesFile: false, collectionMovesFile: false, keepsAuthors: true)
        #expect(
            try bench.sync {
                $0[0].title = title; $0[0].authors = [title, "B"]
            }.map(\.outcome) == [.updated])
        let book = try #require(try bench.books().first)
        #expect(book.title == title)
        #expect(book.authors == [title, "B"])
        #expect(book.path == "a.pdf")
    }

    @Test("Books are deleted one by one, with a row each, and forgotten")
    func deleted() throws {
        for name in ["a", "b", "c"] { host.put("\(name).pdf", bookText(name)) }
        host.put("P.epub/mimetype", "x")
        host.put("Folder/keep.pdf", bookText("keep"))
        _ = try bench.books()
        host.fault = { operation, path in operation == "remove" && path.hasSuffix("b.pdf") ? .deviceIO : nil }
        let (rows, error) = try bench.delete(
            ["a.pdf", "b.pdf", "gone.pdf", "../x", "Folder", "P.epub", "a.pdf", "c.pdf"])
        #expect(error == nil)
        #expect(
            rows.map(\.status) == [.ok, .deviceIO, .notFound, .notFound, .notSupported, .ok, .ok, .ok])
        #expect(rows.map(\.outcome).filter { $0 == .deleted }.count == 3)
        #expect(rows[1].path == "b.pdf")
        #expect(host.documents == ["Folder/keep.pdf", "b.pdf"])
    }

    @Test("A cancel while deleting leaves a row for each path")
    func cancelledDelete() throws {
        for name in ["a", "b", "c"] { host.put("\(name).pdf", name) }
        host.before = { [unowned host] operation, path in
            if operation == "remove", path.hasSuffix("b.pdf") { host.isCancelled = true }
        }
        let (rows, error) = try bench.delete(["a.pdf", "b.pdf", "c.pdf"])
        #expect(error?.status == .cancelled)
        #expect(rows.map(\.status) == [.ok, .cancelled, .cancelled])
        // The device has received the second request, and may have carried it out.
        #expect(rows[1].message?.hasPrefix("Cannot delete the book. ") == true)
        #expect(rows[2].message?.hasPrefix("The book was not deleted.") == true)
    }

    /// Weakness 4 in docs/weaknesses.md.
    @Test("A file that arrives incomplete is an error, and is not kept")
    func short() throws {
        host.put("a.pdf", "content")
        var bytes: [UInt8] = []
        try bench.shelf().read("a.pdf") { chunk, _, _ in bytes += chunk }
        #expect(bytes == Array("content".utf8))
        host.before = { [unowned host] operation, _ in
            if operation == "read" { host.files["/Documents/a.pdf"]?.bytes.removeLast(3) }
        }
        let shelf = try bench.shelf()
        let error = #expect(throws: OverlayError.self) { try shelf.read("a.pdf") { _, _, _ in } }
        #expect(error?.status == .verificationFailed)
        for path in ["missing.pdf", "../a.pdf", ""] {
            #expect(throws: OverlayError.self) { try shelf.read(path) { _, _, _ in } }
        }
    }

    @Test("Many books are fetched at once, with a row each")
    func pulled() throws {
        host.put("a.pdf", "one")
        host.put("B/b.pdf", "two")
        let (rows, _) = try bench.rows(4) { shelf, report throws(OverlayError) in
            try shelf.pull(["a.pdf", "no.pdf", "B/b.pdf", "/etc"], report: report)
        }
        #expect(rows.map(\.status) == [.ok, .notFound, .ok, .notFound])
        #expect(rows[2].file.map { host.lent[$0.rawValue]?.bytes } == Array("two".utf8))
    }
}
