import DeviceTransport
import Glibc
import OverlayABI
import OverlayBridge
import TestSupport
import Testing

@testable import OverlayServices
@testable import OverlayWorkers
@testable import OverlayHost

@Suite("The transport service serves the granted roots and confines every path and number")
struct TransportServiceTests {
    /// Runs `body` inside a method, with the transport's table.
    private func within(
        _ environment: FakeEnvironment, _ body: @escaping (ovl_transport_service) -> Void
    ) throws {
        environment.fake.books = { [fake = environment.fake] _, _, _ in
            body(fake.transport)
            return OVL_OK
        }
        let instance = try environment.attached()
        _ = try instance.books()
        instance.destroy()
    }

    @Test("A failure to store on this computer is reported without the temporary path")
    func storing() {
        let full = TransportError(posix: ENOSPC, doing: "Writing the file", subject: "out/.private/27")
        let error = HostTransportService.failure(full, storing: "out/.private/27")
        #expect(error.subject == nil)
        #expect(
            error.message.hasPrefix("A local file could not be used. Writing the file failed: "),
            "\(error.message)")
        let ofDevice = TransportError(.notFound, "There is no such file.", subject: "/Documents/a")
        #expect(HostTransportService.failure(ofDevice, storing: "out/.private/27").subject == "/Documents/a")
    }

    @Test("Device and roots are reported without asking the device")
    func deviceAndRoots() throws {
        let environment = try FakeEnvironment()
        environment.device.refuse(
            [.container],
            TransportError(.accessRefused, "iOS keeps the container closed.", hint: "Use an older iOS."))
        var udid: String?
        var roots: [[String?]] = []
        try within(environment) { table in
            let device = Receiver<ovl_device> { udid = $0.udid.readMessage() }
            var deviceSink = ovl_device_sink.sized()
            deviceSink.ctx = device.context
            deviceSink.put = { Receiver<ovl_device>.take($0, $1) }
            #expect(table.device?(table.ctx, &deviceSink, nil) == OVL_OK)
            let root = Receiver<ovl_root> {
                roots.append(["\($0.root)", "\($0.granted)", $0.reason.readMessage(), $0.hint.readMessage()])
            }
            var rootSink = ovl_root_sink.sized()
            rootSink.ctx = root.context
            rootSink.put = { Receiver<ovl_root>.take($0, $1) }
            #expect(table.roots?(table.ctx, &rootSink, nil) == OVL_OK)
        }
        #expect(udid == environment.device.device.udid)
        #expect(
            roots == [
                ["1", "0", "iOS keeps the container closed.", "Use an older iOS."], ["2", "1", nil, nil],
                ["3", "1", nil, nil],
            ])
        #expect(environment.device.opened == 0)
    }

    @Test(
        "A root that is not granted is refused with the cause, one that does not exist is an invalid argument"
    )
    func refusedRoot() throws {
        let environment = try FakeEnvironment()
        environment.device.refuse(
            [.container], TransportError(.accessRefused, "iOS keeps the container closed."))
        let caught = CaughtError()
        try within(environment) { table in
            withText("/a") { path in
                #expect(
                    caught.sink { table.make_folder?(table.ctx, OVL_ROOT_CONTAINER, path, $0) }
                        == OVL_ACCESS_REFUSED)
                #expect(table.make_folder?(table.ctx, 9, path, nil) == OVL_INVALID_ARGUMENT)
            }
        }
        #expect(caught.message == "iOS keeps the container closed.")
    }

    @Test("A root is opened once, and tried again after a failure that left nothing open")
    func opensOnce() throws {
        let environment = try FakeEnvironment()
        environment.device.set(openFailure: TransportError(.busy, "The device is busy."))
        try within(environment) { [device = environment.device] table in
            withText("/a") { path in
                #expect(table.make_folder?(table.ctx, OVL_ROOT_CONTAINER, path, nil) == OVL_BUSY)
                device.set(openFailure: nil)
                for _ in 0..<5 {
                    #expect(table.make_folder?(table.ctx, OVL_ROOT_CONTAINER, path, nil) == OVL_OK)
                }
            }
        }
        #expect(environment.device.opened == 1)
    }

    @Test(
        "Paths that leave the root never reach the device",
        arguments: [
            "", "a", "/../etc/passwd", "/a/../../b", "/a/..", "/./a", "/a/.", "..", "/a\0b",
        ])
    func badPaths(_ path: String) throws {
        let environment = try FakeEnvironment()
        environment.device.files["/a"] = [1]
        try within(environment) { table in
            withText(path) { text in
                #expect(table.remove?(table.ctx, OVL_ROOT_DOCUMENTS, text, 0, nil) == OVL_INVALID_ARGUMENT)
                withText("/a") { good in
                    #expect(
                        table.rename?(table.ctx, OVL_ROOT_DOCUMENTS, good, text, nil) == OVL_INVALID_ARGUMENT)
                }
            }
        }
        #expect(environment.device.files["/a"] == [1])
    }

    @Test("A path that is absent, not UTF-8 or null breaks the contract")
    func brokenPaths() throws {
        let environment = try FakeEnvironment()
        try within(environment) { table in
            var absent = ovl_text()
            #expect(table.remove?(table.ctx, OVL_ROOT_DOCUMENTS, &absent, 0, nil) == OVL_CONTRACT_BROKEN)
            withText("/é") { text in
                var cut = ovl_text(data: text.pointee.data, size: 2)
                #expect(table.remove?(table.ctx, OVL_ROOT_DOCUMENTS, &cut, 0, nil) == OVL_CONTRACT_BROKEN)
            }
        }
        #expect(environment.log.lines.contains { $0.metadata["contract"] == "overlay" })
    }

    @Test("A listing has names, and on demand what the device says of each")
    func listing() throws {
        let environment = try FakeEnvironment()
        environment.device.files["/Documents/a"] = [1, 2, 3]
        environment.device.files["/Documents/b"] = []
        var rows: [String] = []
        try within(environment) { table in
            let receiver = FileReceiver { index, status, info in
                rows.append(
                    "\(index) \(status) \(info?.name.readMessage() ?? "-") \(info?.kind ?? 9) \(info?.size ?? 9)"
                )
            }
            withText("/Documents") { path in
                for options in [0, OVL_LIST_WITH_INFO] {
                    #expect(
                        receiver.sink { table.list?(table.ctx, OVL_ROOT_DOCUMENTS, path, options, $0, nil) }
                            == OVL_OK)
                }
            }
            withTexts(["/Documents/b", "/Documents/none"]) { paths in
                #expect(
                    receiver.sink { table.stat?(table.ctx, OVL_ROOT_DOCUMENTS, paths, $0, nil) } == OVL_OK)
            }
        }
        #expect(rows == ["0 0 a 0 0", "1 0 b 0 0", "0 0 a 1 3", "1 0 b 1 0", "0 0 b 1 0", "1 7 - 9 9"])
    }

    @Test("Reading delivers the range in order, and a receiver that stops gets that answer")
    func reading() throws {
        let environment = try FakeEnvironment()
        environment.device.files["/f"] = Array(0..<20)
        var read: [UInt8] = []
        try within(environment) { table in
            let bytes = BytesReceiver { chunk, offset in
                #expect(offset == UInt64(read.count))
                read += chunk
                return true
            }
            withText("/f") { path in
                #expect(bytes.sink { table.read?(table.ctx, OVL_ROOT_MEDIA, path, 3, 10, $0, nil) } == OVL_OK)
                let stopping = BytesReceiver { _, _ in false }
                #expect(
                    stopping.sink { table.read?(table.ctx, OVL_ROOT_MEDIA, path, 0, UInt64.max, $0, nil) }
                        == OVL_STOPPED)
                #expect(
                    bytes.sink { table.read?(table.ctx, OVL_ROOT_MEDIA, path, UInt64.max, 2, $0, nil) }
                        == OVL_INVALID_ARGUMENT)
            }
        }
        #expect(read == Array(3..<13))
    }

    @Test("Many reads answer each request, an empty file included, and a failed one is a row")
    func readMany() throws {
        let environment = try FakeEnvironment()
        environment.device.files["/f"] = Array(0..<20)
        environment.device.files["/empty"] = []
        var rows: [String] = []
        try within(environment) { table in
            let memory = Arena()
            func list(_ paths: [(String, UInt64)]) -> ovl_list {
                memory.list(paths) { path, length in
                    var request = ovl_read_request.sized()
                    request.path = memory.text(path)
                    request.offset = 2
                    request.length = length
                    return request
                }
            }
            let receiver = ReadReceiver { index, status, bytes in
                rows.append("\(index) \(status) \(bytes ?? [99])")
            }
            var requests = list([("/f", 4), ("/none", 4), ("/empty", 4)])
            #expect(
                receiver.sink { table.read_many?(table.ctx, OVL_ROOT_MEDIA, &requests, $0, nil) } == OVL_OK)
            requests = list([("/f", OVL_READ_LIMIT + 1)])
            #expect(
                receiver.sink { table.read_many?(table.ctx, OVL_ROOT_MEDIA, &requests, $0, nil) }
                    == OVL_INVALID_ARGUMENT)
        }
        #expect(rows.sorted() == ["0 0 [2, 3, 4, 5]", "1 7 [99]", "2 0 []"])
    }

    @Test("A failed row carries the transport's message, hint and native code; a good one carries no error")
    func rowErrors() throws {
        let environment = try FakeEnvironment()
        environment.device.files["/f"] = [1]
        var errors: [String] = []
        var results: [ovl_item_result] = []
        try within(environment) { [files = environment.device.files] table in
            let (facts, reads) = (FileReceiver { _, _, _ in }, ReadReceiver { _, _, _ in })
            let memory = Arena()
            var requests = memory.list(["/f"]) { path in
                var request = ovl_read_request.sized()
                request.path = memory.text(path)
                request.length = 1
                return request
            }
            let rows = Receiver<ovl_item_result> { results.append($0) }
            var sink = ovl_result_sink.sized()
            sink.ctx = rows.context
            sink.put = { Receiver<ovl_item_result>.take($0, $1) }
            for failure in [
                nil,
                TransportError(
                    .busy, "The device said no.", hint: "Wait.", native: NativeCode(.afc, 14)),
            ] {
                files.set(failure: failure)
                withTexts(["/f"]) { paths in
                    #expect(
                        facts.sink { table.stat?(table.ctx, OVL_ROOT_MEDIA, paths, $0, nil) } == OVL_OK)
                    #expect(table.pull?(table.ctx, OVL_ROOT_MEDIA, paths, &sink, nil) == OVL_OK)
                }
                #expect(
                    reads.sink { table.read_many?(table.ctx, OVL_ROOT_MEDIA, &requests, $0, nil) } == OVL_OK)
            }
            errors = facts.errors + reads.errors
        }
        let told = "\(OVL_BUSY) The device said no. Wait. \(OVL_DOMAIN_AFC) 14"
        #expect(errors == [told, told])
        #expect(results.map(\.status) == [OVL_OK, OVL_BUSY])
        #expect(results.map(\.domain) == [OVL_DOMAIN_NONE, OVL_DOMAIN_AFC])
        #expect(results.map(\.native_code) == [0, 14])
        #expect(results.map(\.flags) == [0, OVL_ERROR_RETRYABLE])
    }

    @Test(
        "Lists with an impossible stride or count break the contract",
        arguments: [(0, 1), (8, 1), (63, 1), (1 << 20, 1), (64, 1 << 40)] as [(UInt64, UInt64)])
    func lists(_ stride: UInt64, _ count: UInt64) throws {
        let environment = try FakeEnvironment()
        try within(environment) { table in
            var request = ovl_read_request.sized()
            withUnsafePointer(to: &request) { request in
                var list = ovl_list(items: UnsafeRawPointer(request), count: count, stride: stride)
                let receiver = ReadReceiver { _, _, _ in }
                #expect(
                    receiver.sink { table.read_many?(table.ctx, OVL_ROOT_MEDIA, &list, $0, nil) }
                        == OVL_CONTRACT_BROKEN)
            }
        }
    }

    @Test("Written bytes are on the device, and a refusal carries the device's status")
    func writing() throws {
        let environment = try FakeEnvironment()
        try within(environment) { [files = environment.device.files] table in
            withText("/w") { path in
                let memory = Arena()
                var bytes = memory.bytes([1, 2])
                #expect(table.write?(table.ctx, OVL_ROOT_MEDIA, path, &bytes, 0, nil) == OVL_OK)
                files.set(failure: TransportError(.noSpace, "The device is full."))
                #expect(
                    table.write?(table.ctx, OVL_ROOT_MEDIA, path, &bytes, OVL_WRITE_VERIFY_DIGEST, nil)
                        == OVL_NO_SPACE)
            }
        }
        #expect(environment.device.files["/w"] == [1, 2])
    }

    @Test("A lent file is pushed, described and read; its number means nothing in the next call")
    func loans() throws {
        let environment = try FakeEnvironment()
        let path = try environment.file("Book.epub", "0123456789")
        var kept: [UInt64] = []
        var log: [String] = []
        environment.fake.upload = { [fake = environment.fake] items, _, results, _ in
            let table = fake.transport
            guard let item = items.pointee.items?.assumingMemoryBound(to: ovl_upload_item.self) else {
                return OVL_FAILED
            }
            kept.append(item.pointee.file)
            let receiver = FileReceiver { _, _, info in
                log.append("\(info?.name.readMessage() ?? "-") \(info?.size ?? 0)")
            }
            for file in kept + [0, 1, item.pointee.file + 1] {
                let status = receiver.sink { table.local_info?(table.ctx, file, $0, nil) } ?? OVL_FAILED
                if status != OVL_OK { log.append("\(status)") }
            }
            let bytes = BytesReceiver { chunk, offset in
                log.append("\(offset) \(String(decoding: chunk, as: UTF8.self))")
                return true
            }
            _ = bytes.sink { table.local_read?(table.ctx, item.pointee.file, 4, 3, $0, nil) }
            #expect(
                bytes.sink { table.local_read?(table.ctx, item.pointee.file, 11, 1, $0, nil) }
                    == OVL_INVALID_ARGUMENT)
            let memory = Arena()
            var list = memory.list(kept) { file in
                var push = ovl_push_item.sized()
                push.file = file
                push.path = memory.text("/Books/b.epub")
                return push
            }
            let rows = Receiver<ovl_item_result> { log.append("row \($0.index) \($0.status)") }
            var sink = ovl_result_sink.sized()
            sink.ctx = rows.context
            sink.put = { Receiver<ovl_item_result>.take($0, $1) }
            #expect(table.push?(table.ctx, OVL_ROOT_MEDIA, &list, 0, &sink, nil) == OVL_OK)
            return results.put(0, OVL_OUTCOME_ADDED, path: "/Books/b.epub")
        }
        let instance = try environment.attached()
        defer { instance.destroy() }
        let identity = try #require(LocalIdentity(path: path))
        let input = UploadInput(path: path, name: "Book.epub", identity: identity, book: BookRecord(path: ""))
        #expect(instance.uploadBooks([input], conflict: 0, collections: []).failure == nil)
        #expect(log == ["Book.epub 10", "7", "7", "7", "0 456", "row 0 0"])
        log = []
        #expect(instance.uploadBooks([input], conflict: 0, collections: []).failure == nil)
        #expect(log == ["7", "Book.epub 10", "7", "7", "7", "0 456", "row 0 7", "row 1 0"])
        #expect(environment.device.files["/Books/b.epub"] == Array("0123456789".utf8))
    }

    @Test("A file that changed after it was checked is neither read nor sent")
    func changedFile() throws {
        let environment = try FakeEnvironment()
        let path = try environment.file("Book.epub", "0123456789")
        let identity = try #require(LocalIdentity(path: path))
        _ = try environment.file("Book.epub", "something else")
        var statuses: [ovl_status?] = []
        environment.fake.upload = { [fake = environment.fake] items, _, results, _ in
            let table = fake.transport
            guard let item = items.pointee.items?.assumingMemoryBound(to: ovl_upload_item.self) else {
                return OVL_FAILED
            }
            let bytes = BytesReceiver { _, _ in true }
            statuses.append(
                bytes.sink { table.local_read?(table.ctx, item.pointee.file, 0, UInt64.max, $0, nil) })
            let memory = Arena()
            var list = memory.list([item.pointee.file]) { file in
                var push = ovl_push_item.sized()
                push.file = file
                push.path = memory.text("/Books/b.epub")
                return push
            }
            let rows = Receiver<ovl_item_result> { statuses.append($0.status) }
            var sink = ovl_result_sink.sized()
            sink.ctx = rows.context
            sink.put = { Receiver<ovl_item_result>.take($0, $1) }
            statuses.append(table.push?(table.ctx, OVL_ROOT_MEDIA, &list, 0, &sink, nil))
            return results.put(0, OVL_OUTCOME_FAILED, status: OVL_HOST_IO)
        }
        let instance = try environment.attached()
        defer { instance.destroy() }
        let input = UploadInput(
            path: path, name: "Book.epub", identity: identity, book: BookRecord(path: ""))
        _ = instance.uploadBooks([input], conflict: 0, collections: [])
        #expect(statuses == [OVL_HOST_IO, OVL_HOST_IO, OVL_OK])
        #expect(environment.device.files["/Books/b.epub"] == nil)
    }

    @Test("Pulled files get names of the host in a private folder, which is gone afterwards")
    func pulling() throws {
        let environment = try FakeEnvironment()
        environment.device.files["/Books/../x"] = nil
        environment.device.files["/Books/one.epub"] = [1, 2, 3]
        environment.fake.prepare = { [fake = environment.fake] _, results, _ in
            let table = fake.transport
            var files: [UInt64: UInt64] = [:]
            let rows = Receiver<ovl_item_result> { if $0.status == OVL_OK { files[$0.index] = $0.file } }
            var sink = ovl_result_sink.sized()
            sink.ctx = rows.context
            sink.put = { Receiver<ovl_item_result>.take($0, $1) }
            withTexts(["/Books/one.epub", "/Books/none.epub"]) { paths in
                #expect(table.pull?(table.ctx, OVL_ROOT_MEDIA, paths, &sink, nil) == OVL_OK)
            }
            results.put(0, OVL_OUTCOME_FETCHED, file: files[0] ?? 0)
            return results.put(1, OVL_OUTCOME_FAILED, status: OVL_NOT_FOUND)
        }
        let instance = try environment.attached()
        defer { instance.destroy() }
        let rows = instance.prepareAddableBooks(["a", "b"])
        let file = try #require(rows.rows[0]?.file)
        #expect(file.hasPrefix(environment.folder.path + "/.overlayhost-"))
        #expect(!file.contains("one"))
        #expect(readFile(file) == [1, 2, 3])
        #expect(rows.rows[1]?.code == .notFound)
        instance.discardFetched()
        #expect(readFile(file) == nil)
    }

    @Test("A batch that was cancelled in the middle keeps the rows of what was done")
    func cancelledPull() throws {
        let environment = try FakeEnvironment()
        for name in ["a", "b", "c"] { environment.device.files["/\(name)"] = [1] }
        environment.device.files.before { [cancellation = environment.cancellation] index in
            if index == 1 { cancellation.cancel() }
        }
        var statuses: [ovl_status] = []
        var whole: ovl_status?
        try within(environment) { table in
            let rows = Receiver<ovl_item_result> { statuses.append($0.status) }
            var sink = ovl_result_sink.sized()
            sink.ctx = rows.context
            sink.put = { Receiver<ovl_item_result>.take($0, $1) }
            withTexts(["/a", "/b", "/c"]) { whole = table.pull?(table.ctx, OVL_ROOT_MEDIA, $0, &sink, nil) }
        }
        #expect(statuses == [OVL_OK, OVL_CANCELLED, OVL_CANCELLED])
        #expect(whole == OVL_CANCELLED)
    }
}
