import OverlayKitTesting
import DeviceDatabases
import Foundation
import OverlayKit
import TestSupport
import Testing

@testable import Marvin

@Suite("The booklist combines Marvin's library, files and covers")
struct ListingTests {
    let host: MarvinTestHost
    let marvin: FakeMarvin
    let covers = "Library/Application Support/com.appstafarian.marvin.covers"
    static let jpeg: [UInt8] =
        [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 7, count: 994) + [0xFF, 0xD9]

    init() throws {
        host = try MarvinTestHost(TemporaryFolder())
        marvin = try FakeMarvin(host)
    }

    private func books(_ options: BooksOptions = BooksOptions()) throws -> [Book] {
        var books: [Book] = []
        try host.overlay().books(options) { books.append($0) }
        return books
    }

    private func addCovered(_ count: Int) throws {
        try FileManager.default.createDirectory(at: host.url(covers), withIntermediateDirectories: true)
        try marvin.library.run("BEGIN")
        for number in 0..<count {
            let name = "\(number).epub"
            try Data("content".utf8).write(to: host.url("Documents/\(name)"))
            try marvin.library.add(["FileName": "'\(name)'", "Hash": "'h\(number)'"])
            try Data(Self.jpeg).write(to: host.url("\(covers)/h\(number).jpg"))
        }
        try marvin.library.run("COMMIT")
    }

    @Test("A book has its size, format and path") func fields() throws {
        try marvin.add("a.epub", uuid: "u-1", title: "Title", author: "Ann, Bo", content: "12345")
        let book = try #require(try books().first)
        #expect(book.path == "a.epub" && book.uuid == "u-1" && book.title == "Title")
        #expect(book.authors == ["Ann", "Bo"])
        #expect(book.size == 5)
        #expect(book.format == "application/epub+zip")
        #expect(book.coverMediaType == nil && book.coverData == nil)
        #expect(book.tags == [] && book.collections == [])
    }

    @Test("A memory card has no books") func memoryCard() throws {
        try marvin.add("a.epub", uuid: "u-1")
        #expect(try books(BooksOptions(volume: .cardA)).isEmpty)
        #expect(host.requests == 0)
    }

    @Test("A book whose file is missing is left out and logged") func missingFile() throws {
        try marvin.library.add(["FileName": "'lost.epub'", "Title": "'Lost'"])
        try marvin.add("here.epub", uuid: "u")
        try FileManager.default.createDirectory(
            at: host.url("Documents/folder.epub"), withIntermediateDirectories: false)
        try marvin.library.add(["FileName": "'folder.epub'"])
        #expect(try books().map(\.path) == ["here.epub"])
        #expect(host.log.contains { $0.contains("lost.epub") && $0.contains("Lost") })
    }

    @Test("One line of the log names what each listing leaves out and what the database lacks")
    func oneLine() throws {
        try marvin.add("here.epub", uuid: "u")
        try #require(try books().count == 1)
        #expect(host.warnings.isEmpty)
        for number in 1...5 {
            try marvin.library.add(["FileName": "'\(number).epub'", "Title": "'Lost \(number)'"])
        }
        try marvin.library.run("DROP TABLE BookSubjects; ALTER TABLE Books DROP COLUMN Publisher")
        let expected =
            "5 books in Marvin's library were left out because their files are missing: 'Lost 1', 'Lost 2', 'Lost 3' "
            + "and 2 more. Marvin's library does not have these parts, so their values are not shown: "
            + "column Books.Publisher, table BookSubjects."
        for count in 1...3 {
            #expect(try books().map(\.path) == ["here.epub"])
            #expect(host.warnings == Array(repeating: expected, count: count))
        }
    }

