import DeviceTransport
import JSON
import OverlayABI
import TestSupport
import Testing

@testable import OverlayHost

@Suite("Changing books and collections sends the wanted values, and has one row per name")
struct UpdateTests {
    /// The records that the overlay received from the host.
    private final class Seen {
        var books: [[BookRecord]] = []
    }

    /// A reader app with three books, whose overlay takes changes and puts rows by `answer`.
    private func environment(
        settable: [String] = ["title", "authors", "collections", "cover", "locked", "rating"],
        _ seen: Seen = Seen(),
        _ answer: @escaping (Int, BookRecord, UnsafePointer<ovl_result_sink>) -> Void = { index, book, sink in
            sink.put(UInt64(index), OVL_OUTCOME_UPDATED, path: book.path)
        }, status: @escaping (FakeOverlay.ErrorSink) -> ovl_status = { _ in OVL_OK }
    ) throws -> FakeEnvironment {
        let environment = try FakeEnvironment()
        environment.fake.descriptor.settableMetadata = settable
        environment.fake.books = { _, sink, _ in
            for (path, collections) in [("/a", ["Neu", "Alt"]), ("/b", nil), ("/c", [])]
                as [(String, [String]?)]
            {
                var book = BookRecord(path: path)
                book.title = "Title of \(path)"
                book.uuid = "uuid-\(path)"
                book.collections = collections
                book.publisher = "Somebody"
                sink.put(book)
            }
            return OVL_OK
        }
        environment.fake.sync = { list, sink, error in
            do {
                let books = try list.pointee.read(ovl_book.self, "books") { record throws(ContractBreach) in
                    BookRecord(checked: record)
                }
                seen.books.append(books)
                for (index, book) in books.enumerated() { answer(index, book, sink) }
                return status(error)
            } catch {
                Issue.record(error)
                return OVL_FAILED
            }
        }
        return environment
    }

    private var title: BookChanges {
        var changes = BookChanges()
        changes.title = "New"
        return changes
    }

    @Test("Only the changes are sent, with all collections, and the path afterwards comes back")
    func update() throws {
        let seen = Seen()
        let environment = try environment(seen) { index, book, sink in
            sink.put(UInt64(index), OVL_OUTCOME_UPDATED, path: book.path + ".renamed", message: "Moved.")
        }
        let session = try environment.session()
        defer { session.close() }
        var changes = title
        changes.isLocked = true
        changes.rating = 4.5
        changes.cover = BookCover(mediaType: "image/png", data: [1, 2, 3])
        let result = session.update(["uuid-/a", "/b"], changes)
        #expect(result.failure == nil)
        #expect(result.rows.map(\.status) == [.updated, .updated])
        #expect(result.rows.map(\.path) == ["/a.renamed", "/b.renamed"])
        #expect(result.rows.map(\.item) == ["uuid-/a", "/b"])
        #expect(result.rows[0].message == "Moved.")
        var first = BookRecord(path: "/a")
        first.uuid = "uuid-/a"
        first.title = "New"
        first.collections = ["Neu", "Alt"]
        first.isLocked = true
        first.rating = 4.5
        first.cover = BookCover(mediaType: "image/png", size: 3, data: [1, 2, 3])
        #expect(seen.books.count == 1)
        #expect(seen.books[0][0] == first)
        #expect(seen.books[0][1].collections == [])
        #expect(environment.progress.updates.contains { $0.phase == "Changing books" && $0.itemsTotal == 2 })
    }

    @Test("A book without a row from the overlay needed no change")
    func unchanged() throws {
        let environment = try environment { index, book, sink in
            if book.path == "/b" { sink.put(UInt64(index), OVL_OUTCOME_UPDATED) }
        }
        let session = try environment.session()
        defer { session.close() }
        let result = session.update(["/a", "/b"], title)
        #expect(result.rows.map(\.status) == [.skipped, .updated])
        #expect(result.rows.map(\.path) == ["/a", "/b"])
        #expect(session.update("/a", title).status == .skipped)
    }

