import OverlayABI
import OverlayBridge
import Testing

@testable import OverlayHost

@Suite("Values cross the boundary unchanged, and absent values stay different from empty ones")
struct ValueTests {
    private var full: BookRecord {
        var book = BookRecord(path: "/Documents/ä.epub")
        book.uuid = "6f9619ff-8b86-d011-b42d-00cf4fc964ff"
        book.contentID = "0b5c1d34-8a55-8f3e-9c41-2f7a6d1e0c98"
        book.title = "Дубровский 狼 \u{1F43A}"
        book.titleSort = "Дубровский"
        book.authors = ["A", "B & C", ""]
        book.authorSort = "A; B"
        book.series = "S"
        book.seriesIndex = 1.5
        book.publisher = "P"
        book.pubdate = "1841-02-28"
        book.dateAdded = -62_135_596_800
        book.description = String(repeating: "<p>long</p>", count: 1000)
        book.tags = []
        book.collections = ["NEW"]
        book.rating = 4.5
        book.size = UInt64.max
        book.format = "application/epub+zip"
        book.cover = BookCover(mediaType: "image/jpeg", size: 3, data: [1, 2, 3])
        return book
    }

    private func crossed(_ books: [BookRecord]) throws -> [BookRecord] {
        let environment = try FakeEnvironment()
        environment.fake.books = { _, sink, _ in
            for book in books where sink.put(book) != OVL_OK { return OVL_STOPPED }
            return OVL_OK
        }
        let instance = try environment.attached()
        defer { instance.destroy() }
        return Array(try instance.books())
    }

    @Test("A full book and an empty one arrive as they were put")
    func books() throws {
        let sent = [full, BookRecord(path: "/only")]
        #expect(try crossed(sent) == sent)
    }

    @Test("A thousand books arrive in order")
    func manyBooks() throws {
        let sent = (0..<1000).map { BookRecord(path: "/\($0)") }
        #expect(try crossed(sent) == sent)
    }

    @Test("The options say whether covers are wanted")
    func options() throws {
        let environment = try FakeEnvironment()
        var flags: [UInt32] = []
        environment.fake.books = { options, _, _ in
            flags.append(options.pointee.flags)
            return OVL_OK
        }
        let instance = try environment.attached()
        defer { instance.destroy() }
        _ = try instance.books()
        _ = try instance.books(withCovers: true)
        #expect(flags == [0, OVL_BOOKS_WITH_COVERS])
    }

    @Test("A booklist reaches sync_booklists whole")
    func sync() throws {
        let environment = try FakeEnvironment()
        var received: [BookRecord] = []
        environment.fake.sync = { list, sink, _ in
            for index in 0..<Int(list.pointee.count) {
                guard let items = list.pointee.items else { return OVL_FAILED }
                let record = (items + index * Int(list.pointee.stride)).assumingMemoryBound(to: ovl_book.self)
                var checker = BookChecker()
                do throws(ContractBreach) {
                    try checker.check(try ovl_book.read(record))
                    received.append(BookRecord(checked: record.pointee))
                } catch {
                    Issue.record(error)
                }
            }
            return sink.put(0, OVL_OUTCOME_UPDATED)
        }
        let instance = try environment.attached()
        defer { instance.destroy() }
        let rows = instance.syncBooklists([full, BookRecord(path: "/b")])
        #expect(rows.failure == nil)
        #expect(received == [full, BookRecord(path: "/b")])
        #expect(rows.rows.map { $0?.outcome } == [.updated, nil])
    }

    @Test("Edits change a copy of the booklist by the indices of the snapshot")
    func edits() throws {
        let environment = try FakeEnvironment()
        environment.fake.add = { added, snapshot, sink, _ in
            #expect(added.pointee.count == 1)
            #expect(snapshot.pointee.count == 3)
            let memory = Arena()
            for (kind, index, path) in [
                (OVL_EDIT_REMOVE, 0, nil), (OVL_EDIT_REPLACE, 2, "/c2"), (OVL_EDIT_INSERT, 0, "/d"),
            ] as [(UInt32, UInt64, String?)] {
                var edit = ovl_booklist_edit.sized()
                edit.kind = kind
                edit.index = index
                edit.book = memory.book(BookRecord(path: path ?? ""), hasPath: path != nil)
                if sink.pointee.put?(sink.pointee.ctx, &edit) != OVL_OK { return OVL_STOPPED }
            }
            return OVL_OK
        }
        let instance = try environment.attached()
        defer { instance.destroy() }
        let snapshot = ["/a", "/b", "/c"].map { BookRecord(path: $0) }
        let edits = try instance.addBooksToMetadata([BookRecord(path: "/d")], snapshot: snapshot)
        #expect(snapshot.applying(edits).map(\.path) == ["/b", "/c2", "/d"])
    }

    @Test("The fingerprint of a device reaches can_handle, and the answer comes back whole")
    func presence() throws {
        let environment = try FakeEnvironment()
        var serial: String?
        environment.fake.canHandle = { device, sink, _ in
            serial = device.pointee.serial.readMessage()
            return sink.put(OVL_PRESENCE_NOT_NOW, reason: OVL_REASON_APP_OFFLINE, message: "It sleeps.")
        }
        let instance = try environment.attached()
        defer { instance.destroy() }
        let answer = try instance.canHandle(Fingerprint.appleDevice(udid: "aa"))
        #expect(serial == "aa")
        #expect(answer == Presence.notNow(.appOffline, "It sleeps."))
    }

    @Test(
        "Days are recognised",
        arguments: [
            ("2020-02-29", true), ("0001-01-01", true), ("-0044-03-15", true), ("12020-01-01", true),
            ("", false),
            ("2020-00-10", false), ("2020-12-00", false), ("2020/01/01", false), ("-044-03-15", false),
        ])
    func days(_ text: String, _ isDay: Bool) {
        #expect(BookChecker.isDay(text) == isDay)
    }
}
