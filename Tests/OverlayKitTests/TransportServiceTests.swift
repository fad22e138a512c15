import OverlayABI
import OverlayBridge
import OverlayKit
import Testing

/// A way to push rows into a file sink.
private func put(_ sink: UnsafePointer<ovl_file_sink>, _ index: UInt64, _ status: ovl_status, _ name: String)
    -> ovl_status
{
    let arena = Arena()
    var info = FileInfo(name: name, kind: .regular, size: index).record(in: arena)
    return sink.pointee.put?(
        sink.pointee.ctx, index, status, status == OVL_OK ? withUnsafePointer(to: &info) { $0 } : nil, nil)
        ?? OVL_FAILED
}

/// A way to push a row that failed, with its error, into a file sink and into a read sink.
private func put(_ sink: UnsafePointer<ovl_file_sink>, _ index: UInt64, _ error: OverlayError) -> ovl_status {
    let arena = Arena()
    var record = error.record(in: arena)
    return sink.pointee.put?(sink.pointee.ctx, index, error.status.rawValue, nil, &record) ?? OVL_FAILED
}

private func put(_ sink: UnsafePointer<ovl_read_sink>, _ index: UInt64, _ error: OverlayError) -> ovl_status {
    let arena = Arena()
    var record = error.record(in: arena)
    return sink.pointee.put?(sink.pointee.ctx, index, error.status.rawValue, nil, &record) ?? OVL_FAILED
}

private func put(
    _ sink: UnsafePointer<ovl_bytes_sink>, _ text: String, _ offset: UInt64, _ total: UInt64
) -> ovl_status {
    let arena = Arena()
    var bytes = arena.bytes(Array(text.utf8))
    return sink.pointee.put?(sink.pointee.ctx, &bytes, offset, total) ?? OVL_FAILED
}

private func put(_ sink: UnsafePointer<ovl_read_sink>, _ index: UInt64, _ status: ovl_status, _ text: String)
    -> ovl_status
{
    let arena = Arena()
    var bytes = arena.bytes(Array(text.utf8))
    return withUnsafePointer(to: &bytes) {
        sink.pointee.put?(sink.pointee.ctx, index, status, status == OVL_OK ? $0 : nil, nil) ?? OVL_FAILED
    }
}

private func put(_ sink: UnsafePointer<ovl_result_sink>, _ row: ItemResult) -> ovl_status {
    let arena = Arena()
    guard var record = try? row.record(in: arena) else { return OVL_FAILED }
    return sink.pointee.put?(sink.pointee.ctx, &record) ?? OVL_FAILED
}

/// A device's errors for a file that cannot be read and for a file that is not accessible.
private let broken = OverlayError(
    .deviceIO, "The read failed.", subject: "/b", hint: "Unplug and plug in again.", domain: .afc,
    nativeCode: 14, retryable: true)
private let refused = OverlayError(.accessRefused, "iOS says no.", domain: .afc, nativeCode: 10)

@Suite(
    "The transport service keeps batches in input order, and loses or invents no results")
struct TransportServiceTests {
    private var table = ovl_transport_service.sized()

