import BookModel
import DeviceTransport
import Foundation
import Libraries
import OverlayABI
import OverlayBridge
import TestSupport
import Testing

@testable import OverlayHost

@Suite("A backup that is cut off keeps every file that came whole, and reports no other")
struct BackupRunTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var request: BackupRequest { BackupRequest(folder: folder.path("backup")) }

    private static func remove(_ folder: String) -> Bool {
        do {
            try FileManager.default.removeItem(atPath: folder)
            return true
        } catch {
            return false
        }
    }

    private var twoAtOnce: BackupLimits {
        var limits = BackupLimits()
        limits.batch.books = 2
        return limits
    }

    /// Runs the next backup. Returns what it fetches, and whether the backup then has all books and covers.
    private func next(_ books: Int) throws -> [String] {
        let app = try CoverApp(books: books)
        let session = try app.environment.session()
        defer { session.close() }
        let result = try session.backup(request)
        #expect(result.results?.failure == nil)
        #expect(result.plan.count == books)
        app.expectCovers(of: result)
        return app.fetched
    }

    @Test("A reference is not a success if the cable was pulled before its last paper came")
    func lostPaper() throws {
        let papers = ["/r.pdf", "/a.pdf", "/b.pdf"]
        let app = try CoverApp(papers: papers)
        app.end = { [device = app.environment.device] _ in
            (
                2,
                {
                    device.unplug()
                    return OVL_DEVICE_GONE
                }
            )
        }
        let session = try app.environment.session()
        defer { session.close() }
        let cut = try session.backup(request).results
        #expect(cut?.failure?.code == .deviceGone)
        #expect(cut?.rows.map(\.status) == [.failed])
        #expect(app.fetched == ["/r.pdf", "/a.pdf"])

        let again = try CoverApp(papers: papers)
        let second = try again.environment.session()
        defer { second.close() }
        let whole = try second.backup(request).results
        #expect(whole?.failure == nil)
        #expect(whole?.rows.map(\.status) == [.fetched])
        #expect(again.fetched == ["/b.pdf"])
    }

    @Test("A cable pulled while the app is asked for covers costs no copy")
    func failedCovers() throws {
        let app = try CoverApp(books: 4)
        app.answersCovers = { [device = app.environment.device] in
            device.unplug()
            return OVL_DEVICE_GONE
        }
        let session = try app.environment.session()
        defer { session.close() }
        let cut = try session.backup(request).results
        #expect(cut?.failure?.code == .deviceGone)
        #expect(cut?.rows.map(\.status) == [.fetched, .fetched, .fetched, .fetched])
        #expect(try next(4) == [])
    }

    @Test("A cancel costs no copy, also of books that wait for their covers")
    func cancelled() throws {
        let app = try CoverApp(books: 6)
        app.end = { [cancellation = app.environment.cancellation] call in
            guard call == 2 else { return nil }
            return (
                1,
                {
                    cancellation.cancel()
                    return OVL_CANCELLED
                }
            )
        }
        let session = try app.environment.session()
        defer { session.close() }
        let cut = try session.backup(request, twoAtOnce).results
        #expect(cut?.failure?.code == .cancelled)
        #expect(
            cut?.rows.map(\.status) == [.fetched, .fetched, .fetched, .failed, .failed, .failed])
        #expect(app.fetched == ["/0.pdf", "/1.pdf", "/2.pdf"])
        #expect(try next(6) == ["/3.pdf", "/4.pdf", "/5.pdf"])
    }

    @Test("A person's own file in the folder of a book stays")
    func ownFile() throws {
        let app = try CoverApp(books: 1, withCovers: false)
        let session = try app.environment.session()
        defer { session.close() }
        let first = try session.backup(request)
        let place = "\(first.folder)/\(first.plan.first?.folder ?? "")/"
        #expect(writeFile(place + "cover.jpg", [1]))
        let withCover = try CoverApp(books: 1)
        let second = try withCover.environment.session()
        defer { second.close() }
        #expect(try second.backup(request).results?.rows.map(\.status) == [.updated])
        #expect(readFile(place + "cover.jpg") == [1])
        #expect(readFile(place + "cover (2).jpg") == CoverApp.cover(0))
    }

    @Test("The metadata file of a book says that it is gone, and no longer when it is back")
    func gone() throws {
        /// Backs up, and returns since when the last book is gone by its metadata file.
        func backUp(_ books: Int) throws -> Int64? {
            let app = try CoverApp(books: books, withCovers: false)
            let session = try app.environment.session()
            defer { session.close() }
            let result = try session.backup(request)
            #expect(result.results?.failure == nil)
            let row = result.plan.first { $0.path == "/1.pdf" }
            let bytes = try #require(readFile("\(result.folder)/\(row?.folder ?? "")/metadata.opf"))
            #expect(try BackupVerification.run(folder.path("backup")).findings.isEmpty)
            return try #require(MetadataPackage.entry(in: bytes)).goneSince
        }
        #expect(try backUp(2) == nil)
        let since = try backUp(1)
        #expect(try since != nil && backUp(1) == since)
        #expect(try backUp(2) == nil)
    }

    @Test("A program that backs up without highlights says nothing about those of a book that came back")
    func backWithoutHighlights() throws {
        /// Backs up one book, or none, with or without its highlights.
        func backUp(_ books: Int, title: String, withNotes: Bool) throws -> BackupResult {
            let app = try CoverApp(books: books, withCovers: false) { book in
                book.title = title
                book.annotations = [Annotation(kind: "note", note: "so true")]
            }
            let session = try app.environment.session()
            defer { session.close() }
            var request = request
            if withNotes { request.annotations = { _, _ in (markdown: "so true", json: "[]") } }
            return try session.backup(request)
        }
        let first = try backUp(1, title: "Emma", withNotes: true)
        let notes = "\(first.folder)/\(first.plan.first?.folder ?? "")/highlights.md"
        _ = try backUp(0, title: "", withNotes: true)
        let back = try backUp(1, title: "Emma, revised", withNotes: false)
        #expect(back.results?.rows.map(\.status) == [.updated])
        #expect(back.results?.rows.flatMap(\.remarks) == [])
        #expect(readFile(notes) == Array("so true\n".utf8))
        #expect(try BackupVerification.run(folder.path("backup")).findings.isEmpty)
    }

    @Test("Noting many books that are gone shows progress, can be cancelled, and goes on in the next run")
    func cancelledNoting() throws {
        /// Backs up without any book on the device, and returns since when each of the former books is gone.
        func backUp(cancelledAfter count: UInt64? = nil) throws -> (BackupResult, [Int64?]) {
            let app = try CoverApp()
            app.environment.progress.onUpdate { [cancellation = app.environment.cancellation] update in
                guard update.phase.hasPrefix("Noting"), update.itemsDone == count else { return }
                #expect(update.itemsTotal == 4)
                cancellation.cancel()
            }
            let session = try app.environment.session()
            defer { session.close() }
            let result = try session.backup(request)
            let times = try result.plan.map { row in
                let bytes = try #require(readFile("\(result.folder)/\(row.folder)/metadata.opf"))
                return try #require(MetadataPackage.entry(in: bytes)).goneSince
            }
            #expect(try BackupVerification.run(folder.path("backup")).findings.isEmpty)
            return (result, times)
        }
        #expect(try next(4).count == 4)
        let (cut, some) = try backUp(cancelledAfter: 1)
        #expect(cut.results?.failure?.code == .cancelled)
        #expect(some.map { $0 != nil } == [true, false, false, false])
        let (whole, all) = try backUp()
        #expect(whole.results?.failure == nil && whole.plan.allSatisfy { $0.action == .gone })
        #expect(!all.contains(nil) && all[0] == some[0])
    }

    @Test("A backup into a folder that another program writes waits, says so, and can be cancelled meanwhile")
    func locked() throws {
        #expect(try next(1) == ["/0.pdf"])
        let app = try CoverApp(books: 2)
        let notices = CollectedNotices()
        var waiting = try app.environment.request()
        waiting.notice = { [cancellation = app.environment.cancellation] text in
            notices.add(text)
            cancellation.cancel()
        }
        let session = try HostSession(try app.environment.target(), waiting)
        defer { session.close() }
        let place = try #require(try BackupFolder.all(in: folder.path("backup")).first)
        let lock = try #require(try place.lockIfFree())
        let error = hostError { () throws(HostError) in _ = try session.backup(request) }
        #expect(error?.code == .cancelled && app.fetched == [])
        #expect(notices.all == ["Waiting for another backup of Reader to finish."])
        withExtendedLifetime(lock) {}
    }

    @Test("A pulled cable is noticed also where the books before could not be written down")
    func goneAndUnwritable() throws {
        let app = try CoverApp(books: 4, withCovers: false)
        let folder = folder.path("backup")
        app.end = { [device = app.environment.device] call in
            let isFirst = call == 1
            return (
                isFirst ? 2 : 0,
                {
                    if isFirst { return Self.remove(folder) ? OVL_OK : OVL_FAILED }
                    device.unplug()
                    return OVL_DEVICE_GONE
                }
            )
        }
        let session = try app.environment.session()
        defer { session.close() }
        let cut = try session.backup(request, twoAtOnce).results
        #expect(cut?.failure != nil && cut?.failure?.code != .deviceGone)
        #expect(cut?.rows.map(\.status) == [.failed, .failed, .failed, .failed])
        #expect(session.link.connection.state == .yanked)
    }

    @Test(
        "The app is asked for few covers at once, while other books come, and for each cover once",
        arguments: ["books", "bytes", "copies"])
    func coverRequests(_ limit: String) throws {
        var limits = BackupLimits()
        limits.batch.books = 3
        limits.covers.books = 2
        switch limit {
        case "bytes": limits.covers = (100, UInt64(CoverApp.cover(0).count * 2 + 1))
        case "copies": (limits.covers.books, limits.waitingBytes) = (100, 4)
        default: break
        }
        let app = try CoverApp(books: 7, papers: ["/r.pdf", "/a.pdf", "/b.pdf"])
        let session = try app.environment.session()
        defer { session.close() }
        let result = try session.backup(request, limits)
        #expect(result.results?.failure == nil)
        #expect(result.results?.rows.map(\.item) == result.plan.map(\.path))
        #expect(result.results?.rows.allSatisfy { $0.status == .fetched } == true)
        app.expectCovers(of: result)
        let names = try FileManager.default.subpathsOfDirectory(atPath: result.folder)
        #expect(names.filter { $0.hasSuffix(".pdf") }.count == 10)
        let asked = app.events.filter { $0.first != "fetch" }
        #expect(asked.joined().sorted() == result.plan.map(\.path).sorted())
        #expect(limit == "copies" || asked.allSatisfy { $0.count <= 2 })
        let firstRequest = try #require(app.events.firstIndex { $0.first != "fetch" })
        #expect(firstRequest < (app.events.lastIndex { $0.first == "fetch" } ?? 0))
    }
}

