import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("The books of Books are listed for every version of iOS and every form of its lists")
struct BooksListingTests {
    @Test("Books of all lists and of none are listed", arguments: BooksBench.versions)
    func listing(ios: String) throws {
        let bench = try BooksBench(ios: ios)
        let list = try bench.json("books")
        #expect(list.status == 0, "\(list.errors)")
        #expect(list["app"] as? String == "Books")
        #expect(
            list.texts("books", "path") == [
                "376FAA7E4CF81729.epub", "Guide.epub", "Purchases/Paper.pdf", "Purchases/Bought.epub",
                "Stray.epub",
            ])
        let history = BooksBench.row("376FAA7E4CF81729.epub", in: list)
        #expect(history["title"] as? String == "The History of Debian")
        #expect(history["authors"] as? [String] == ["The Debian Project"])
        #expect(history["format"] as? String == "application/epub+zip")
        let files = try BooksBench.library()[0].files.values
        #expect(history["size"] as? Int == files.reduce(0) { $0 + $1.count })
        #expect((history["cover"] as? [String: Any])?["media_type"] as? String == "image/jpeg")
        #expect((history["cover"] as? [String: Any])?["size"] as? Int == BooksBench.cover.count)
    }

    @Test("Values that the lists lack are read from the book itself, packed or not")
    func filled() throws {
        let bench = try BooksBench()
        let list = try bench.json("books")
        let guide = BooksBench.row("Guide.epub", in: list)
        #expect((guide["title"] as? String)?.contains("developers-reference") == true, "\(guide)")
        #expect((guide["authors"] as? [String])?.isEmpty == false)
        let bought = BooksBench.row("Purchases/Bought.epub", in: list)
        #expect((bought["title"] as? String)?.contains("Debian") == true, "\(bought)")
        let stray = BooksBench.row("Stray.epub", in: list)
        #expect((stray["title"] as? String)?.contains("Debian") == true, "\(stray)")
    }

    @Test("A title and authors of a list count before those of the book, without the file's extension")
    func precedence() throws {
        let bench = try BooksBench()
        let paper = BooksBench.row("Purchases/Paper.pdf", in: try bench.json("books"))
        #expect(paper["title"] as? String == "Paper")
        #expect(paper["authors"] as? [String] == ["A. Author", "B. Author"])
        #expect(paper["format"] as? String == "application/pdf")
    }

    @Test("The synced one of two lists that name a book counts, and the other fills its gaps")
    func twoLists() throws {
        let bench = try BooksBench(populated: false)
        var first = SimulatedBook(path: "A.pdf", title: "From the sync list", persistentID: "1")
        first.lists = [.sync]
        first.file = SimulatedPDF(title: "Inside").bytes()
        try bench.books.populate([first])
        var second = SimulatedBook(
            path: "A.pdf", title: "From the list", artist: "Somebody", persistentID: "1")
        second.lists = [.synchronised]
        second.file = first.file
        try bench.books.populate([second])
        let list = try bench.json("books")
        #expect(list.texts("books", "title") == ["From the sync list"])
        #expect(list.rows("books").first?["authors"] as? [String] == ["Somebody"])
    }

    @Test("The log names books that are in no list, books not yet on the device, and protected books")
    func log() throws {
        let bench = try BooksBench()
        let result = try bench.bench.run("books", "--app", "iBooks", "--verbose")
        #expect(result.errors.contains("This book is not in any list of Books"), "\(result.errors)")
        #expect(result.errors.contains("In the Cloud"))
        #expect(result.errors.contains("not on the device"))
        #expect(result.errors.contains("A book is protected"))
        try bench.books.writeOutstanding(["c10dc10dc10dc10d"])
        let again = try bench.bench.run("books", "--app", "iBooks", "--verbose")
        #expect(again.errors.contains("is waiting to be synced"), "\(again.errors)")
    }

    @Test("Covers are saved from the covers of synced books and from the book itself")
    func covers() throws {
        let bench = try BooksBench()
        for (path, name) in [("376FAA7E4CF81729.epub", "a"), ("Purchases/Bought.epub", "b")] {
            let file = bench.bench.folder.path(name)
            let info = try bench.json("info", path, "--cover", file)
            guard path.hasPrefix("3") else { continue }
            #expect(info.status == 0, "\(info.errors)")
            #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data(BooksBench.cover))
        }
    }

    @Test("Annotations of both files are shown with their book, deleted ones are not")
    func annotations() throws {
        let bench = try BooksBench()
        let hash = "018FAD7D0C8E0A9B6B0AB9058D59880D"
        var note = SimulatedAnnotation(hash, text: "free software", uuid: "1")
        note.note = "Look this up"
        note.location = "epubcfi(/6/32!/4/2,/1:0,/1:13)"
        note.style = 1
        var deleted = SimulatedAnnotation(hash, text: "gone", uuid: "2")
        deleted.isDeleted = true
        var bookmark = SimulatedAnnotation("376faa7e4cf81729", text: nil, uuid: "3")
        bookmark.type = 1
        var place = SimulatedAnnotation(hash, text: nil, uuid: "4")
        place.type = 3
        try bench.books.write([note, deleted, bookmark, place])
        try bench.books.writeOld([note, SimulatedAnnotation(hash, text: "older", uuid: "5")])
        let info = try bench.json("info", "376FAA7E4CF81729.epub")
        let found = info.rows("annotations")
        #expect(found.count == 3, "\(found)")
        let first = try #require(found.first)
        #expect(first["kind"] as? String == "note")
        #expect(first["text"] as? String == "free software")
        #expect(first["note"] as? String == "Look this up")
        #expect(first["color"] as? String == "green")
    }

    @Test("Annotations come in the order in which the book is read, regardless of their keys")
    func annotationOrder() throws {
        let bench = try BooksBench()
        let places = [
            "epubcfi(/6/2[c1]!/4/2,/1:0,/1:13)", "epubcfi(/6/2[c1]!/4/10/1:5)",
            "epubcfi(/6/4[c^]20]!/4/2/1:7)", "epubcfi(/6/4[a^]1]!/4/6[x99]/1:0)",
            "epubcfi(/6/22[c3]!/4/2/1:1)", nil,
        ]
        let annotations = places.enumerated().map { place, location in
            var annotation = SimulatedAnnotation(
                "018FAD7D0C8E0A9B6B0AB9058D59880D", text: "words \(place)", uuid: "A\(9 - place)")
            annotation.location = location
            return annotation
        }
        try bench.books.write(annotations.reversed())
        let info = try bench.json("info", "376FAA7E4CF81729.epub")
        #expect(info.rows("annotations").map { $0["text"] as? String } == (0..<6).map { "words \($0)" })
    }

    @Test("Annotations are exported of all apps, of one app, and of one book")
    func exportedAnnotations() throws {
        let bench = try BooksBench()
        let hash = "018FAD7D0C8E0A9B6B0AB9058D59880D"
        var deleted = SimulatedAnnotation(hash, text: "gone", uuid: "2")
        deleted.isDeleted = true
        try bench.books.write([SimulatedAnnotation(hash, text: "free, software", uuid: "1"), deleted])
        for words in [
            ["annotations"], ["annotations", "--app", "Books"], ["annotations", "376FAA7E4CF81729.epub"],
        ] {
            let exported = try bench.bench.json(words)
            #expect(exported.status == 0, "\(exported.errors)")
            let book = try #require(exported.rows("books").first, "\(words)")
            #expect(exported.rows("books").count == 1)
            #expect(book["app"] as? String == "Books")
            let found = try #require(book["annotations"] as? [[String: Any]])
            #expect(found.map { $0["text"] as? String } == ["free, software"])
        }
        let csv = try bench.bench.run("annotations", "--format", "csv")
        #expect(csv.output.contains("\"free, software\"") && !csv.output.contains("gone"), "\(csv)")
        let missing = try bench.bench.json("annotations", "No Such Book")
        #expect(missing.status == 66)
        #expect(missing.error("subject") == "No Such Book")
    }

    @Test("Collections are shown where iOS opens the container", arguments: ["8.1", "9.3.5"])
    func collections(ios: String) throws {
        let bench = try BooksBench(ios: ios)
        try bench.books.writeCollections([
            "Debian": [("376FAA7E4CF81729.epub", "K1"), ("Guide.epub", "K2")],
            "Papers": [("Guide.epub", "K2")],
        ])
        let list = try bench.json("books")
        let guide = BooksBench.row("Guide.epub", in: list)["collections"] as? [String]
        #expect(ios == "8.1" ? guide == ["Debian", "Papers"] : guide ?? [] == [])
    }

    @Test("A second listing gives the same books, and notices a book that changed")
    func again() throws {
        let bench = try BooksBench()
        let first = try bench.bench.run("books", "--app", "iBooks", "--json").output
        #expect(try bench.bench.run("books", "--app", "iBooks", "--json").output == first)
        let other = try SimulatedBooks.unpacked(RealBooks.developersReference())
        let folder = bench.books.folder.appendingPathComponent("Purchases/Bought.epub")
        try FileManager.default.removeItem(at: folder)
        for (path, bytes) in other {
            let url = folder.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(bytes).write(to: url)
        }
        let row = BooksBench.row("Purchases/Bought.epub", in: try bench.json("books"))
        #expect(row["size"] as? Int == other.values.reduce(0) { $0 + $1.count })
    }

    /// Weakness 9 in docs/weaknesses.md.
    @Test("A damaged list is reported, and its books are found by their files")
    func damagedList() throws {
        let bench = try BooksBench()
        try Data("<plist><dict><key>Books".utf8).write(
            to: bench.books.folder.appendingPathComponent("Books.plist"))
        let list = try bench.json("books", "--verbose")
        #expect(list.status == 0)
        #expect(list.texts("books", "path").contains("Guide.epub"))
        #expect(list.errors.contains("list of books is damaged"), "\(list.errors)")
    }

    /// Weakness 13 in docs/weaknesses.md.
    @Test("Entries without a title, an author or a path do no harm")
    func brokenEntries() throws {
        let bench = try BooksBench(populated: false)
        let text = """
            <?xml version="1.0"?><plist version="1.0"><dict><key>Books</key><array>
            <dict/><string>book</string><dict><key>Path</key><integer>5</integer></dict>
            <dict><key>Path</key><string>../../etc/passwd.epub</string><key>Name</key><string>Out</string></dict>
            <dict><key>Path</key><string>A.pdf</string><key>Name</key><true/><key>Artist</key><array/></dict>
            </array></dict></plist>
            """
        let folder = bench.books.folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: folder.appendingPathComponent("Books.plist"))
        try Data(SimulatedPDF().bytes()).write(to: folder.appendingPathComponent("A.pdf"))
        let list = try bench.json("books")
        #expect(list.status == 0, "\(list.errors)")
        #expect(list.texts("books", "path") == ["A.pdf"])
        #expect(list.texts("books", "title") == ["A"])
    }

    /// Weakness 23 in docs/weaknesses.md.
    @Test("The metadata of a large document are read from a small part of it")
    func largeDocument() throws {
        let bench = try BooksBench(populated: false)
        try FileManager.default.createDirectory(at: bench.books.folder, withIntermediateDirectories: true)
        try SimulatedPDF(title: "Large", author: "A. Author", pages: 900, size: 60 << 20)
            .write(to: bench.books.folder.appendingPathComponent("large.pdf"))
        bench.bench.device.resetCounters()
        #expect(try bench.json("books").texts("books", "title") == ["Large"])
        #expect(bench.bench.device.counters.bytesSent < 3 << 20)
    }

    /// Weakness 22 in docs/weaknesses.md.
    @Test("A listing sends few requests for each new book, and none for a known one")
    func requests() throws {
        let bench = try BooksBench(populated: false)
        let count = 30
        let files = try SimulatedBooks.unpacked(RealBooks.history("en"))
        let parts = ["mimetype", "META-INF/container.xml"] + files.keys.filter { $0.hasSuffix(".opf") }
        let books = (0..<count).map { index in
            var book = SimulatedBook(path: "B\(index).epub", persistentID: "B\(index)")
            book.files = files.filter { parts.contains($0.key) }
            return book
        }
        try bench.books.populate(books)
        func requests() throws -> Int {
            bench.bench.device.resetCounters()
            #expect(try bench.json("books").rows("books").count == count)
            return bench.bench.device.counters.total(of: "afc")
        }
        let cold = try requests()
        let warm = try requests()
        // Each known book costs its own entry in a folder's listing, and a look at one inner folder and its package
        // document.
        #expect(warm < 5 * count, "\(warm) requests")
        #expect(cold < 40 * count, "\(cold) requests")
        #expect(3 * warm < cold, "\(warm) of \(cold) requests")
    }

    @Test("A device on which Books was never used has no books")
    func empty() throws {
        let bench = try BooksBench(populated: false)
        let list = try bench.json("books")
        #expect(list.status == 0, "\(list.errors)")
        #expect(list.rows("books").isEmpty)
    }
}
