import OverlayKitTesting
import DeviceDatabases
import Foundation
import OverlayKit
import TestSupport
import Testing

@testable import Marvin

@Suite("A listing reuses what is still true of the last one")
struct BooklistCacheTests {
    static let covers = "Library/Application Support/com.appstafarian.marvin.covers"
    let host: MarvinTestHost
    let marvin: FakeMarvin

    init() throws {
        host = try MarvinTestHost(TemporaryFolder())
        host.wallClock = 2_000_000_000_000_000_000
        marvin = try FakeMarvin(host)
        try FileManager.default.createDirectory(
            at: host.url(Self.covers), withIntermediateDirectories: true)
    }

    private func fill(_ count: Int) throws {
        for number in 0..<count {
            try marvin.add("\(number).epub", uuid: "u-\(number)", title: "T \(number)")
            try marvin.library.run("UPDATE Books SET Hash = 'h\(number)' WHERE FileName = '\(number).epub'")
            try image(number, seed: 0)
        }
    }

    private func image(_ number: Int, seed: UInt8) throws {
        let bytes =
            [0xFF, 0xD8, 0xFF, seed] + [UInt8](repeating: UInt8(number % 200), count: 500) + [0xFF, 0xD9]
        try Data(bytes).write(to: host.url("\(Self.covers)/h\(number).jpg"))
    }

    /// Lets an hour pass on the device before Marvin enters its connection mode again.
    private func settle() throws {
        let past = Date(timeIntervalSinceNow: -7200)
        for path in ["Library/mainDb.sqlite", "Library/mainDb.sqlite-wal", "Documents", Self.covers] {
            guard FileManager.default.fileExists(atPath: host.url(path).path) else { continue }
            try FileManager.default.setAttributes(
                [.modificationDate: past], ofItemAtPath: host.url(path).path)
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: host.url(Self.covers).path) {
            try FileManager.default.setAttributes(
                [.modificationDate: past], ofItemAtPath: host.url("\(Self.covers)/\(name)").path)
        }
    }

    private func list(_ covers: Bool = true) throws -> [Book] {
        var books: [Book] = []
        try host.overlay().books(BooksOptions(withCovers: covers)) { books.append($0) }
        return books
    }