/// A fake app whose books have covers that only the app has.
private final class CoverApp {
    let environment: FakeEnvironment
    /// The files that arrived.
    private(set) var fetched: [String] = []
    /// `fetch` for each batch of files; the paths for each request of covers.
    private(set) var events: [[String]] = []
    /// How a batch ends, by its number from 1: how many of its files arrive, and what happens then. Nil: all arrive.
    var end: (Int) -> (files: Int, then: () -> ovl_status)? = { _ in nil }
    /// The result of requests for covers.
    var answersCovers: () -> ovl_status = { OVL_OK }
    private let books: [BookRecord]
    private var batches = 0

    static func cover(_ number: Int) -> [UInt8] {
        [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 20)
            + [0xFF, 0xD9]
    }

    /// - Parameters:
    ///   - count: how many books there are besides.
    ///   - papers: the files of a reference.
    ///   - change: changes each of the books besides.
    init(
        books count: Int = 0, papers: [String] = [], withCovers: Bool = true,
        _ change: (inout BookRecord) -> Void = { _ in }
    ) throws {
        environment = try FakeEnvironment()
        var books: [BookRecord] = []
        if let first = papers.first {
            var reference = BookRecord(path: first)
            reference.title = "Reference"
            let files = papers.map { #"{"path": "\#($0)", "state": "on_device", "size": 3}"# }
            reference.extra = #"{"files": [\#(files.joined(separator: ", "))]}"#
            books.append(reference)
        }
        for number in 0..<count {
            var book = BookRecord(path: "/\(number).pdf")
            book.title = "Book \(number)"
            change(&book)
            books.append(book)
        }
        for place in books.indices {
            books[place].size = 3
            guard withCovers else { continue }
            books[place].cover = BookCover(mediaType: "image/jpeg", size: UInt64(Self.cover(place).count))
        }
        self.books = books
        for (place, path) in Set(papers + books.map(\.path)).sorted().enumerated() {
            environment.device.files[path] = [1, 2, UInt8(truncatingIfNeeded: place)]
        }
        environment.fake.books = { [unowned self] options, sink, error in
            list(options.pointee, sink, error)
        }
        environment.fake.prepare = { [unowned self] paths, results, error in
            give(Self.texts(paths.pointee), results, error)
        }
    }

    /// Checks that the backup has the cover of each book.
    func expectCovers(of result: BackupResult) {
        for (place, book) in books.enumerated() {
            let row = result.plan.first { $0.path == book.path }
            let cover = readFile("\(result.folder)/\(row?.folder ?? "")/cover.jpg")
            #expect(cover == Self.cover(place), "\(book.path)")
        }
    }

    private static func texts(_ list: ovl_texts) -> [String] {
        (0..<Int(list.count)).compactMap { list.items?[$0].readMessage() }
    }

    private func list(
        _ options: ovl_books_options, _ sink: UnsafePointer<ovl_book_sink>, _ error: FakeOverlay.ErrorSink
    ) -> ovl_status {
        let isForCovers = options.flags & OVL_BOOKS_WITH_COVERS != 0
        let wanted = Self.texts(options.wanted)
        if isForCovers {
            events.append(wanted)
            let status = answersCovers()
            guard status == OVL_OK else { return error.fail(status, "It stopped.") }
        }
        for (place, book) in books.enumerated() where wanted.isEmpty || wanted.contains(book.path) {
            var book = book
            if isForCovers { book.coverData = Self.cover(place) }
            if options.flags & OVL_BOOKS_WITH_ANNOTATIONS == 0 { book.annotations = [] }
            guard sink.put(book) == OVL_OK else { return OVL_STOPPED }
        }
        return OVL_OK
    }

    private func give(
        _ paths: [String], _ results: UnsafePointer<ovl_result_sink>, _ error: FakeOverlay.ErrorSink
    ) -> ovl_status {
        batches += 1
        events.append(["fetch"])
        let table = environment.fake.transport
        let rows = Receiver<ovl_item_result> { row in
            let failed = row.status != OVL_OK
            results.put(
                row.index, failed ? OVL_OUTCOME_FAILED : OVL_OUTCOME_FETCHED, status: row.status,
                file: row.file)
        }
        var sink = ovl_result_sink.sized()
        sink.ctx = rows.context
        sink.put = { Receiver<ovl_item_result>.take($0, $1) }
        let end = end(batches)
        let given = Array(paths.prefix(end?.files ?? paths.count))
        if !given.isEmpty {
            let status = withTexts(given) {
                table.pull?(table.ctx, OVL_ROOT_DOCUMENTS, $0, &sink, nil) ?? OVL_FAILED
            }
            guard status == OVL_OK else { return error.fail(status, "It failed.") }
            fetched += given
        }
        let status = end?.then() ?? OVL_OK
        return status == OVL_OK ? status : error.fail(status, "It stopped.")
    }
}
