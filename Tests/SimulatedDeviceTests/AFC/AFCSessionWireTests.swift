import DeviceWire
import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("A simulated device keeps its AFC connections in step")
struct AFCSessionWireTests {
    @Test("An unknown operation answers 15, with or without content, and the connection goes on")
    func unknownOperation() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        for operation in [0, 1, 2, 4, 5, 6, 0x0C, 0x16, 0x19, 0x1D, 0x20, 0x28, UInt64.max] {
            let header = AFCHeader(
                operation: AFCOperation(rawValue: operation), packetNumber: operation, headerDataLength: 3,
                payloadLength: 2)
            try transmit(header.encode() + [1, 2, 3, 4, 5], to: client.socket)
            let answer = try client.receiveReply()
            #expect(answer.number == operation)
            #expect(answer.reply == .status(.operationNotSupported))
        }
        #expect(try client.names("/").isEmpty)
    }

    @Test("Several requests may be under way; they are answered in order with their numbers")
    func pipelining() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        try test.put("/a", "x")
        let requests: [AFCRequest] = (0..<100).map {
            $0.isMultiple(of: 2) ? .getFileInfo(path: "/a") : .removePath(path: "/none")
        }
        let numbers = try requests.map { try client.send($0) }
        for (index, number) in numbers.enumerated() {
            let answer = try client.receiveReply()
            #expect(answer.number == number)
            #expect((answer.reply == .status(.objectNotFound)) == !index.isMultiple(of: 2))
        }
    }

    @Test("Malformed arguments answer 7 and the connection goes on")
    func malformed() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        let bad: [(AFCOperation, [UInt8])] = [
            (.fileRead, [1, 2, 3]), (.removePath, []), (.removePath, [0xFF, 0]),
            (.renamePath, Array("/a\0".utf8)),
            (.fileOpen, [1, 0, 0, 0, 0, 0, 0, 0]), (.fileWrite, [1]),
        ]
        for (operation, body) in bad {
            let header = AFCHeader(
                operation: operation, packetNumber: 9, headerDataLength: body.count, payloadLength: 0)
            try transmit(header.encode() + body, to: client.socket)
            #expect(try client.receiveReply().reply == .status(.invalidArgument))
        }
        #expect(try client.names("/").isEmpty)
    }

    @Test("A packet without the magic answers 2 and ends the connection")
    func badMagic() throws {
        let client = try AFCTestDevice().connect()
        try transmit(Array(repeating: 0x41, count: AFCHeader.size), to: client.socket)
        #expect(try client.receiveReply().reply == .status(.headerInvalid))
        #expect(try client.endsHere())
    }

    @Test("Lengths beyond all bounds end the connection and are never allocated")
    func hugeLengths() throws {
        let test = try AFCTestDevice()
        for (data, payload) in [(1 << 30, 0), (8, 1 << 40), (0, 1 << 30)] {
            let client = try test.connect()
            let header = AFCHeader(
                operation: data == 8 ? .fileWrite : .readDirectory, packetNumber: 1, headerDataLength: data,
                payloadLength: payload)
            try transmit(header.encode(), to: client.socket)
            guard case .status(let status) = try client.receiveReply().reply else {
                Issue.record("no status")
                continue
            }
            #expect(status == .tooMuchData || status == .invalidArgument)
            #expect(try client.endsHere())
        }
    }

    @Test("A request cut at any byte by the end of the connection does no harm")
    func cut() throws {
        let test = try AFCTestDevice()
        let bytes = try AFCRequest.makeDirectory(path: "/made").encode(packetNumber: 1)
        for count in 0..<bytes.count {
            let client = try test.connect()
            try transmit(Array(bytes.prefix(count)), to: client.socket)
            shutdown(client.socket, Int32(SHUT_WR))
            #expect(try client.endsHere())
        }
        #expect(try test.connect().names("/").isEmpty)
    }

    @Test("Random requests never stop the device from answering")
    func randomRequests() throws {
        var random = SeededGenerator(seed: 7)
        let test = try AFCTestDevice()
        try test.put("/a/b", "content")
        var client = try test.connect()
        for _ in 0..<3000 {
            let operation = AFCOperation(rawValue: UInt64.random(in: 0...0x30, using: &random))
            var body: [UInt8] = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                [0, 0, 0, 1, 2, 0x2E, 0x2F, 0x61, 0x62, 0xFF].randomElement(using: &random) ?? 0
            }
            if Bool.random(using: &random) { body = [1, 0, 0, 0, 0, 0, 0, 0] + body }
            let header = AFCHeader(
                operation: operation, packetNumber: 5, headerDataLength: body.count, payloadLength: 0)
            try transmit(header.encode() + body, to: client.socket)
            #expect(try client.receiveReply().number == 5)
        }
        client = try test.connect()
        #expect(throws: Never.self) { try client.names("/") }
    }

    @Test("Each request is counted by its name")
    func counting() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        let handle = try client.open("/a", .write)
        for _ in 1...3 { _ = try client.write(handle, "x") }
        _ = try client.status(.removePath(path: "/none"))
        let header = AFCHeader(
            operation: .init(rawValue: 99), packetNumber: 1, headerDataLength: 0, payloadLength: 0)
        try transmit(header.encode(), to: client.socket)
        _ = try client.receiveReply()
        #expect(
            test.device.counters.requests == [
                "afc.FILE_OPEN": 1, "afc.FILE_WRITE": 3, "afc.REMOVE_PATH": 1, "afc.UNKNOWN": 1,
            ])
    }
}