    @Test(
        "If a part of the annotations is missing, a listing with them fails, and one without says so",
        arguments: [
            ("ALTER TABLE Highlights RENAME TO Highlights_v2", "table Highlights"),
            ("DROP TABLE Bookmarks", "table Bookmarks"),
            ("DROP TABLE Highlights; CREATE VIEW Highlights AS SELECT 1 AS BookID", "table Highlights"),
            ("ALTER TABLE Highlights RENAME COLUMN Text TO Passage", "column Highlights.Text"),
            ("ALTER TABLE Bookmarks DROP COLUMN BookID", "column Bookmarks.BookID"),
        ])
    func annotationsOfAnotherVersion(change: String, part: String) throws {
        try marvin.add("here.epub", uuid: "u")
        try marvin.library.run("INSERT INTO Highlights (BookID, Text) SELECT ID, 'words' FROM Books")
        let options = BooksOptions(withAnnotations: true)
        #expect(try books(options).map { $0.annotations.map(\.text) } == [["words"]])
        try marvin.library.run(change)
        let error = #expect(throws: OverlayError.self) { try books(options) }
        #expect(error?.status == .damaged && error?.hint?.contains("version") == true)
        #expect(error?.message.hasSuffix("does not have these parts: \(part).") == true)
        #expect(host.warnings.isEmpty)
        #expect(try books().map(\.path) == ["here.epub"])
        #expect(
            host.warnings == [
                "Marvin's library does not have these parts, so their values are not shown: \(part)."
            ])
    }

    @Test("A cover has its size, and has its bytes when they are requested") func coverBytes() throws {
        try addCovered(1)
        #expect(try books().first?.coverSize == 1000)
        #expect(try books().first?.coverMediaType == "image/jpeg")
        #expect(try books().first?.coverData == nil)
        let book = try #require(try books(BooksOptions(withCovers: true)).first)
        #expect(book.coverData == Self.jpeg && book.coverSize == 1000)
    }

    @Test("A cover larger than the first read is read completely") func largeCover() throws {
        try addCovered(2)
        let large = Self.jpeg + [UInt8](repeating: 9, count: 200_000)
        try Data(large).write(to: host.url("\(covers)/h1.jpg"))
        #expect(try books(BooksOptions(withCovers: true)).map(\.coverData) == [Self.jpeg, large])
    }

    @Test("A cover of one MiB is delivered, and one of one byte more is left out as too large")
    func coverLimit() throws {
        try addCovered(3)
        func image(_ size: Int) -> [UInt8] {
            [UInt8](Self.jpeg[..<998]) + [UInt8](repeating: 9, count: size - Self.jpeg.count) + [0xFF, 0xD9]
        }
        let largest = image(1 << 20)
        try Data(largest).write(to: host.url("\(covers)/h0.jpg"))
        try Data(image((1 << 20) + 1)).write(to: host.url("\(covers)/h1.jpg"))
        #expect(try books(BooksOptions(withCovers: true)).map(\.coverData) == [largest, nil, Self.jpeg])
        #expect(host.log.contains { $0.contains("too large") && $0.contains("h1.jpg") })
    }

    @Test("A cover that is answered in parts is read completely, and so is one with an unusual end")
    func coverInParts() throws {
        try addCovered(2)
        try Data(Self.jpeg + [0, 0]).write(to: host.url("\(covers)/h1.jpg"))
        host.longestAnswer = 300
        #expect(
            try books(BooksOptions(withCovers: true)).map(\.coverData) == [Self.jpeg, Self.jpeg + [0, 0]])
    }

    @Test("A book whose cover is missing, empty, unreadable or not an image has no cover")
    func unusableCovers() throws {
        try addCovered(4)
        try FileManager.default.removeItem(at: host.url("\(covers)/h0.jpg"))
        try Data().write(to: host.url("\(covers)/h1.jpg"))
        try Data("<html>".utf8).write(to: host.url("\(covers)/h2.jpg"))
        host.fault = { operation, path in
            path.hasSuffix("h3.jpg") && operation == "read_many" ? .deviceIO : nil
        }
        let list = try books(BooksOptions(withCovers: true))
        #expect(list.map(\.coverMediaType) == [nil, nil, nil, nil])
        #expect(list.count == 4)
        #expect(host.log.contains { $0.contains("h3.jpg") })
    }

    @Test(
        "Covers are found where each version of Marvin keeps them",
        arguments: [
            ("2.7.1", "Library/Application Support"), ("2.5.65", "Library/Application Support"),
            ("2.5.64", "Library/Caches"), ("2.1", "Library/Caches"), ("1.9", "nowhere"),
        ])
    func coverFolders(version: String, parent: String) throws {
        let paths = MarvinPaths(version: MarvinVersion(version))
        let folder = "/\(parent)/com.appstafarian.marvin.covers"
        #expect(paths.covers.first == (parent == "nowhere" ? nil : folder))
    }

    @Test("A library that was not moved still shows its covers") func unmovedLibrary() throws {
        try addCovered(1)
        let old = "Library/Caches/com.appstafarian.marvin.covers"
        try FileManager.default.createDirectory(
            at: host.url("Library/Caches"), withIntermediateDirectories: true)
        try FileManager.default.moveItem(at: host.url(covers), to: host.url(old))
        #expect(try books().first?.coverSize == 1000)
    }

    @Test("A listing without covers' bytes costs at most two requests per book")
    func requestsWithoutCovers() throws {
        try addCovered(300)
        host.resetCounts()
        #expect(try books().count == 300)
        #expect(host.requests <= 2 * 300 + 40, "\(host.requests)")
    }

    @Test("A listing with covers costs at most four requests per book") func requestsWithCovers() throws {
        try addCovered(300)
        host.resetCounts()
        #expect(try books(BooksOptions(withCovers: true)).allSatisfy { $0.coverData != nil })
        #expect(host.requests <= 4 * 300 + 40, "\(host.requests)")
    }

    @Test("A cover with bytes after the end of its image costs no more requests than another")
    func requestsWithTrailingBytes() throws {
        let count = 20
        let image: [UInt8] =
            [0xFF, 0xD8, 0xFF, 0xE1, 0, 6, 0xFF, 0xD8, 0xFF, 0xD9, 0xFF, 0xDA, 0, 2]
            + [UInt8](repeating: 7, count: 500) + [0xFF, 0, 0xFF, 0xD0, 7, 0xFF, 0xD9]
        var requests: [Int] = []
        for trailing in [[], [0, 0x0A]] as [[UInt8]] {
            let bench = try ListingTests()
            try bench.addCovered(count)
            for number in 0..<count {
                try Data(image + trailing).write(to: bench.host.url("\(covers)/h\(number).jpg"))
            }
            bench.host.resetCounts()
            let covers = try bench.books(BooksOptions(withCovers: true)).map(\.coverData)
            #expect(covers == Array(repeating: image + trailing, count: count))
            requests.append(bench.host.requests)
        }
        #expect(requests[1] <= requests[0], "\(requests)")
    }

    @Test("The listing ends when the sink asks it to stop") func stopping() throws {
        try addCovered(3)
        var count = 0
        let error = try #require(throws: OverlayError.self) {
            try host.overlay().books(BooksOptions()) { _ throws(OverlayError) in
                count += 1
                throw OverlayError(.stopped, "Enough.")
            }
        }
        #expect(error.status == .stopped)
        #expect(count == 1)
    }

    @Test("Without a library the listing fails with a hint") func noLibrary() throws {
        marvin.library.close()
        for suffix in ["", "-wal", "-shm"] { unlink(host.url("Library/mainDb.sqlite\(suffix)").path) }
        let error = try #require(throws: OverlayError.self) { try books() }
        #expect(error.status == .notFound)
        #expect(error.hint?.contains("Open Marvin") == true)
    }

    @Test("A damaged library is reported with SQLite's code") func damagedLibrary() throws {
        marvin.library.close()
        try Data(repeating: 0x41, count: 8192).write(to: host.url("Library/mainDb.sqlite"))
        let error = try #require(throws: OverlayError.self) { try books() }
        #expect(error.status == .damaged)
        #expect(error.domain == .sqlite && error.nativeCode & 0xff == 26)
        #expect(error.subject == "/Library/mainDb.sqlite")
    }

    @Test("The copy is made in a private folder that is removed with it") func privateCopy() throws {
        var folder: ScratchFolder? = try ScratchFolder()
        let path = try #require(folder?.path)
        let count = try folder?.write("x") { take throws(OverlayError) in
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 3, alignment: 1)
            defer { bytes.deallocate() }
            try take(UnsafeRawBufferPointer(bytes))
        }
        #expect(count == 3)
        var attributes = stat()
        #expect(lstat(path, &attributes) == 0 && attributes.st_mode & 0o777 == 0o700)
        folder = nil
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}

