import DeviceTransport
import Logging
import OverlayABI
import OverlayBridge
import Testing
import TestSupport

@testable import OverlayHost

@Suite("Services answer only where and when the contract allows")
struct ServiceTests {
    @Test(
        "A service is found by exactly its id and a size it has",
        arguments: [
            OVL_SERVICE_LOG, OVL_SERVICE_PREFS, OVL_SERVICE_PROGRESS, OVL_SERVICE_CANCEL,
            OVL_SERVICE_TRANSPORT, OVL_SERVICE_STORAGE,
        ])
    func lookup(_ id: String) throws {
        let environment = try FakeEnvironment()
        let instance = try environment.attached()
        defer { instance.destroy() }
        func found(_ id: String, _ size: Int) -> Bool {
            let table: UnsafePointer<UInt32>? = environment.fake.service(id, size: size)
            return table != nil
        }
        #expect(found(id, 8))
        #expect(!found(id, 4096))
        #expect(!found(id + "x", 8))
        #expect(!found(id + "\0", 8))
        #expect(!found(String(id.dropLast()), 8))
        #expect(!found(id.uppercased(), 8))
    }

    @Test(
        "Ids of other versions, empty ones and ones longer than any give null",
        arguments: [
            "org.overlayhost.sniff/2", "org.overlayhost.fetch", "",
            String(repeating: "a", count: 100_000),
        ])
    func unknown(_ id: String) throws {
        let environment = try FakeEnvironment()
        let instance = try environment.attached()
        defer { instance.destroy() }
        let table: UnsafePointer<UInt32>? = environment.fake.service(id, size: 8)
        #expect(table == nil)
    }

    @Test("The host identifies itself")
    func host() throws {
        let environment = try FakeEnvironment()
        let instance = try environment.attached()
        defer { instance.destroy() }
        let host = try #require(environment.fake.host).pointee
        #expect(host.abi_major == OVL_ABI_MAJOR)
        #expect(host.name.readMessage() == "overlayhost")
        #expect(host.version.readMessage() == OverlayHostVersion.text)
    }

