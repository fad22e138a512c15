import DeviceTransport
import OverlayABI
import OverlayBridge
import Testing

@testable import OverlayHost

@Suite("The boundary catches every breach of the contract and names the method")
struct BoundaryRuleTests {
    func breach(
        _ error: HostError?, _ method: String, _ clause: String,
        at location: SourceLocation = #_sourceLocation
    ) {
        #expect(error?.code == .contractBroken, sourceLocation: location)
        #expect(
            error?.message.contains(" in \(method): ") == true, "\(error?.message ?? "")",
            sourceLocation: location)
        #expect(error?.message.contains(clause) == true, "\(error?.message ?? "")", sourceLocation: location)
        #expect(error?.subject == "fake", sourceLocation: location)
        #expect(error?.exitStatus == .overlayBroke, sourceLocation: location)
    }

    /// The result of `books` with this method.
    func books(
        _ method: @escaping (UnsafePointer<ovl_book_sink>, FakeOverlay.ErrorSink) -> ovl_status
    ) throws
        -> HostError?
    {
        let environment = try FakeEnvironment()
        environment.fake.books = { _, sink, error in method(sink, error) }
        let instance = try environment.attached()
        defer { instance.destroy() }
        return hostError { () throws(HostError) in _ = try instance.books() }
    }

    /// The result of deleting two books with this method.
    func delete(
        _ method: @escaping (UnsafePointer<ovl_result_sink>, FakeOverlay.ErrorSink) -> ovl_status
    ) throws -> OverlayRows {
        let environment = try FakeEnvironment()
        environment.fake.delete = { _, sink, error in method(sink, error) }
        let instance = try environment.attached()
        defer { instance.destroy() }
        return instance.deleteBooks(["/a", "/b"])
    }

    // MARK: calls

    @Test("A null slot is not supported, and the message says what cannot be done")
    func nullSlot() throws {
        let instance = try FakeEnvironment().attached()
        defer { instance.destroy() }
        let error = hostError { () throws(HostError) in _ = try instance.books() }
        #expect(error?.code == .notSupported)
        #expect(error?.message == "The overlay for Reader cannot list books.")
        #expect(instance.deleteBooks(["/a"]).failure?.code == .notSupported)
        #expect(
            hostError { () throws(HostError) in _ = try instance.addBooksToMetadata([], snapshot: []) }?.code
                == .notSupported)
    }

    @Test("Null slots of the life cycle count as done")
    func nullLifeCycle() throws {
        let instance = try FakeEnvironment().instance()
        try instance.create()
        try instance.call(.initialize)
        #expect(instance.state == .initialized)
        try instance.note(.attached)
        try instance.call(.eject)
        #expect(instance.state == .ejected)
        try instance.call(.postYankCleanup)
        #expect(instance.state == .initialized)
        try instance.call(.shutdown)
        #expect(instance.state == .shutDown)
        #expect(instance.destroy() == nil)
        #expect(instance.state == .destroyed)
    }

    @Test("A create that succeeds without an instance breaks the contract")
    func createWithoutInstance() throws {
        let environment = try FakeEnvironment()
        environment.fake.create = { _ in OVL_OK }
        environment.fake.givesNoInstance = true
        let instance = try environment.instance()
        breach(hostError { () throws(HostError) in try instance.create() }, "create", "without an instance")
    }

    @Test("A failing create keeps its reason and leaves nothing to destroy")
    func createFails() throws {
        let environment = try FakeEnvironment()
        environment.fake.create = { $0.fail(OVL_NO_SPACE, "No room.") }
        let instance = try environment.instance()
        let error = hostError { () throws(HostError) in try instance.create() }
        #expect(error?.code == .noSpace)
        #expect(error?.message == "No room.")
        #expect(instance.state == .described)
        #expect(instance.destroy() == nil)
    }

    @Test("A failing method hands on status, message, subject and hint")
    func failure() throws {
        let error = try books { _, error in
            error.fail(OVL_DAMAGED, "It is torn.", subject: "main.db", hint: "Mend it.")
        }
        #expect(error?.code == .damaged)
        #expect(error?.message == "It is torn.")
        #expect(error?.subject == "main.db")
        #expect(error?.hint == "Mend it.")
    }

    @Test(
        "A status that the contract does not have counts as failed",
        arguments: [26, 9999, -1, Int32.max] as [Int32])
    func unknownStatus(_ status: Int32) throws {
        #expect(try books { _, _ in status }?.code == .failed)
        #expect(try books { _, error in error.fail(status, "Strange.") }?.message == "Strange.")
    }

    @Test("A failure without an error record is a failure that names the method")
    func noRecord() throws {
        let error = try books { _, _ in OVL_DEVICE_IO }
        #expect(error?.code == .deviceIO)
        #expect(error?.message.contains("books") == true)
    }

    @Test("A second error record breaks the contract")
    func errorTwice() throws {
        let error = try books { _, error in
            _ = error.fail(OVL_FAILED, "One.")
            return error.fail(OVL_FAILED, "Two.")
        }
        breach(error, "books", "second error")
        #expect((error?.underlying as? HostError)?.message == "One.")
    }

    @Test("Success with an error record breaks the contract")
    func successWithError() throws {
        breach(
            try books { _, error in
                _ = error.fail(OVL_FAILED, "No."); return OVL_OK
            }, "books", "succeeded with an error")
    }

    @Test("Stopping without having been asked to breaks the contract")
    func stoppedByItself() throws {
        breach(try books { _, _ in OVL_STOPPED }, "books", "OVL_STOPPED")
    }

    @Test("An error record that is too small breaks the contract")
    func smallError() throws {
        breach(
            try books { _, sink in
                var record = ovl_error.sized()
                record.struct_size = 16
                sink.pointee.put?(sink.pointee.ctx, &record)
                return OVL_FAILED
            }, "books", "struct_size 16")
    }

    // MARK: books

    @Test("A book whose struct_size is too small breaks the contract", arguments: [0, 7, 100] as [UInt32])
    func smallBook(_ size: UInt32) throws {
        breach(
            try books { sink, _ in sink.put(BookRecord(path: "/a")) { $0.struct_size = size } }, "books",
            "struct_size \(size)")
    }

    @Test("A book of a later version is read as far as it is known")
    func largerBook() throws {
        #expect(
            try books { sink, _ in
                sink.put(BookRecord(path: "/a")) { $0.struct_size += 64 }
                return OVL_OK
            } == nil)
    }

    @Test("A book without a path breaks the contract")
    func bookWithoutPath() throws {
        breach(try books { sink, _ in sink.put(BookRecord(path: "")) }, "books", "no path")
    }

    @Test(
        "Text that is not UTF-8 breaks the contract",
        arguments: [
            [0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0x41, 0x80, 0x42], [0xF5, 0x80, 0x80, 0x80],
        ] as [[UInt8]])
    func invalidUTF8(_ bytes: [UInt8]) throws {
        let error = try books { sink, _ in
            bytes.withUnsafeBufferPointer { buffer in
                buffer.withMemoryRebound(to: CChar.self) { text in
                    sink.put(BookRecord(path: "/a")) {
                        $0.title = ovl_text(data: text.baseAddress, size: UInt64(text.count))
                    }
                }
            }
        }
        breach(error, "books", "title is not UTF-8")
    }

    @Test("A text beyond the limit breaks the contract before it is read")
    func longText() throws {
        breach(
            try books { sink, _ in
                withText("x") { text in
                    sink.put(BookRecord(path: "/a")) {
                        $0.title = ovl_text(data: text.pointee.data, size: UInt64(BoundaryLimits.text) + 1)
                    }
                }
            }, "books", "title has")
    }

    @Test("A list beyond the limit breaks the contract before it is read")
    func longList() throws {
        breach(
            try books { sink, _ in
                withTexts(["x"]) { texts in
                    sink.put(BookRecord(path: "/a")) {
                        $0.authors = ovl_texts(items: texts.pointee.items, count: UInt64.max)
                    }
                }
            }, "books", "authors has")
    }

    @Test("A size without data breaks the contract")
    func sizeWithoutData() throws {
        breach(
            try books { sink, _ in
                sink.put(BookRecord(path: "/a")) { $0.title = ovl_text(data: nil, size: 3) }
            },
            "books", "title has a size without data")
    }

    @Test("Impossible numbers are breaches", arguments: [Double.nan, .infinity, -1, 5.5])
    func impossibleRating(_ rating: Double) throws {
        breach(
            try books { sink, _ in
                sink.put(BookRecord(path: "/a")) { ($0.rating, $0.flags) = (rating, OVL_BOOK_HAS_RATING) }
            }, "books", "rating")
    }

    @Test(
        "An impossible day is a breach",
        arguments: ["2020", "2020-13-01", "2020-1-1", "20200101", "x", "2020-01-32"])
    func impossibleDay(_ day: String) throws {
        var book = BookRecord(path: "/a")
        book.pubdate = day
        breach(try books { sink, _ in sink.put(book) }, "books", "pubdate")
    }

    @Test("A row after the receiver asked to stop breaks the contract, and the first breach is reported")
    func rowAfterStop() throws {
        let error = try books { sink, _ in
            #expect(sink.put(BookRecord(path: "")) == OVL_STOPPED)
            #expect(sink.put(BookRecord(path: "/b")) == OVL_STOPPED)
            return OVL_OK
        }
        breach(error, "books", "no path")
    }

    @Test("A row after a cancel asked to stop is a breach")
    func rowAfterCancel() throws {
        let environment = try FakeEnvironment()
        environment.fake.books = { [cancellation = environment.cancellation] _, sink, _ in
            cancellation.cancel()
            var index = 0
            while sink.put(BookRecord(path: "/\(index)")) == OVL_OK { index += 1 }
            return sink.put(BookRecord(path: "/late"))
        }
        let instance = try environment.attached()
        defer { instance.destroy() }
        breach(
            hostError { () throws(HostError) in _ = try instance.books() }, "books",
            "after the receiver had asked")
    }

    @Test(
        "A method that stops because it was cancelled is cancelled, not broken, even if it calls that a success",
        arguments: [OVL_STOPPED, OVL_OK])
    func cancelled(_ status: ovl_status) throws {
        let environment = try FakeEnvironment()
        environment.fake.books = { [cancellation = environment.cancellation] _, sink, _ in
            cancellation.cancel()
            var index = 0
            while sink.put(BookRecord(path: "/\(index)")) == OVL_OK { index += 1 }
            return status
        }
        let instance = try environment.attached()
        defer { instance.destroy() }
        #expect(hostError { () throws(HostError) in _ = try instance.books() }?.code == .cancelled)
    }

    // MARK: rows

    @Test("A row index out of range breaks the contract", arguments: [2, UInt64.max])
    func rowOutOfRange(_ index: UInt64) throws {
        breach(
            try delete { sink, _ in sink.put(index, OVL_OUTCOME_DELETED) }.failure, "delete_books",
            "out of range")
    }

    @Test("Two rows for one item break the contract, and the first stays")
    func rowTwice() throws {
        let rows = try delete { sink, _ in
            sink.put(0, OVL_OUTCOME_DELETED, path: "/a")
            return sink.put(0, OVL_OUTCOME_DELETED, path: "/other")
        }
        breach(rows.failure, "delete_books", "Item 0 has two rows.")
        #expect(rows.rows[0]?.path == "/a")
    }

    @Test("Success without a row for every item breaks the contract, and the rows that came stay")
    func missingRow() throws {
        let rows = try delete { sink, _ in sink.put(1, OVL_OUTCOME_DELETED, path: "/b") }
        breach(rows.failure, "delete_books", "1 of 2 items, first 0")
        #expect(rows.rows[1]?.outcome == .deleted)
    }

    @Test(
        "An outcome of another method breaks the contract",
        arguments: [OVL_OUTCOME_ADDED, OVL_OUTCOME_FETCHED, 99])
    func wrongOutcome(_ outcome: UInt32) throws {
        breach(try delete { sink, _ in sink.put(0, outcome) }.failure, "delete_books", "outcome \(outcome)")
    }

    @Test("Status and outcome that contradict each other break the contract")
    func contradiction() throws {
        breach(
            try delete { sink, _ in sink.put(0, OVL_OUTCOME_DELETED, status: OVL_FAILED) }.failure,
            "delete_books",
            "contradicts")
        breach(
            try delete { sink, _ in sink.put(0, OVL_OUTCOME_FAILED) }.failure, "delete_books", "contradicts")
    }

    @Test("A row that is too small breaks the contract")
    func smallRow() throws {
        breach(
            try delete { sink, _ in sink.put(0, OVL_OUTCOME_DELETED, size: 8) }.failure, "delete_books",
            "struct_size 8")
    }

    @Test("A row says why an item failed, and an unknown status counts as failed")
    func failedRow() throws {
        let rows = try delete { sink, _ in
            sink.put(0, OVL_OUTCOME_FAILED, status: OVL_NOT_FOUND, message: "Gone.")
            return sink.put(1, OVL_OUTCOME_FAILED, status: 4242)
        }
        #expect(rows.failure == nil)
        #expect(rows.rows[0]?.code == .notFound)
        #expect(rows.rows[0]?.message == "Gone.")
        #expect(rows.rows[1]?.code == .failed)
        #expect(rows.rows[1]?.message?.isEmpty == false)
    }

    @Test("A long or damaged message is cut and mended, not refused")
    func longMessage() throws {
        let rows = try delete { sink, _ in
            sink.put(0, OVL_OUTCOME_DELETED)
            return sink.put(
                1, OVL_OUTCOME_FAILED, status: OVL_FAILED,
                message: String(repeating: "ä", count: BoundaryLimits.message))
        }
        #expect(rows.failure == nil)
        #expect((rows.rows[1]?.message?.utf8.count ?? 0) <= BoundaryLimits.message + 3)
    }

    @Test("An added book without a path breaks the contract")
    func addedWithoutPath() throws {
        let environment = try FakeEnvironment()
        environment.fake.upload = { _, _, sink, _ in sink.put(0, OVL_OUTCOME_ADDED) }
        let instance = try environment.attached()
        defer { instance.destroy() }
        let path = try environment.file("a.epub", "a")
        let identity = try #require(LocalIdentity(path: path))
        let input = UploadInput(path: path, name: "a.epub", identity: identity, book: BookRecord(path: ""))
        breach(
            instance.uploadBooks([input], conflict: OVL_CONFLICT_PROTECT, collections: []).failure,
            "upload_books",
            "without a path")
    }

    @Test("A fetched file that did not come from pull breaks the contract", arguments: [0, 1, 1 << 32 | 1])
    func strangeFile(_ file: UInt64) throws {
        let environment = try FakeEnvironment()
        environment.fake.prepare = { _, sink, _ in sink.put(0, OVL_OUTCOME_FETCHED, file: file) }
        let instance = try environment.attached()
        defer { instance.destroy() }
        breach(
            instance.prepareAddableBooks(["/a"]).failure, "prepare_addable_books", "was not returned by pull")
    }
}