    /// The number of requests of a listing, which must equal one without a cache.
    private func cost(_ covers: Bool = true, sourceLocation: SourceLocation = #_sourceLocation) throws -> Int
    {
        host.resetCounts()
        let books = try list(covers)
        let requests = host.requests
        host.switches["booklist_caching"] = false
        #expect(try books == list(covers), sourceLocation: sourceLocation)
        host.switches = [:]
        return requests
    }

    private var readsLibrary: Bool { host.operations.contains { $0 == "read /Library/mainDb.sqlite" } }

    @Test("A listing of an unchanged library with covers takes fewer than fifteen requests")
    func unchanged() throws {
        try fill(300)
        try settle()
        #expect(try cost() > 300)
        #expect(try cost() < 15)
        #expect(try cost(false) < 15)
    }

    @Test("What a listing keeps depends only on the library and the name of the call")
    func stableContent() throws {
        try fill(20)
        try settle()
        _ = try list()
        let first = host.cache
        (host.cache, host.named) = ([:], 0)
        host.wallClock = 2_100_000_000_000_000_000
        _ = try list()
        // Only compares, because the contents would be too long to print.
        let isSame = host.cache == first
        #expect(isSame)
        #expect(host.cache.keys.filter { !$0.hasPrefix("covers-") }.sorted() == ["booklist", "books-0"])
        #expect(host.cache.count == 3)
    }

    @Test("After a change only the images of changed covers are read") func changedCovers() throws {
        try fill(100)
        try settle()
        _ = try list()
        try marvin.library.run(
            "UPDATE Books SET IsRead = 1, CalibreCoverHash = 'x' WHERE FileName = '7.epub'")
        try image(7, seed: 9)
        host.resetCounts()
        #expect(try list()[7].coverData?[3] == 9)
        #expect(host.operations.filter { $0.hasPrefix("read_many") && $0.hasSuffix(".jpg") }.count == 1)
        #expect(try cost() > 100)
        try settle()
        _ = try list()
        #expect(try cost() < 15)
    }

    /// Weakness 26 in docs/weaknesses.md.
    @Test("After a change to one book, only the files of that book are requested")
    func onlyWhatChanged() throws {
        try fill(300)
        try settle()
        _ = try list()
        try marvin.library.run("UPDATE Books SET IsRead = 1 WHERE FileName = '7.epub'")
        host.resetCounts()
        #expect(try list()[7].collections == ["READ"])
        #expect(host.operations.filter { $0.hasPrefix("stat /Documents/") } == ["stat /Documents/7.epub"])
        #expect(host.operations.filter { $0.hasSuffix(".jpg") }.count == 1)
        #expect(host.requests < 60, "\(host.requests)")
    }

    @Test("Books that share a cover file all get its new image") func sharedCover() throws {
        try fill(3)
        try marvin.library.run("UPDATE Books SET Hash = 'h0'")
        try settle()
        _ = try list()
        try image(0, seed: 9)
        try marvin.library.run("UPDATE Books SET CalibreCoverHash = 'x' WHERE FileName = '2.epub'")
        #expect(try list().map { $0.coverData?[3] } == [9, 9, 9])
    }

    @Test("A change in the same clock tick as the last one is noticed") func sameTick() throws {
        try fill(3)
        try settle()
        _ = try list()
        // All of it at the time that the library had when it was last listed.
        let time =
            try FileManager.default.attributesOfItem(
                atPath: host.url("Library/mainDb.sqlite").path)[.modificationDate] as? Date
        try marvin.library.run("UPDATE Books SET Title = 'first'")
        let stamp = try #require(time).addingTimeInterval(7200 + 60)
        func date(_ path: String) throws {
            try FileManager.default.setAttributes(
                [.modificationDate: stamp], ofItemAtPath: host.url(path).path)
        }
        for path in ["Library/mainDb.sqlite", "Library/mainDb.sqlite-wal"] { try date(path) }
        #expect(try list().map(\.title) == ["first", "first", "first"])
        host.resetCounts()
        _ = try list()
        #expect(readsLibrary)
        host.wallClock = 2_000_000_000_000_000_000 + 3_000_000_000
        // The same state was seen three seconds ago. After this listing no change can be hidden.
        _ = try list()
        host.resetCounts()
        _ = try list()
        #expect(!readsLibrary)
    }

    @Test("Files and covers that come and go without a change of the library are noticed")
    func filesWithoutLibrary() throws {
        try fill(5)
        try settle()
        _ = try list()
        try FileManager.default.removeItem(at: host.url("Documents/2.epub"))
        #expect(try list().map(\.path) == ["0.epub", "1.epub", "3.epub", "4.epub"])
        try FileManager.default.removeItem(at: host.url("\(Self.covers)/h1.jpg"))
        #expect(try list().map { $0.coverSize == nil } == [false, true, false, false])
        try Data("new".utf8).write(to: host.url("Documents/2.epub"))
        #expect(try list().map(\.size) == [3, 3, 3, 3, 3])
        #expect(try cost() > 10)
    }

    @Test("Covers that were not read are read when they are requested, and then kept")
    func coversLater() throws {
        try fill(20)
        try settle()
        _ = try list(false)
        host.resetCounts()
        #expect(try list().allSatisfy { $0.coverData?.count == 506 })
        #expect(!readsLibrary)
        #expect(host.operations.filter { $0.hasPrefix("read_many") && $0.hasSuffix(".jpg") }.count == 20)
        #expect(try cost() < 15)
    }

    /// Weakness 9 in docs/weaknesses.md.
    @Test("A damaged cache is rebuilt without a message", arguments: 0..<9)
    func damage(kind: Int) throws {
        try fill(10)
        try settle()
        let books = try list()
        let pack = try #require(host.cache.keys.first { $0.hasPrefix("covers-") })
        switch kind {
        case 0: host.cache["booklist"]?.removeLast()
        case 1: host.cache["booklist"]?[40] ^= 0x10
        case 2: host.cache["booklist"] = []
        case 3: host.cache[pack]?[300] ^= 1
        case 4: host.cache[pack] = nil
        case 5: host.cache["books-0"] = nil
        case 6: host.cache["books-0"]?[30] ^= 1
        case 7: host.cache["books-0"]?.removeLast()
        default: host.cache["booklist"] = [UInt8](repeating: 0xFF, count: 5000)
        }
        #expect(try list() == books)
        #expect(try list() == books)
        #expect(!host.log.contains { $0.contains("damaged") && $0.contains("Marvin's library") })
    }

    @Test("Every changed byte of a kept booklist is noticed, and any length is tolerated")
    func damagedBooklist() throws {
        let cache = BooklistCache(try HostServices(host.record()))
        let whole = try #require(cache.file(of: Self.twoBooks))
        #expect(cache.snapshot(in: whole)?.books.count == 2)
        for index in whole.indices {
            var bytes = whole
            bytes[index] ^= 0x41
            #expect(cache.snapshot(in: bytes) == nil)
            #expect(cache.snapshot(in: Array(whole[..<index])) == nil)
        }
    }

    private static let twoBooks = LibrarySnapshot(
        state: LibraryState(
            root: 1, library: "/x",
            mark: DatabaseStamp(sizes: [1, nil, nil], times: [1, 0, 0], heads: [[1, 2], [], []]),
            documents: .init(modified: 5, size: 6), covers: [.init()]),
        isSettled: true, seenAt: 0,
        books: [
            LibraryBook(fileName: "a.epub", title: "A", tags: ["x"]),
            LibraryBook(id: 2, fileName: "b.epub", authorSort: "B"),
        ],
        files: [
            .init(
                size: 3,
                cover: CoverEntry(
                    mediaType: "image/png", size: 4, readAfter: 5,
                    stored: StoredCover(pack: 1, offset: 2, length: 3, checksum: "c"))), .init(),
        ], textBytes: 9, lacks: ["table X"])

    @Test("A document with any bytes is read without harm, and one that was cut counts as missing")
    func hostileDocument() throws {
        let whole = Self.twoBooks.document()
        let read = try #require(LibrarySnapshot(document: whole))
        #expect(read.books == Self.twoBooks.books)
        #expect(read.files == Self.twoBooks.files)
        for index in whole.indices {
            for change in [0x01, 0x41, 0x80, 0xFF] as [UInt8] {
                var bytes = whole
                bytes[index] ^= change
                // Any result after that is checked book by book, like in a listing.
                _ = LibrarySnapshot(document: bytes)?.isSound
            }
        }
        let end = Self.twoBooks.books.packed(0..<2).count
        for length in 0..<(whole.count - end) {
            #expect(LibrarySnapshot(document: Array(whole[..<length])) == nil)
        }
    }

    @Test("A snapshot with a book that is cut off, or has bytes after its end, is not sound")
    func damagedBook() throws {
        let whole = Self.twoBooks.books.packed(0..<1)
        // The book is shorter than 65,536 bytes, so its head has at most three bytes.
        let head = whole[0] == 0x59 ? 3 : 2
        let items = Array(whole[head...])
        for damaged in [Array(items.dropLast()), items + [0x00], items] {
            let length = [0x59, UInt8(damaged.count >> 8), UInt8(damaged.count & 0xFF)]
            var snapshot = Self.twoBooks
            snapshot.books = []
            let isWhole = snapshot.books.append(packed: length + damaged)
            #expect(isWhole)
            snapshot.files = Array(snapshot.files.prefix(1))
            #expect(snapshot.isSound == (damaged == items))
        }
    }

    @Test("A book takes about as many bytes as its texts have") func bytesOfBooks() {
        var book = LibraryBook(id: 1, fileName: "a.epub")
        let texts = Array(repeating: String(repeating: "x", count: 40), count: 5)
        (book.uuid, book.title, book.author, book.publisher, book.description) = (
            texts[0], texts[1], texts[2], texts[3], texts[4]
        )
        let books: LibraryBooks = [book, book]
        #expect(books.packed(0..<2).count < 2 * (200 + 80))
    }

    @Test("A kept booklist is read back as it was, with any text and number") func roundTrip() throws {
        let cache = BooklistCache(try HostServices(host.record()))
        var book = LibraryBook(id: .min, fileName: "a\u{308}😀.epub")
        (book.title, book.description) = ("\"\u{1}\u{2028}\\", "")
        (book.seriesIndex, book.progress, book.wordCount) = (-0.1, .infinity, .max)
        (book.tags, book.unread) = (["", "x"], FieldSet([.tags, .cover]))
        let mark = DatabaseStamp(
            sizes: [.max, nil, 0], times: [.min, .max, 0], heads: [[0, 255], [], [7]])
        let snapshot = LibrarySnapshot(
            state: LibraryState(root: 1, library: "/x", mark: mark, documents: .init(), covers: []),
            isSettled: true, seenAt: 0, books: [book], files: [.init(size: .max)], textBytes: 0)
        let file = try #require(cache.file(of: snapshot))
        let read = try #require(cache.snapshot(in: file))
        #expect(Array(read.books) == [book])
        #expect(read.files == snapshot.files)
        #expect(read.books[0].fileName.bytes == book.fileName.bytes)
        #expect(read.state == snapshot.state)
    }

    @Test("A booklist with values that no listing writes counts as damaged") func unsound() throws {
        let cache = BooklistCache(try HostServices(host.record()))
        func isRead(_ change: (inout LibrarySnapshot) -> Void) throws -> Bool {
            let mark = DatabaseStamp(sizes: [1, nil, nil], times: [1, 0, 0], heads: [[], [], []])
            var snapshot = LibrarySnapshot(
                state: LibraryState(root: 1, library: "/x", mark: mark, documents: .init(), covers: []),
                isSettled: true, seenAt: 0, books: [LibraryBook(fileName: "a.epub")], files: [.init()],
                textBytes: 0)
            change(&snapshot)
            let file = try #require(cache.file(of: snapshot))
            return cache.snapshot(in: file) != nil
        }
        #expect(try isRead { _ in })
        #expect(try !isRead { $0.books = [LibraryBook(fileName: "../a.epub")] })
        #expect(try !isRead { $0.books = [LibraryBook(fileName: "a.epub", hash: "/etc/passwd")] })
        #expect(try !isRead { $0.books = [LibraryBook(fileName: "a.epub", coverBlobSize: .min)] })
        #expect(try !isRead { $0.files = [] })
        #expect(try !isRead { $0.textBytes = .min })
        #expect(try !isRead { $0.state.mark.heads = [] })
        #expect(try !isRead { $0.state.mark.times.removeLast() })
    }

    /// Weakness 11 in docs/weaknesses.md.
    @Test("Everything works without a cache, or with a host that stores nothing")
    func withoutCache() throws {
        try fill(3)
        host.switches["booklist_caching"] = false
        let books = try list()
        #expect(books.count == 3)
        #expect(host.cache.isEmpty)
        #expect(try host.upload([host.item("u-9")]).rows.map(\.outcome) == [.added])
        var rows: [ItemResult] = []
        try host.overlay().deleteBooks(["u-9.epub"]) { rows.append($0) }
        #expect(rows.map(\.outcome) == [.deleted])
        host.switches = [:]
        host.storageFault = .hostIO
        #expect(try list() == books)
        host.storageFault = .notSupported
        #expect(try list() == books)
    }

    /// Weakness 26 in docs/weaknesses.md.
    @Test("A change rewrites the booklist, but none of the stored images")
    func rewriting() throws {
        try fill(50)
        try settle()
        _ = try list()
        try settle()
        _ = try list()
        host.storageWrites = []
        try marvin.library.run("UPDATE Books SET ReadingList = 1 WHERE FileName = '3.epub'")
        _ = try list()
        #expect(host.storageWrites == ["books-0", "booklist"])
        host.storageWrites = []
        try settle()
        _ = try list()
        _ = try list()
        #expect(host.storageWrites.filter { $0.hasPrefix("covers-") }.isEmpty)
    }

    @Test("Packs of images that no book uses any more are removed") func unusedPacks() throws {
        try fill(4)
        try settle()
        _ = try list()
        let first = Set(host.cache.keys.filter { $0.hasPrefix("covers-") })
        for number in 0..<4 { try image(number, seed: 7) }
        try marvin.library.run("UPDATE Books SET CalibreCoverHash = 'new'")
        _ = try list()
        let second = Set(host.cache.keys.filter { $0.hasPrefix("covers-") })
        #expect(first.count == 1 && second.count == 1 && first != second)
    }

    @Test("Many small packs are merged") func smallPacks() throws {
        try fill(1)
        for number in 1..<40 {
            try settle()
            try marvin.add("\(number).epub", uuid: "u-\(number)", title: "T")
            try marvin.library.run("UPDATE Books SET Hash = 'h\(number)' WHERE FileName = '\(number).epub'")
            try image(number, seed: 0)
            try settle()
            #expect(try list().count == number + 1)
        }
        #expect(host.cache.keys.filter { $0.hasPrefix("covers-") }.count < 15)
    }

    @Test("Uploads to and deletions from an unchanged library do not copy it") func noCopy() throws {
        try fill(30)
        try settle()
        _ = try list()
        host.resetCounts()
        #expect(
            try host.upload([host.item("u-3"), host.item("u-4")]).rows.map(\.outcome) == [.skipped, .skipped])
        #expect(!readsLibrary)
        #expect(host.requests < 60)
    }
}