    /// The result of a transport call within `method`.
    private func transport(
        _ set: (FakeOverlay, @escaping () -> ovl_status) -> Void, _ run: (OverlayInstance) throws -> Void
    ) throws -> (status: ovl_status?, message: String?) {
        let environment = try FakeEnvironment()
        let caught = CaughtError()
        var status: ovl_status?
        set(environment.fake) { [fake = environment.fake] in
            var (free, total): (UInt64, UInt64) = (0, 0)
            let table = fake.transport
            status = caught.sink { table.free_space?(table.ctx, &free, &total, $0) }
            return OVL_OK
        }
        let instance = try environment.instance()
        try run(instance)
        instance.destroy()
        #expect(
            status == nil || status == OVL_OK
                || environment.log.lines.contains { $0.metadata["contract"] == "overlay" })
        return (status, caught.message)
    }

    @Test("The transport is refused within every pure method, which the error names")
    func pureMethods() throws {
        func attach(_ instance: OverlayInstance) throws {
            try instance.create()
            try instance.call(.initialize)
            try instance.note(.attached)
        }
        let snapshot = [BookRecord(path: "/a")]
        let results = [
            ("initialize", try transport({ fake, use in fake.initialize = { _ in use() } }, attach)),
            ("shutdown", try transport({ fake, use in fake.shutdown = { _ in use() } }, attach)),
            (
                "add_books_to_metadata",
                try transport({ fake, use in fake.add = { _, _, _, _ in use() } }) { instance in
                    try attach(instance)
                    _ = try instance.addBooksToMetadata(snapshot, snapshot: snapshot)
                }
            ),
            (
                "remove_books_from_metadata",
                try transport({ fake, use in fake.remove = { _, _, _, _ in use() } }) { instance in
                    try attach(instance)
                    _ = try instance.removeBooksFromMetadata(["/a"], snapshot: snapshot)
                }
            ),
            (
                "post_yank_cleanup",
                try transport({ fake, use in fake.cleanUp = { _ in use() } }) { instance in
                    try attach(instance)
                    try instance.note(.yanked)
                    try instance.call(.postYankCleanup)
                }
            ),
        ]
        for (method, result) in results {
            #expect(result.status == OVL_WRONG_STATE, "\(method)")
            #expect(result.message?.contains("within \(method)") == true, "\(result.message ?? "")")
        }
    }

    @Test("The transport is refused within create")
    func withinCreate() throws {
        let environment = try FakeEnvironment()
        let caught = CaughtError()
        var status: ovl_status?
        environment.fake.create = { [fake = environment.fake] _ in
            var (free, total): (UInt64, UInt64) = (0, 0)
            let table = fake.transport
            status = caught.sink { table.free_space?(table.ctx, &free, &total, $0) }
            return OVL_OK
        }
        let instance = try environment.instance()
        try instance.create()
        instance.destroy()
        #expect(status == OVL_WRONG_STATE)
        #expect(caught.message?.contains("within create") == true)
    }

    @Test("The transport is refused while an ejected device is asked for, and allowed in can_handle")
    func states() throws {
        let useInPoll: (FakeOverlay, @escaping () -> ovl_status) -> Void = { fake, use in
            fake.isUSBConnected = { _, _, index, _ in
                index.pointee = -1
                return use()
            }
            fake.canHandle = { _, sink, _ in
                sink.put(OVL_PRESENCE_YES)
                return use()
            }
        }
        let ejected = try transport(useInPoll) { instance in
            try instance.create()
            try instance.call(.initialize)
            try instance.note(.attached)
            try instance.call(.eject)
            _ = try instance.isUSBConnected([], presenceOnly: true)
        }
        #expect(ejected.status == OVL_WRONG_STATE)
        #expect(ejected.message?.contains("is ejected") == true)
        let waiting = try transport(useInPoll) { instance in
            try instance.create()
            try instance.call(.initialize)
            _ = try instance.canHandle(Fingerprint.appleDevice(udid: "aa"))
        }
        #expect(waiting.status == OVL_OK)
    }

    @Test("A kept table is refused once its method has returned, and another thread is refused always")
    func keptTables() throws {
        let environment = try FakeEnvironment()
        var inside: ovl_status?
        environment.fake.books = { [fake = environment.fake] _, _, _ in
            let table = fake.transport
            let box = TableBox(table)
            let done = Gate()
            let result = Box<ovl_status>()
            runOnThread {
                var (free, total): (UInt64, UInt64) = (0, 0)
                result.set(box.table.free_space?(box.table.ctx, &free, &total, nil))
                done.open()
            }
            done.wait()
            inside = result.value
            return OVL_OK
        }
        let instance = try environment.attached()
        defer { instance.destroy() }
        _ = try instance.books()
        #expect(inside == OVL_WRONG_STATE)
        let table = environment.fake.transport
        var (free, total): (UInt64, UInt64) = (0, 0)
        #expect(table.free_space?(table.ctx, &free, &total, nil) == OVL_WRONG_STATE)
        #expect(environment.log.lines.contains { $0.message.contains("another thread") })
    }

    @Test("A list is not complete if a book was put from another thread, so the method fails")
    func bookFromOtherThread() throws {
        let environment = try FakeEnvironment()
        let inside = Box<ovl_status>()
        environment.fake.books = { _, sink, _ in
            let (box, done) = (SinkBox(sink.pointee), Gate())
            runOnThread {
                let memory = Arena()
                var record = memory.book(BookRecord(path: "/b"))
                inside.set(box.sink.put?(box.sink.ctx, &record))
                done.open()
            }
            done.wait()
            return sink.put(BookRecord(path: "/a"))
        }
        let instance = try environment.attached()
        defer { instance.destroy() }
        let error = #expect(throws: HostError.self) { try instance.books() }
        #expect(inside.value == OVL_WRONG_STATE)
        #expect(error?.code == .contractBroken)
        #expect(error?.message.contains("It was called from another thread.") == true)
        // The next call is not affected.
        environment.fake.books = { _, sink, _ in sink.put(BookRecord(path: "/a")) }
        #expect(try instance.books().count == 1)
    }

    @Test("A sink kept beyond its method is refused")
    func keptSink() throws {
        let environment = try FakeEnvironment()
        var kept: ovl_book_sink?
        environment.fake.books = { _, sink, _ in
            kept = sink.pointee
            return OVL_OK
        }
        let instance = try environment.attached()
        defer { instance.destroy() }
        #expect(try instance.books().isEmpty)
        var record = Arena().book(BookRecord(path: ""), hasPath: false)
        #expect(kept?.put?(kept?.ctx, &record) == OVL_WRONG_STATE)
    }

    @Test("A sink kept for a later method that expects other rows is refused, on the right thread too")
    func keptSinkInLaterMethod() throws {
        let environment = try FakeEnvironment()
        var kept: ovl_book_sink?
        var status: ovl_status?
        environment.fake.books = { _, sink, _ in
            kept = sink.pointee
            return OVL_OK
        }
        environment.fake.delete = { _, results, _ in
            let memory = Arena()
            var record = memory.book(BookRecord(path: "/a"))
            status = kept?.put?(kept?.ctx, &record)
            return results.put(0, OVL_OUTCOME_DELETED)
        }
        let instance = try environment.attached()
        defer { instance.destroy() }
        let books = try instance.books()
        #expect(instance.deleteBooks(["/a"]).failure == nil)
        #expect(status == OVL_WRONG_STATE)
        #expect(books.isEmpty)
    }

    @Test("Waiting and the transport are refused within create")
    func waitWithinCreate() throws {
        let environment = try FakeEnvironment()
        let caught = CaughtError()
        var status: ovl_status?
        environment.fake.create = { [fake = environment.fake] _ in
            let table: UnsafePointer<ovl_cancel_service>? = fake.service(OVL_SERVICE_CANCEL)
            status = caught.sink { table?.pointee.wait?(table?.pointee.ctx, 0, $0) }
            return OVL_OK
        }
        let instance = try environment.instance()
        try instance.create()
        instance.destroy()
        #expect(status == OVL_WRONG_STATE)
        #expect(caught.message?.contains("within create") == true)
    }

    @Test("Log records reach the host's logger with severity, category and pairs")
    func log() throws {
        let environment = try FakeEnvironment()
        let instance = try environment.attached()
        defer { instance.destroy() }
        let table: UnsafePointer<ovl_log_service> = try #require(environment.fake.service(OVL_SERVICE_LOG))
        let memory = Arena()
        let pairs = memory.list([("rows", "5")]) { key, value in
            var pair = ovl_pair.sized()
            pair.key = memory.text(key)
            pair.value = memory.text(value)
            return pair
        }
        withText("database") { category in
            withText("opened") { message in
                withUnsafePointer(to: pairs) {
                    table.pointee.write?(table.pointee.ctx, OVL_LOG_NOTICE, category, message, $0)
                }
                table.pointee.write?(table.pointee.ctx, OVL_LOG_HOST_MISBEHAVING, category, message, nil)
                table.pointee.write?(table.pointee.ctx, 99, category, message, nil)
            }
        }
        let lines = environment.log.lines.filter { $0.message == "opened" }
        #expect(lines.map(\.level) == [.notice, .error, .error])
        #expect(lines.first?.metadata["category"] == "database")
        #expect(lines.first?.metadata["rows"] == "5")
        #expect(lines.first?.metadata["overlay"] == "fake")
        #expect(lines.dropFirst().first?.metadata["contract"] == "host")
        #expect(table.pointee.enabled?(table.pointee.ctx, OVL_LOG_TRACE) == 1)
    }

    @Test("Progress of the overlay becomes updates of the host")
    func progress() throws {
        let environment = try FakeEnvironment()
        environment.fake.books = { [fake = environment.fake] _, _, _ in
            let table: UnsafePointer<ovl_progress_service>? = fake.service(OVL_SERVICE_PROGRESS)
            withText("reading") { table?.pointee.report?(table?.pointee.ctx, 3, 10, $0) }
            table?.pointee.report?(table?.pointee.ctx, 4, UInt64.max, nil)
            return OVL_OK
        }
        let instance = try environment.attached()
        defer { instance.destroy() }
        _ = try instance.books()
        #expect(
            environment.progress.updates == [
                ProgressUpdate(phase: "reading", itemsDone: 3, itemsTotal: 10),
                ProgressUpdate(phase: "reading", itemsDone: 4, itemsTotal: nil),
            ])
    }

    @Test("Waiting ends early when cancelled, and is_cancelled says so")
    func waiting() throws {
        let environment = try FakeEnvironment()
        var statuses: [ovl_status?] = []
        var flags: [Int32?] = []
        environment.device.onWait { [cancellation = environment.cancellation] _, number in
            if number == 2 { cancellation.cancel() }
        }
        environment.fake.books = { [fake = environment.fake] _, _, _ in
            guard let table: UnsafePointer<ovl_cancel_service> = fake.service(OVL_SERVICE_CANCEL) else {
                return OVL_FAILED
            }
            for _ in 0..<2 {
                statuses.append(table.pointee.wait?(table.pointee.ctx, 1_000_000_000, nil))
                flags.append(table.pointee.is_cancelled?(table.pointee.ctx))
            }
            #expect(table.pointee.time_left?(table.pointee.ctx) == UInt64.max)
            return OVL_OK
        }
        let instance = try environment.attached()
        defer { instance.destroy() }
        _ = try instance.books()
        #expect(statuses == [OVL_OK, OVL_CANCELLED])
        #expect(flags == [0, 1])
    }

    @Test("Waiting ends when the device is gone, and the method's failure is then the device's")
    func waitingForGoneDevice() throws {
        let environment = try FakeEnvironment()
        environment.device.onWait { device, _ in device.unplug() }
        environment.fake.books = { [fake = environment.fake] _, _, error in
            guard let table: UnsafePointer<ovl_cancel_service> = fake.service(OVL_SERVICE_CANCEL) else {
                return OVL_FAILED
            }
            #expect(table.pointee.wait?(table.pointee.ctx, 1_000_000_000, nil) == OVL_DEVICE_GONE)
            return error.fail(OVL_FAILED, "Something went wrong.")
        }
        let instance = try environment.attached()
        defer { instance.destroy() }
        let error = hostError { () throws(HostError) in _ = try instance.books() }
        #expect(error?.code == .deviceGone)
        #expect((error?.underlying as? HostError)?.message == "Something went wrong.")
    }

    @Test("A cleanup knows how much time it has")
    func timeLeft() throws {
        let environment = try FakeEnvironment()
        var left: UInt64?
        environment.fake.cleanUp = { [fake = environment.fake] _ in
            let table: UnsafePointer<ovl_cancel_service>? = fake.service(OVL_SERVICE_CANCEL)
            left = table?.pointee.time_left?(table?.pointee.ctx)
            return OVL_OK
        }
        let instance = try environment.attached()
        defer { instance.destroy() }
        try instance.note(.yanked)
        try instance.call(.postYankCleanup, within: .seconds(60))
        #expect((1...60_000_000_000).contains(try #require(left)))
    }
}

/// Unchecked: a constant copy of a sink that is deliberately passed to one other thread.
struct SinkBox: @unchecked Sendable {
    let sink: ovl_book_sink

    init(_ sink: ovl_book_sink) { self.sink = sink }
}

/// Unchecked: a constant copy of a table that is deliberately passed to one other thread.
struct TableBox: @unchecked Sendable {
    let table: ovl_transport_service

    init(_ table: ovl_transport_service) { self.table = table }
}
