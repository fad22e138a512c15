import BookFolders
import CommandProtocol
import Foundation
import OverlayKit
import Testing

@testable import Marvin

@Suite("A book that is there already is found, explained, and left, changed or replaced as asked")
struct UploadConflictTests {
    let host: FakeHost
    let marvin: FakeMarvin

    init() throws {
        host = try FakeHost()
        marvin = try FakeMarvin(host)
    }

    private func item(_ uuid: String, _ change: (inout Book) -> Void = { _ in }) throws -> UploadItem {
        var item = try host.item(uuid, name: "\(uuid).epub")
        change(&item.book)
        return item
    }

    private func upload(_ items: [UploadItem], _ conflict: ConflictPolicy) throws -> [ItemResult] {
        let (rows, error) = try host.upload(items, UploadOptions(onConflict: conflict))
        if let error { throw error }
        return rows
    }

    private func content(_ name: String) throws -> Data {
        try Data(contentsOf: host.url("Documents/\(name)"))
    }

    @Test func `the uuid decides first, then the content, then title and authors, and the log says which`()
        throws
    {
        let bytes = ZipFixture.epub("the very same")
        try marvin.add("by-uuid.epub", uuid: "U-1", title: "x")
        try marvin.add("by-content.epub", uuid: "o", title: "y")
        try Data(bytes).write(to: host.url("Documents/by-content.epub"))
        try marvin.add("by-name.epub", uuid: "p", title: "The  Title", author: "Ann Author, Bo Writer")
        var same = try host.item("u-2", bytes, name: "second.epub")
        same.book.title = "The Title"
        let named = try item("u-3") {
            $0.title = "the title"
            $0.authors = ["Ann Author", "Bo Writer"]
        }
        let rows = try upload([item("u-1"), same, named, item("u-4")], .protect)
        #expect(rows.map(\.path) == ["by-uuid.epub", "by-content.epub", "by-name.epub", "u-4.epub"])
        #expect(rows.map(\.outcome) == [.skipped, .skipped, .skipped, .added])
        #expect(host.log.contains { $0.contains("u-1.epub") && $0.contains("the same uuid") })
        #expect(host.log.contains { $0.contains("second.epub") && $0.contains("the same content") })
        #expect(host.log.contains { $0.contains("u-3.epub") && $0.contains("the same title and authors") })
        #expect(host.log.contains { $0.contains("u-4.epub") && $0.contains("no book has its uuid") })
    }

    @Test func `a file of the same size and another content is another book`() throws {
        let (one, two) = (ZipFixture.epub("aaaa"), ZipFixture.epub("bbbb"))
        try #require(one.count == two.count)
        try marvin.add("there.epub", uuid: "o", title: "")
        try Data(one).write(to: host.url("Documents/there.epub"))
        #expect(try upload([host.item("u-1", two)], .protect).map(\.outcome) == [.added])
    }

    @Test func `other content of the very same size is told of a book with the same title and authors`()
        throws
    {
        let (one, two) = (ZipFixture.epub("aaaa"), ZipFixture.epub("bbbb"))
        try marvin.add("there.epub", uuid: "o", title: "Same", author: "Ann")
        try Data(one).write(to: host.url("Documents/there.epub"))
        var item = try host.item("u-1", two)
        (item.book.title, item.book.authors) = ("Same", ["Ann"])
        #expect(try upload([item], .protect)[0].message?.contains("with other content") == true)
    }

    @Test func `other content is not told of a file that has become the same since sizes were kept`() throws {
        let bytes = ZipFixture.epub("the very same")
        try marvin.add("there.epub", uuid: "o", title: "Same", author: "Ann", content: "old")
        try host.overlay().books(BooksOptions()) { _ in }
        try Data(bytes).write(to: host.url("Documents/there.epub"))
        var item = try host.item("u-1", bytes)
        (item.book.title, item.book.authors) = ("Same", ["Ann"])
        #expect(try upload([item], .protect)[0].message == "The book is already in Marvin's library.")
        #expect(host.log.contains { $0.contains("the same title and authors") })
    }

    @Test func `nothing is told of the content of a file of the very same size that cannot be read`() throws {
        let (one, two) = (ZipFixture.epub("aaaa"), ZipFixture.epub("bbbb"))
        try marvin.add("there.epub", uuid: "o", title: "Same", author: "Ann")
        try Data(one).write(to: host.url("Documents/there.epub"))
        host.fault = { operation, path in
            operation.hasPrefix("read") && path.hasSuffix("there.epub") ? .deviceIO : nil
        }
        var item = try host.item("u-1", two)
        (item.book.title, item.book.authors) = ("Same", ["Ann"])
        #expect(try upload([item], .protect)[0].message == "The book is already in Marvin's library.")
    }