    private func status(_ body: () throws -> Void) -> OverlayStatus? {
        (#expect(throws: OverlayError.self) { try body() })?.status
    }

    @Test("The answers of stat have the order of its paths, not of the rows")
    mutating func stat() throws {
        table.stat = { _, root, paths, sink, _ in
            guard root == OVL_ROOT_MEDIA, paths.pointee.count == 3 else { return OVL_INVALID_ARGUMENT }
            for (index, status) in [(2, OVL_OK), (0, OVL_OK), (1, OVL_NOT_FOUND)] as [(UInt64, ovl_status)] {
                let answer = put(sink, index, status, "n\(index)")
                guard answer == OVL_OK else { return answer }
            }
            return OVL_OK
        }
        let results = try TransportService(table).stat(.media, ["/a", "/b", "/c"])
        #expect(try results[0].get().name == "n0")
        #expect(try results[2].get().size == 2)
        #expect(status { _ = try results[1].get() } == .notFound)
        #expect(throws: OverlayError(.notFound, "It does not exist.", subject: "/b")) { try results[1].get() }
    }

    @Test("A failed row keeps the host's words and native code; one without a subject gets its path")
    mutating func causes() throws {
        var named = refused
        named.subject = "/a"
        table.stat = { _, _, _, sink, _ in
            _ = put(sink, 1, broken)
            return put(sink, 0, refused)
        }
        let facts = try TransportService(table).stat(.media, ["/a", "/b"])
        #expect(facts == [.failure(named), .failure(broken)])
        table.read_many = { _, _, _, sink, _ in
            _ = put(sink, 0, refused)
            return put(sink, 1, broken)
        }
        let bytes = try TransportService(table).readMany(.media, [ReadRequest("/a"), ReadRequest("/b")])
        #expect(bytes == [.failure(named), .failure(broken)])
        table.list = { _, _, _, _, sink, _ in put(sink, 0, refused) }
        #expect(throws: named) { try TransportService(table).list(.media, "/a", withInfo: true) }
        table.local_info = { _, _, sink, _ in put(sink, 0, refused) }
        #expect(throws: refused) { try TransportService(table).localInfo(HostFile(rawValue: 1)) }
    }

    @Test("The status of a failed row counts, not the one in its error")
    mutating func contradiction() throws {
        table.stat = { _, _, _, sink, _ in
            let arena = Arena()
            var record = OverlayError(.noSpace, "Full.").record(in: arena)
            return sink.pointee.put?(sink.pointee.ctx, 0, OVL_DEVICE_IO, nil, &record) ?? OVL_FAILED
        }
        let error = OverlayError(.deviceIO, "Full.", subject: "/a")
        #expect(try TransportService(table).stat(.media, ["/a"]) == [.failure(error)])
    }

    @Test("A row that is missing, duplicate or unexpected is a breach")
    mutating func badRows() {
        table.stat = { _, _, _, sink, _ in put(sink, 0, OVL_OK, "a") }
        #expect(status { _ = try TransportService(table).stat(.media, ["/a", "/b"]) } == .contractBroken)
        table.stat = { _, _, _, sink, _ in
            _ = put(sink, 0, OVL_OK, "a")
            return put(sink, 0, OVL_OK, "a")
        }
        #expect(status { _ = try TransportService(table).stat(.media, ["/a", "/b"]) } == .contractBroken)
        table.stat = { _, _, _, sink, _ in put(sink, 9, OVL_OK, "a") }
        #expect(status { _ = try TransportService(table).stat(.media, ["/a"]) } == .contractBroken)
        table.stat = { _, _, _, sink, _ in
            sink.pointee.put?(sink.pointee.ctx, 0, OVL_OK, nil, nil) ?? OVL_FAILED
        }
        #expect(status { _ = try TransportService(table).stat(.media, ["/a"]) } == .contractBroken)
        table.read_many = { _, _, _, sink, _ in put(sink, 1, OVL_OK, "a") }
        #expect(
            status { _ = try TransportService(table).readMany(.media, [ReadRequest("/a")]) }
                == .contractBroken)
        table.push = { _, _, _, _, sink, _ in put(sink, .done(1, .added)) }
        #expect(status { _ = try TransportService(table).push(.media, []) } == .contractBroken)
    }