@Suite("Books are fetched whole or not at all")
struct FetchingTests {
    let host: MarvinTestHost
    let marvin: FakeMarvin

    init() throws {
        host = try MarvinTestHost(TemporaryFolder())
        marvin = try FakeMarvin(host)
        try marvin.add("a.epub", uuid: "u", content: "0123456789")
    }

    @Test("The bytes arrive in order with the total") func fetchedBytes() throws {
        var (bytes, totals): ([UInt8], [UInt64?]) = ([], [])
        try host.overlay().getFile("a.epub") { chunk, offset, total in
            #expect(offset == UInt64(bytes.count))
            bytes += Array(chunk)
            totals.append(total)
        }
        #expect(String(decoding: bytes, as: UTF8.self) == "0123456789")
        #expect(totals == [10, 10])
    }

    @Test(
        "A path that is not a book's is not found, and never leaves the folder",
        arguments: [
            "../Library/mainDb.sqlite", "/etc/passwd", "..", "", "a/b", "a\u{0}.epub", "missing.epub",
        ])
    func foreignPath(path: String) throws {
        let error = try #require(throws: OverlayError.self) {
            try host.overlay().getFile(path) { _, _, _ in Issue.record("bytes of \(path)") }
        }
        #expect(error.status == .notFound)
        #expect(host.operations.allSatisfy { $0 == "stat /Documents/missing.epub" })
    }

    @Test(
        "Covers that arrive in any order are delivered in the order of the books, each as early as possible")
    func coversInOrder() throws {
        var queue = CoverQueue(10..<15)
        var seen: [[Int]] = []
        for index in [12, 10, 11, 14, 13] {
            var due: [Int] = []
            let cover = CoverThumbnail(image: [0xFF, 0xD8, 0xFF, UInt8(index)])
            try queue.set(index, cover) { (place, cover) throws(OverlayError) in
                #expect(cover?.bytes?.last == UInt8(place))
                due.append(place)
            }
            seen.append(due)
        }
        #expect(seen == [[], [10], [11, 12], [], [13, 14]])
    }

    @Test("All books are prepared at once, each with its row") func preparing() throws {
        try marvin.add("b.epub", uuid: "v")
        var rows: [ItemResult] = []
        try host.overlay().prepareAddableBooks(["a.epub", "../x", "missing.epub", "b.epub"]) {
            rows.append($0)
        }
        rows.sort { $0.index < $1.index }
        #expect(rows.map(\.index) == [0, 1, 2, 3])
        #expect(rows.map(\.outcome) == [.fetched, .failed, .failed, .fetched])
        #expect(rows.map(\.status) == [.ok, .notFound, .notFound, .ok])
        #expect(rows[0].file != nil && rows[3].file != nil && rows[0].file != rows[3].file)
        #expect(!host.operations.contains { $0.contains("../") })
    }
}
