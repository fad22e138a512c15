import OverlayABI
import OverlayBridge
import Testing

@testable import OverlayServices
@testable import OverlayHost

// Methods with special results, and the states in which a method may be called.

extension BoundaryRuleTests {
    @Test("A can_handle without an answer, with two, or with one that does not exist breaks the contract")
    func answers() throws {
        let environment = try FakeEnvironment()
        let fingerprint = Fingerprint.appleDevice(udid: "aa")
        environment.fake.canHandle = { _, _, _ in OVL_OK }
        var instance = try environment.attached()
        breach(
            hostError { () throws(HostError) in _ = try instance.canHandle(fingerprint) }, "can_handle",
            "without an answer")
        instance.destroy()
        environment.fake.canHandle = { _, sink, _ in
            sink.put(OVL_PRESENCE_YES)
            return sink.put(OVL_PRESENCE_YES)
        }
        instance = try environment.attached()
        breach(
            hostError { () throws(HostError) in _ = try instance.canHandle(fingerprint) }, "can_handle",
            "second answer")
        instance.destroy()
        environment.fake.canHandle = { _, sink, _ in sink.put(7) }
        instance = try environment.attached()
        breach(
            hostError { () throws(HostError) in _ = try instance.canHandle(fingerprint) }, "can_handle",
            "answer 7")
        instance.destroy()
    }

    @Test(
        "An index of is_usb_connected beyond the devices breaks the contract", arguments: [-2, 1, Int64.max])
    func impossibleIndex(_ index: Int64) throws {
        let environment = try FakeEnvironment()
        environment.fake.isUSBConnected = { _, _, out, _ in
            out.pointee = index
            return OVL_OK
        }
        let instance = try environment.attached()
        defer { instance.destroy() }
        breach(
            hostError { () throws(HostError) in
                _ = try instance.isUSBConnected([Fingerprint.appleDevice(udid: "aa")], presenceOnly: false)
            }, "is_usb_connected", "index \(index)")
    }

    @Test(
        "Chunks with gaps, other totals or too many bytes break the contract",
        arguments: [
            ([(0, 2, 8), (4, 2, 8)], "begins at 4"), ([(0, 2, 8), (2, 2, 9)], "total changed"),
            ([(0, 2, 3), (2, 2, 3)], "More bytes"), ([(0, 2, 8)], "2 of 8 bytes"),
        ] as [([(UInt64, Int, UInt64)], String)])
    func chunks(_ chunks: [(UInt64, Int, UInt64)], _ clause: String) throws {
        let environment = try FakeEnvironment()
        environment.fake.getFile = { _, sink, _ in
            for (offset, count, total) in chunks {
                let status = [UInt8](repeating: 1, count: count).lend {
                    sink.pointee.put?(sink.pointee.ctx, $0, offset, total) ?? OVL_FAILED
                }
                if status != OVL_OK { return status }
            }
            return OVL_OK
        }
        let instance = try environment.attached()
        defer { instance.destroy() }
        breach(
            hostError { () throws(HostError) in _ = try instance.getFile("/a") { _ in } }, "get_file", clause)
    }

    @Test(
        "Edits out of range, of unknown kind, or of one book twice break the contract",
        arguments: [
            ([(OVL_EDIT_REMOVE, 2)], "out of range"), ([(9, 0)], "kind 9"),
            ([(OVL_EDIT_REMOVE, 1), (OVL_EDIT_REMOVE, 1)], "edited twice"),
            ([(OVL_EDIT_INSERT, 0)], "no path"),
        ] as [([(UInt32, UInt64)], String)])
    func edits(_ edits: [(UInt32, UInt64)], _ clause: String) throws {
        let environment = try FakeEnvironment()
        environment.fake.remove = { _, _, sink, _ in
            for (kind, index) in edits {
                var edit = ovl_booklist_edit.sized()
                edit.kind = kind
                edit.index = index
                edit.book = ovl_book.sized()
                if let status = sink.pointee.put?(sink.pointee.ctx, &edit), status != OVL_OK { return status }
            }
            return OVL_OK
        }
        let instance = try environment.attached()
        defer { instance.destroy() }
        let snapshot = [BookRecord(path: "/a"), BookRecord(path: "/b")]
        breach(
            hostError { () throws(HostError) in
                _ = try instance.removeBooksFromMetadata(["/a"], snapshot: snapshot)
            }, "remove_books_from_metadata", clause)
    }