    @Test("Success without a result is a breach")
    mutating func emptySuccess() {
        table.device = { _, _, _ in OVL_OK }
        #expect(status { _ = try TransportService(table).device() } == .contractBroken)
        table.local_info = { _, _, _, _ in OVL_OK }
        #expect(
            status { _ = try TransportService(table).localInfo(HostFile(rawValue: 1)) } == .contractBroken)
        table.pull = { _, _, _, _, _ in OVL_OK }
        #expect(status { _ = try TransportService(table).pull(.media, ["/a"]) } == .contractBroken)
    }

    @Test("A listing leaves out what vanished meanwhile, and reports what it cannot read")
    mutating func list() throws {
        table.list = { _, _, _, options, sink, _ in
            guard options == OVL_LIST_WITH_INFO else { return OVL_INVALID_ARGUMENT }
            _ = put(sink, 0, OVL_OK, "a")
            return put(sink, 1, OVL_NOT_FOUND, "")
        }
        #expect(try TransportService(table).list(.documents, "/", withInfo: true).map(\.name) == ["a"])
        table.list = { _, _, _, _, sink, _ in put(sink, 0, OVL_DEVICE_IO, "") }
        #expect(status { _ = try TransportService(table).list(.documents, "/") } == .deviceIO)
    }

    @Test("A file arrives piece by piece, and whole")
    mutating func read() throws {
        table.read = { _, _, _, offset, length, sink, _ in
            guard offset == 3, length == .max else { return OVL_INVALID_ARGUMENT }
            _ = put(sink, "hel", 0, 5)
            return put(sink, "lo", 3, 5)
        }
        #expect(try TransportService(table).readAll(.media, "/a", offset: 3, limit: 5) == Array("hello".utf8))
        #expect(
            status { _ = try TransportService(table).readAll(.media, "/a", offset: 3, limit: 4) } == .damaged)
    }

    @Test("A gap between the pieces of a file is a breach")
    mutating func gap() {
        table.local_read = { _, _, _, _, sink, _ in
            _ = put(sink, "a", 0, .max)
            return put(sink, "c", 2, .max)
        }
        #expect(
            status { try TransportService(table).localRead(HostFile(rawValue: 1)) { _, _, _ in } }
                == .contractBroken)
    }

    @Test("An error of a receiver stops the host and is thrown, even if the host returns something else")
    mutating func receiverThrows() {
        table.read = { _, _, _, _, _, sink, _ in
            put(sink, "a", 0, 3) == OVL_STOPPED && put(sink, "b", 1, 3) == OVL_STOPPED ? OVL_OK : OVL_FAILED
        }
        var received = 0
        let transport = TransportService(table)
        let error = OverlayError(.damaged, "Not a book.")
        #expect(throws: error) {
            try transport.read(.media, "/a") { (_, _, _) throws(OverlayError) in
                received += 1
                throw error
            }
        }
        #expect(received == 1)
    }

    @Test("Many reads are answered in the order of their requests; a failed one is a result")
    mutating func readMany() throws {
        table.read_many = { _, _, requests, sink, _ in
            guard requests.pointee.count == 2 else { return OVL_INVALID_ARGUMENT }
            _ = put(sink, 1, OVL_OK, "xy")
            return put(sink, 0, OVL_NOT_FOUND, "")
        }
        let results = try TransportService(table)
            .readMany(.media, [ReadRequest("/a"), ReadRequest("/b", length: 2)])
        #expect(status { _ = try results[0].get() } == .notFound)
        #expect(try results[1].get() == Array("xy".utf8))
        #expect(
            status {
                _ = try TransportService(table).readMany(
                    .media, [ReadRequest("/a"), ReadRequest("/b", length: 1)])
            } == .contractBroken)
    }

    @Test("Pushes and pulls give one row per item in their order")
    mutating func pushAndPull() throws {
        table.push = { _, _, items, options, sink, _ in
            guard options == OVL_WRITE_VERIFY_DIGEST, items.pointee.count == 2 else {
                return OVL_INVALID_ARGUMENT
            }
            _ = put(sink, .failed(1, OverlayError(.noSpace, "Full.")))
            return put(sink, .done(0, .added))
        }
        let rows = try TransportService(table).push(
            .documents,
            [PushItem(HostFile(rawValue: 1), to: "/a"), PushItem(HostFile(rawValue: 2), to: "/b")],
            verifyDigest: true)
        #expect(rows.map(\.status) == [.ok, .noSpace])
        table.pull = { _, _, _, sink, _ in put(sink, .done(0, .fetched, file: HostFile(rawValue: 8))) }
        #expect(try TransportService(table).pull(.documents, ["/a"]).first?.file == HostFile(rawValue: 8))
    }

    @Test("Writing, renaming, removing, making folders and free space pass their arguments on")
    mutating func others() throws {
        table.write = { _, root, path, bytes, options, _ in
            root == OVL_ROOT_DOCUMENTS && (try? path.pointee.string("p")) == "/a" && bytes.pointee.data != nil
                && bytes.pointee.size == 0 && options == 0 ? OVL_OK : OVL_FAILED
        }
        table.rename = { _, _, from, to, _ in
            (try? from.pointee.string("f")) == "/a" && (try? to.pointee.string("t")) == "/b"
                ? OVL_OK : OVL_FAILED
        }
        table.remove = { _, _, _, options, _ in options == OVL_REMOVE_RECURSIVE ? OVL_OK : OVL_NOT_FOUND }
        table.make_folder = { _, _, path, _ in (try? path.pointee.string("p")) == "/d/e" ? OVL_OK : OVL_FAILED
        }
        table.free_space = { _, free, total, _ in
            (free.pointee, total.pointee) = (5, 9)
            return OVL_OK
        }
        let transport = TransportService(table)
        try transport.write(.documents, "/a", [])
        try transport.rename(.documents, "/a", to: "/b")
        try transport.remove(.documents, "/a", recursive: true)
        #expect(status { try transport.remove(.documents, "/a") } == .notFound)
        try transport.makeFolder(.documents, "/d/e")
        #expect(try transport.freeSpace() == FreeSpace(free: 5, total: 9))
    }
}