    @Test(
        "A field that cannot be changed is refused by its name, with those that can, before anything is done")
    func refusedFields() throws {
        let seen = Seen()
        let environment = try environment(settable: ["title", "collections"], seen)
        let session = try environment.session()
        defer { session.close() }
        var changes = title
        changes.publisher = "X"
        changes.wordCount = 3
        let result = session.update(["/a"], changes)
        #expect(result.failure?.code == .notSupported)
        #expect(result.failure?.message == "Reader cannot change publisher, word_count.")
        #expect(
            result.failure?.hint
                == "You can change: title. To change collections, use: overlayhost collections")
        #expect(result.rows.map(\.status) == [.failed])
        #expect(seen.books.isEmpty)
    }

    @Test("The overlay's answer for this device and app counts, not its descriptor")
    func settings() throws {
        let environment = try environment()
        environment.fake.settings = { sink, _ in
            sink.put(
                settable: ["collections"], missing: [("delete", "Nothing can be deleted here.", "Use it.")])
        }
        let session = try environment.session()
        defer { session.close() }
        #expect(session.update(["/a"], title).failure?.code == .notSupported)
        #expect(session.editCollections(["/a"], add: ["X"]).failure == nil)
        let deleted = session.delete(["/a"])
        #expect(deleted.failure?.message == "Nothing can be deleted here.")
        #expect(deleted.failure?.hint == "Use it.")
        #expect(try session.settings().missing.map(\.ability) == ["delete"])
    }

    @Test(
        "A command whose ability is missing is not begun",
        arguments: ["books", "upload", "update", "collections", "get"])
    func missing(_ ability: String) throws {
        let environment = try environment()
        environment.fake.settings = { sink, _ in sink.put(missing: [(ability, "Not here.", nil)]) }
        let session = try environment.session()
        defer { session.close() }
        let failures: [String: HostError?] = [
            "books": hostError { () throws(HostError) in _ = try session.books() },
            "upload": session.upload([try environment.file("a.epub", "x")]).failure,
            "update": session.update(["/a"], title).failure,
            "collections": session.editCollections(["/a"], add: ["X"]).failure,
            "get": session.get(["/a"], to: environment.folder.path("out")).failure,
        ]
        #expect(failures[ability]??.message == "Not here.")
        #expect(failures[ability]??.code == .notSupported)
    }

    @Test("Collections are added and taken away, and a book that has the right ones is not sent")
    func collections() throws {
        let seen = Seen()
        let environment = try environment(seen)
        let session = try environment.session()
        defer { session.close() }
        let result = session.editCollections(["/a", "/b", "/c"], add: ["Neu", "Krimi"], remove: ["Alt"])
        #expect(result.failure == nil)
        #expect(result.rows.map(\.status) == [.updated, .updated, .updated])
        #expect(
            seen.books[0].map(\.collections) == [["Neu", "Krimi"], ["Neu", "Krimi"], ["Neu", "Krimi"]])
        #expect(seen.books[0].allSatisfy { $0.title == nil && $0.publisher == nil })

        let second = session.editCollections(["/a", "/b"], add: ["Neu"])
        #expect(second.rows.map(\.status) == [.skipped, .updated])
        #expect(seen.books[1].map(\.path) == ["/b"])
        let third = session.editCollections(["/c"], remove: ["Krimi"])
        #expect(third.rows.map(\.status) == [.skipped])
        #expect(seen.books.count == 2)
    }

    @Test("Impossible changes are refused")
    func invalid() throws {
        let seen = Seen()
        let environment = try environment(
            settable: ["title", "rating", "series_index", "pubdate", "cover", "collections"], seen)
        let session = try environment.session()
        defer { session.close() }
        func code(_ change: (inout BookChanges) -> Void) -> HostError.Code? {
            var changes = BookChanges()
            change(&changes)
            return session.update(["/a"], changes).failure?.code
        }
        #expect(code { _ in } == .invalidArgument)
        #expect(code { $0.rating = 5.5 } == .invalidArgument)
        #expect(code { $0.rating = .nan } == .invalidArgument)
        #expect(code { $0.seriesIndex = .infinity } == .invalidArgument)
        #expect(code { $0.pubdate = "2020-13-01" } == .invalidArgument)
        #expect(code { $0.cover = BookCover(mediaType: "image/png") } == .invalidArgument)
        #expect(code { $0.cover = BookCover(mediaType: "image/png", data: []) } == .invalidArgument)
        #expect(session.editCollections(["/a"]).failure?.code == .invalidArgument)
        #expect(session.editCollections(["/a"], add: [""]).failure?.code == .invalidArgument)
        #expect(session.editCollections(["/a"], add: ["X"], remove: ["X"]).failure?.code == .invalidArgument)
        #expect(seen.books.isEmpty)
        #expect(code { $0.pubdate = "" } == nil)
        #expect(code { $0.pubdate = "1925-04-26" } == nil)
    }

    @Test("Names without a book have their rows, and the others are changed")
    func unknownNames() throws {
        let environment = try environment()
        let session = try environment.session()
        defer { session.close() }
        let result = session.update(["nobody", "/a", "/a"], title)
        #expect(result.rows.map(\.status) == [.failed, .updated, .updated])
        #expect(result.rows[0].code == .notFound)
    }

    @Test("A failure in the middle leaves the rows that were reported, and the others share it")
    func failure() throws {
        let environment = try environment { index, book, sink in
            if index == 0 { sink.put(0, OVL_OUTCOME_UPDATED, path: book.path) }
        } status: {
            $0.fail(OVL_APP_UNAVAILABLE, "The app went to sleep.")
        }
        let session = try environment.session()
        defer { session.close() }
        let result = session.update(["/a", "/b"], title)
        #expect(result.failure?.code == .appUnavailable)
        #expect(result.rows.map(\.status) == [.updated, .failed])
        #expect(result.rows[1].code == .appUnavailable)
    }

    @Test("A cancelled command changes nothing")
    func cancelled() throws {
        let seen = Seen()
        let environment = try environment(seen)
        let session = try environment.session()
        defer { session.close() }
        environment.cancellation.cancel()
        #expect(session.update(["/a"], title).failure?.code == .cancelled)
        #expect(seen.books.isEmpty)
    }

    @Test("An overlay without the method says that it cannot change books")
    func missingMethod() throws {
        let environment = try environment()
        environment.fake.sync = nil
        let session = try environment.session()
        defer { session.close() }
        let result = session.update(["/a"], title)
        #expect(result.failure?.code == .notSupported)
        #expect(result.failure?.message.contains("change books") == true)
    }

    @Test(
        "Commands of the app are performed in development mode only, with the paths of the books that are named"
    )
    func perform() throws {
        let environment = try environment()
        var paths: [String] = []
        environment.fake.perform = { _, _, texts, _, _ in
            do { paths = try texts.pointee.read("paths") ?? [] } catch { Issue.record(error) }
            return OVL_OK
        }
        let plain = try environment.session()
        #expect(
            hostError { () throws(HostError) in _ = try plain.perform("x") }?.hint?.contains(
                "development_mode")
                == true)
        plain.close()
        let session = try environment.session(["development_mode": .bool(true)])
        defer { session.close() }
        #expect(try session.perform("x", books: ["uuid-/b", "/a"]) == [])
        #expect(paths == ["/b", "/a"])
        #expect(
            hostError { () throws(HostError) in _ = try session.perform("x", books: ["nobody"]) }?.code
                == .notFound)
    }

    @Test("The formats of the settings decide what is uploaded, and a refusal names them")
    func formats() throws {
        let environment = try environment()
        environment.fake.upload = { items, _, results, _ in
            for index in 0..<items.pointee.count { results.put(index, OVL_OUTCOME_ADDED, path: "/\(index)") }
            return OVL_OK
        }
        environment.fake.settings = { sink, _ in sink.put(formats: ["cbz", "djvu"]) }
        let session = try environment.session()
        defer { session.close() }
        let result = session.upload([
            try environment.file("a.djvu", "x"), try environment.file("b.epub", "y"),
        ])
        #expect(result.rows.map(\.status) == [.added, .failed])
        #expect(result.rows[1].hint?.contains("cbz, djvu") == true)
    }
}