    // MARK: states and threads

    @Test("Methods that change the state are refused in the wrong state")
    func wrongStates() throws {
        let instance = try FakeEnvironment().instance()
        #expect(hostError { () throws(HostError) in try instance.call(.initialize) }?.code == .wrongState)
        try instance.create()
        #expect(hostError { () throws(HostError) in try instance.create() }?.code == .wrongState)
        #expect(hostError { () throws(HostError) in try instance.call(.shutdown) }?.code == .wrongState)
        try instance.call(.initialize)
        #expect(hostError { () throws(HostError) in try instance.call(.initialize) }?.code == .wrongState)
        #expect(hostError { () throws(HostError) in try instance.call(.eject) }?.code == .wrongState)
        #expect(
            hostError { () throws(HostError) in try instance.call(.postYankCleanup) }?.code == .wrongState)
        #expect(hostError { () throws(HostError) in try instance.note(.yanked) }?.code == .wrongState)
        instance.destroy()
        #expect(hostError { () throws(HostError) in try instance.call(.shutdown) }?.code == .wrongState)
    }

    @Test("An implemented method is refused in the wrong state without being called")
    func wrongStateIsNotCalled() throws {
        let environment = try FakeEnvironment()
        environment.fake.books = { _, _, _ in
            Issue.record("books was called")
            return OVL_OK
        }
        let instance = try environment.instance()
        try instance.create()
        try instance.call(.initialize)
        defer { instance.destroy() }
        #expect(hostError { () throws(HostError) in _ = try instance.books() }?.code == .wrongState)
    }

    @Test("A failed initialize leaves the instance created, and destroying it is possible")
    func failedInitialize() throws {
        let environment = try FakeEnvironment()
        environment.fake.initialize = { $0.fail(OVL_FAILED, "Not today.") }
        var destroyed = 0
        environment.fake.destroyed = { destroyed += 1 }
        let instance = try environment.instance()
        try instance.create()
        #expect(hostError { () throws(HostError) in try instance.call(.initialize) }?.message == "Not today.")
        #expect(instance.state == .created)
        #expect(instance.destroy() == nil)
        #expect(destroyed == 1)
        #expect(instance.destroy() == nil)
        #expect(destroyed == 1)
    }

    @Test("A failed shutdown is reported and still ends the instance")
    func failedShutdown() throws {
        let environment = try FakeEnvironment()
        environment.fake.shutdown = { $0.fail(OVL_BUSY, "Busy.") }
        let instance = try environment.attached()
        #expect(instance.destroy()?.message == "Busy.")
        #expect(instance.state == .destroyed)
    }

    @Test("All methods of an instance run on one thread, which is not the caller's")
    func oneThread() throws {
        let environment = try FakeEnvironment()
        var threads: Set<UInt> = []
        environment.fake.initialize = { _ in
            threads.insert(currentThread())
            return OVL_OK
        }
        environment.fake.books = { _, _, _ in
            threads.insert(currentThread())
            return OVL_OK
        }
        let instance = try environment.attached()
        defer { instance.destroy() }
        _ = try instance.books()
        #expect(threads.count == 1)
        #expect(!threads.contains(currentThread()))
    }

    @Test("A method called from within a method is refused and does not hang")
    func reentrance() throws {
        let environment = try FakeEnvironment()
        var inner: HostError?
        var instance: OverlayInstance?
        environment.fake.books = { _, _, _ in
            inner = hostError { () throws(HostError) in _ = try instance?.books() }
            return OVL_OK
        }
        instance = try environment.attached()
        _ = try instance?.books()
        #expect(inner?.code == .wrongState)
        instance?.destroy()
    }

    @Test("A cleanup that does not return in time costs the instance, not the host")
    func hangingCleanup() throws {
        let environment = try FakeEnvironment()
        let release = Gate()
        environment.fake.cleanUp = { _ in
            release.wait()
            return OVL_OK
        }
        let instance = try environment.attached()
        try instance.note(.yanked)
        let error = hostError { () throws(HostError) in
            try instance.call(.postYankCleanup, within: .milliseconds(20))
        }
        #expect(error?.code == .overlayBroke)
        #expect(error?.message.contains("post_yank_cleanup") == true)
        #expect(instance.destroy()?.code == .overlayBroke)
        release.open()
    }
}