    @Test func `punctuation tells titles apart, and a book without authors is no other book`() throws {
        try marvin.add("c.epub", uuid: "o", title: "C++ Primer")
        try marvin.add("d.epub", uuid: "p", title: "Nobody", author: "")
        let rows = try upload(
            [
                item("u-1") {
                    $0.title = "C Primer"
                    $0.authors = ["A"]
                }, item("u-2") { $0.title = "Nobody" },
            ], .protect)
        #expect(rows.map(\.outcome) == [.added, .added])
    }

    @Test func `of several books with the same title and authors none is guessed`() throws {
        for name in ["a.epub", "b.epub"] { try marvin.add(name, uuid: name, title: "Same") }
        func twin(_ uuid: String) throws -> UploadItem {
            try item(uuid) {
                $0.title = "Same"
                $0.authors = ["A"]
            }
        }
        #expect(try upload([twin("u-1")], .protect).map(\.outcome) == [.skipped])
        let rows = try upload([twin("u-1")], .replace) + upload([twin("u-1")], .update)
        #expect(rows.map(\.status) == [.invalidArgument, .invalidArgument])
        #expect(rows[0].message?.contains("a.epub, b.epub") == true)
        #expect(marvin.commands.isEmpty)
    }

    @Test func `the row of a book that is left alone tells other content, and collections it is not in`()
        throws
    {
        let bytes = ZipFixture.epub("same")
        try marvin.add("u-1.epub", uuid: "u-1")
        try marvin.library.setCollections(["Sea"], of: "u-1.epub")
        try marvin.add("u-2.epub", uuid: "u-2")
        try Data(bytes).write(to: host.url("Documents/u-2.epub"))
        let items = [try item("u-1"), try host.item("u-2", bytes)]
        let (rows, _) = try host.upload(items, UploadOptions(collections: ["sea", "Sky"]))
        #expect(
            rows.map(\.message) == [
                "The book is already in Marvin's library, with other content; --on-conflict replace puts this one in its "
                    + "place. It was not put into “Sky”; overlayhost collections --add does that.",
                "The book is already in Marvin's library. It was not put into “sea”, “Sky”; overlayhost collections --add "
                    + "does that.",
            ])
        #expect(try upload(items, .protect)[1].message == "The book is already in Marvin's library.")
    }

    @Test(arguments: [ConflictPolicy.protect, .update, .replace])
    func `two files of one upload with the same title and authors are one book`(conflict: ConflictPolicy)
        throws
    {
        func twin(_ uuid: String) throws -> UploadItem {
            try item(uuid) {
                $0.title = "Same"
                $0.authors = ["A"]
            }
        }
        let rows = try upload([twin("u-1"), twin("u-2")], conflict)
        let isLast = conflict == .replace
        #expect(rows.map(\.outcome) == (isLast ? [.skipped, .added] : [.added, .skipped]))
        #expect(
            rows[isLast ? 0 : 1].message
                == (isLast ? AlreadyThere.later : AlreadyThere.earlier))
        #expect(try marvin.documents() == [isLast ? "u-2.epub" : "u-1.epub"])
    }

    @Test func `two editions of a book of the library are both told of, and the last one replaces it`() throws
    {
        try marvin.add("there.epub", uuid: "o", title: "Same", author: "A", content: "old")
        func edition(_ uuid: String, _ text: String) throws -> UploadItem {
            var item = try host.item(uuid, ZipFixture.epub(text), name: "\(uuid).epub")
            (item.book.title, item.book.authors) = ("Same", ["A"])
            return item
        }
        let items = [try edition("u-1", "one"), try edition("u-2", "two, longer")]
        let rows = try upload(items, .protect)
        #expect(rows.map(\.outcome) == [.skipped, .skipped])
        #expect(rows.allSatisfy { $0.message?.contains("with other content") == true })
        let replaced = try upload(items, .replace)
        #expect(replaced.map(\.outcome) == [.skipped, .replaced])
        #expect(replaced[0].message == AlreadyThere.later)
        #expect(try marvin.documents() == ["there.epub"])
        #expect(try content("there.epub") == Data(ZipFixture.epub("two, longer")))
    }

    @Test func `a later edition takes the place that an earlier one has in the library under another title`()
        throws
    {
        try marvin.add("old.epub", uuid: "u-1", title: "Working Title", author: "A", content: "old")
        func edition(_ uuid: String) throws -> UploadItem {
            try item(uuid) {
                $0.title = "Final Title"
                $0.authors = ["A"]
            }
        }
        let rows = try upload([edition("u-1"), edition("u-2")], .replace)
        #expect(rows.map(\.outcome) == [.skipped, .replaced])
        #expect(rows.map(\.path) == ["old.epub", "old.epub"])
        #expect(try marvin.documents() == ["old.epub"])
        #expect(try content("old.epub") == Data(ZipFixture.epub("u-2")))
    }

    @Test func `a later edition deletes the book that an earlier one would have superseded`() throws {
        try marvin.add("comic.cbz", uuid: "u-1", title: "Working Title", content: "old")
        func edition(_ uuid: String) throws -> UploadItem {
            try item(uuid) {
                $0.title = "Final Title"
                $0.authors = ["A"]
            }
        }
        let rows = try upload([edition("u-1"), edition("u-2")], .replace)
        #expect(rows.map(\.outcome) == [.skipped, .replaced])
        #expect(try marvin.documents() == ["u-2.epub"])
    }

    @Test(
        "What gives way to another title of its book is no edition that a later item could take the place of")
    func givenWay() throws {
        try marvin.add("old.epub", uuid: "u-1", title: "Working Title", author: "A", content: "old")
        try Data(ZipFixture.epub("u-2")).write(to: host.url("Documents/old.epub"))
        func edition(_ uuid: String, _ title: String) throws -> UploadItem {
            try item(uuid) {
                $0.title = title
                $0.authors = ["A"]
            }
        }
        let items = [try edition("u-1", "One"), try edition("u-2", "Two"), try edition("u-3", "One")]
        let rows = try upload(items, .replace)
        #expect(rows.map(\.outcome) == [.skipped, .replaced, .added])
        #expect(try marvin.documents() == ["old.epub", "u-3.epub"])
        #expect(try content("old.epub") == Data(ZipFixture.epub("u-2")))
    }

    @Test("A book, another edition of it, and the book again end with the book", arguments: [true, false])
    func thereAndBack(isThere: Bool) throws {
        if isThere { try marvin.add("u-1.epub", uuid: "u-1", title: "Same", author: "A", content: "old") }
        func edition(_ uuid: String) throws -> UploadItem {
            try item(uuid) {
                $0.title = "Same"
                $0.authors = ["A"]
            }
        }
        let rows = try upload([edition("u-1"), edition("u-2"), edition("u-1")], .replace)
        #expect(rows.map(\.outcome) == [.skipped, .skipped, isThere ? .replaced : .added])
        #expect(rows.map(\.path) == ["u-1.epub", "u-1.epub", "u-1.epub"])
        #expect(try marvin.documents() == ["u-1.epub"])
        #expect(try content("u-1.epub") == Data(ZipFixture.epub("u-1")))
    }

    @Test func `what Marvin itself cannot do needs a restart`() throws {
        marvin.refusal = .failure
        marvin.messages = ["The library cannot be opened."]
        #expect(
            try host.upload([item("u-1")]).rows.map(\.hint) == [
                "Restart Marvin on the device, then run the same command again."
            ])
    }

    @Test(
        "Weakness 16: a book that is updated by its title keeps its real path, and is found there afterwards")
    func updateByTitle() throws {
        try marvin.add("real name.epub", uuid: "o", title: "Title", content: "old")
        let named = try item("u-1") {
            $0.title = "Title"
            $0.authors = ["A"]
            $0.publisher = "New"
        }
        let rows = try upload([named], .update)
        #expect(rows.map(\.outcome) == [.updated])
        #expect(rows[0].path == "real name.epub")
        #expect(marvin.updates.map { $0.books.map(\.fileName) } == [["real name.epub"]])
        #expect(marvin.updates[0].books[0].uuid == "o")
        var bytes: [UInt8] = []
        try host.overlay().getFile("real name.epub") { chunk, _, _ in bytes += Array(chunk) }
        #expect(bytes == Array("old".utf8))
        var deleted: [ItemResult] = []
        try host.overlay().deleteBooks(["real name.epub"]) { deleted.append($0) }
        #expect(deleted.map(\.outcome) == [.deleted])
    }

    @Test("Weakness 29: an update sends metadata alone, neither the file nor a cover that has not changed")
    func updateSendsNoFile() throws {
        try marvin.add("u-1.epub", uuid: "u-1", content: "old")
        let image = SyncingTests.image
        func known() throws -> UploadItem {
            try item("u-1") {
                $0.publisher = "New"
                $0.coverData = image
            }
        }
        #expect(try upload([known()], .update).map(\.outcome) == [.updated])
        #expect(marvin.updates.first?.books.first?.cover?.hash == MD5.hex(image))
        #expect(!host.operations.contains { $0.hasPrefix("push") })
        #expect(try content("u-1.epub") == Data("old".utf8))
        let again = try upload([known()], .update)
        #expect(again.map(\.outcome) == [.skipped])
        #expect(again[0].message?.contains("nothing about it has changed") == true)
        #expect(marvin.updates.count == 1)
    }

    @Test(arguments: [true, false])
    func `collections of an updated book are joined or replaced, and flags always stay`(merges: Bool) throws {
        try marvin.add("u-1.epub", uuid: "u-1")
        try marvin.library.setCollections(["READ", "Mine"], of: "u-1.epub")
        host.bools["marvin_merge_collections"] = merges
        let asked = try item("u-1") { $0.collections = ["Asked"] }
        #expect(try upload([asked], .update).map(\.outcome) == [.updated])
        let sent = try #require(
            marvin.rebuilds.first?.books.first?.collections ?? marvin.updates.first?.books.first?.collections)
        #expect(sent == (merges ? ["Asked", "Mine", "READ"] : ["Asked", "READ"]))
        #expect(try upload([item("u-1") { $0.publisher = "P" }], .update).map(\.outcome) == [.updated])
        #expect(marvin.updates.last?.books.first?.collections == sent)
    }

    @Test func `a replacement of a book found by its title takes its place and its name`() throws {
        try marvin.add("real name.epub", uuid: "o", title: "Title", content: "old")
        let named = try item("u-1") {
            $0.title = "Title"
            $0.authors = ["A"]
        }
        let rows = try upload([named], .replace)
        #expect(rows.map(\.outcome) == [.replaced])
        #expect(rows[0].path == "real name.epub")
        #expect(try content("real name.epub") == Data(ZipFixture.epub("u-1")))
        #expect(try marvin.documents() == ["real name.epub"])
    }

    /// A library whose only book has what a person entered, in an app that keeps nothing of a replaced book.
    private func entered() throws {
        try marvin.add("u-1.epub", uuid: "u-1", title: "Mine", author: "Ann Author, Bo Writer")
        try marvin.library.run(
            "UPDATE Books SET CalibreSeries = 'Saga', CalibreSeriesIndex = '2.5', Rating = 4, Publisher = 'Old'"
        )
        try marvin.library.setSubjects(["x", "y"], of: "u-1.epub")
        marvin.startsReplacedBooksAnew = true
    }

    @Test func `a replaced book keeps what was entered and its new file says nothing about`() throws {
        try entered()
        let rows = try upload(
            [
                item("u-1") {
                    $0.title = "New"
                    $0.publisher = "Press"
                }
            ], .replace)
        #expect(rows.map(\.outcome) == [.replaced] && rows[0].message == nil)
        #expect(marvin.commands.map(\.name) == [.uploadBooks, .updateMetadata])
        let sent = try #require(marvin.updates.first?.books.first)
        #expect(sent.series == "Saga" && sent.seriesIndex == 2.5 && sent.rating == 4)
        #expect(sent.author == "Ann Author, Bo Writer" && sent.subjects == ["x", "y"])
        // What the new file tells is the file's affair.
        #expect(sent.publisher == "" && sent.title == "")
    }

    @Test func `what of a replaced book could not be kept stands in its row`() throws {
        try entered()
        marvin.onCommand = { [unowned marvin] command in
            if case .updateMetadata = command { marvin.refusal = .failure }
        }
        let rows = try upload([item("u-1")], .replace)
        #expect(rows.map(\.outcome) == [.replaced])
        #expect(
            rows[0].message?.contains(
                "could not be kept: authors, authors' sort names, series, place in the series, publisher, tags, rating."
            ) == true)
    }

    @Test("Weakness 5: what cannot be replaced under its name is deleted only when the new copy is there")
    func superseded() throws {
        try marvin.add("comic.cbz", uuid: "u-1", content: "old")
        marvin.rejections = ["u-1.epub": "not a valid EPUB"]
        var rows = try upload([item("u-1") { $0.authors = ["A"] }], .replace)
        #expect(rows.map(\.status) == [.rejected])
        #expect(rows[0].path == "comic.cbz")
        #expect(try marvin.documents() == ["comic.cbz"])
        marvin.rejections = [:]
        rows = try upload([item("u-1") { $0.authors = ["A"] }], .replace)
        #expect(rows.map(\.outcome) == [.replaced])
        #expect(rows[0].path == "u-1.epub")
        #expect(try marvin.documents() == ["u-1.epub"])
        let kinds = marvin.commands.map(\.name)
        #expect(kinds == [.uploadBooks, .uploadBooks, .deleteBooks])
        guard case .deleteBooks(let command)? = marvin.commands.last else { return }
        #expect(command.books.map(\.fileName) == ["comic.cbz"] && command.books[0].uuid == "")
    }

    @Test("Weakness 24: replacing many books takes one command and two looks at the library")
    func replacingMany() throws {
        for number in 0..<20 { try marvin.add("u-\(number).epub", uuid: "u-\(number)") }
        host.resetCounts()
        let rows = try upload((0..<20).map { try item("u-\($0)") }, .replace)
        #expect(rows.allSatisfy { $0.outcome == .replaced })
        #expect(marvin.commands.map(\.name) == [.uploadBooks])
        #expect(host.operations.filter { $0 == "read /Library/mainDb.sqlite" }.count <= 2)
    }

    @Test func `lock, number of words and cover travel with a new book`() throws {
        let image = SyncingTests.image
        host.metadata = { _ in Book(title: "own", coverMediaType: "image/jpeg", coverData: image) }
        let rows = try upload(
            [
                item("u-1") {
                    $0.isLocked = true
                    $0.wordCount = 4711
                    $0.coverData = image
                }, item("u-2") { $0.coverData = image + [0] }, item("u-3"),
            ], .protect)
        #expect(rows.allSatisfy { $0.outcome == .added })
        guard case .uploadBooks(let command)? = marvin.commands.first else {
            Issue.record("no upload")
            return
        }
        #expect(command.books[0].isLocked && command.books[0].wordCount == 4711)
        #expect(command.books[0].coverHash == MD5.hex(image) && command.books[0].cover == nil)
        // The file's own cover is another one, so this one travels.
        #expect(command.books[1].cover?.data == image + [0] && command.books[1].coverHash == nil)
        #expect(command.books[2].coverHash == nil && command.books[2].cover == nil)
        #expect(command.books.allSatisfy { $0.collections == ["NEW"] })
    }

    @Test func `flags are set by the person, and never by a column of a calibre library`() throws {
        let book = try item("u-1") { $0.collections = ["read", "Mine", " Reading List "] }
        let (rows, _) = try host.upload([book], UploadOptions(collections: ["READ", "Asked"]))
        #expect(rows.map(\.outcome) == [.added])
        guard case .uploadBooks(let command)? = marvin.commands.first else {
            Issue.record("no upload")
            return
        }
        #expect(command.books[0].collections == ["READ", "Asked", "Mine", "NEW"])
    }

    @Test func `files are recognised by their content alone`() throws {
        let rows = try upload([host.item("u-1", ZipFixture(["a.txt"]).bytes(), name: "a.epub")], .protect)
        #expect(rows.map(\.status) == [.unsupportedFormat])
        #expect(rows[0].message?.contains("ZIP archive without META-INF/container.xml") == true)
        #expect(host.sniffedByContent)
        #expect(
            try upload([host.item("u-2", ZipFixture.epub(), name: "b.pdf")], .protect).map(\.outcome) == [
                .added
            ])
    }

    @Test("Weakness 28: a thousand books are looked up without going through the library for each")
    func manyBooks() throws {
        let library = (0..<20_000).map { (number: Int) in
            LibraryBook(
                id: Int64(number), fileName: "\(number).epub", uuid: "u-\(number)", title: "T \(number)",
                author: "A")
        }
        let matcher = BookMatcher(library)
        for number in stride(from: 0, to: 20_000, by: 20) {
            let book = Book(title: "t  \(number)", authors: ["a"])
            #expect(
                try matcher.match(book, uuid: "x") { () throws(OverlayError) in nil }
                    == .book(library[number], .name))
        }
    }
}
