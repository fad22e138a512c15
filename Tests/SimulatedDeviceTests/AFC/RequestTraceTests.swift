import DeviceWire
import SimulatedDevice
import Synchronization
import Testing

@Suite("Every file request leaves a trace on the simulated device")
struct RequestTraceTests {
    @Test("The trace has operation, paths, status and bytes, in order")
    func rows() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        let handle = try client.open("/a", .write)
        _ = try client.write(handle, "hello")
        _ = try client.status(.renamePath(from: "/a", to: "/b"))
        _ = try client.status(.removePath(path: "/none"))
        _ = try client.names("/")
        let rows = test.device.fileRequests
        #expect(rows.map(\.number) == [1, 2, 3, 4, 5])
        #expect(
            rows.map(\.operation) == ["FILE_OPEN", "FILE_WRITE", "RENAME_PATH", "REMOVE_PATH", "READ_DIR"])
        #expect(rows.map(\.path) == ["/a", "/a", "/a", "/none", "/"])
        #expect(rows.map(\.secondPath) == [nil, nil, "/b", nil, nil])
        #expect(rows.map(\.status) == [0, 0, 0, 8, 0])
        #expect(rows.map(\.bytesReceived) == [51, 53, 46, 46, 42])
        #expect(rows.map(\.bytesSent) == [48, 48, 48, 48, 40 + 5 + 2])
    }

    @Test("A request without an answer has no status, an unknown one its number")
    func unanswered() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        try test.fail(FaultPlan([.disconnect(afterRequests: 1)]))
        let header = AFCHeader(
            operation: .init(rawValue: 0x16), packetNumber: 1, headerDataLength: 0, payloadLength: 0)
        try transmit(header.encode(), to: client.socket)
        _ = try client.receiveReply()
        try client.send(.readDirectory(path: "/"))
        #expect(try client.endsHere())
        let rows = test.device.fileRequests
        #expect(rows.map(\.operation) == ["0x16", "READ_DIR"])
        #expect(rows.map(\.status) == [15, nil])
        #expect(rows.last?.bytesSent == 0)
    }

    @Test("A hook sees each request before its answer, and may ask for the trace")
    func hook() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        let seen = Mutex<[String]>([])
        test.device.onFileRequest { [device = test.device] request in
            seen.withLock {
                $0.append("\(request.number) \(request.operation) of \(device.fileRequests.count)")
            }
        }
        _ = try client.names("/")
        _ = try client.freeBytes()
        #expect(seen.withLock { $0 } == ["1 READ_DIR of 1", "2 GET_DEVINFO of 2"])
        test.device.onFileRequest(nil)
    }

    @Test("The trace keeps the latest requests")
    func bounded() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        for _ in 0..<4200 { _ = try client.freeBytes() }
        let numbers = test.device.fileRequests.map(\.number)
        #expect(numbers.count == 4096)
        #expect(numbers == Array(numbers[0]..<(numbers[0] + 4096)))
        #expect(numbers[0] > 100)
    }
}
