import DeviceWire
import Testing

/// Packets as libimobiledevice and devices exchange them.
@Suite("AFC packets have the bytes that libimobiledevice sends and devices answer")
struct AFCGoldenBytesTests {
    static let requests: [(request: AFCRequest, number: UInt64, bytes: String)] = [
        (
            .fileOpen(path: "/tmp/d/a.txt", mode: 3), 5,
            """
            434641364c504141 3d00000000000000 3d00000000000000 0500000000000000 0d00000000000000
            0300000000000000 2f746d702f642f612e74787400
            """
        ),
        (
            .fileClose(handle: 1), 7,
            "434641364c504141 3000000000000000 3000000000000000 0700000000000000 1400000000000000 0100000000000000"
        ),
        (
            .fileRead(handle: 2, length: 100), 9,
            """
            434641364c504141 3800000000000000 3800000000000000 0900000000000000 0f00000000000000
            0200000000000000 6400000000000000
            """
        ),
        (
            .readDirectory(path: "/"), 1,
            "434641364c504141 2a00000000000000 2a00000000000000 0100000000000000 0300000000000000 2f00"
        ),
        (
            .renamePath(from: "/tmp/d/a.txt", to: "/tmp/d/b.txt"), 0x13,
            """
            434641364c504141 4200000000000000 4200000000000000 1300000000000000 1800000000000000
            2f746d702f642f612e747874002f746d702f642f622e74787400
            """
        ),
        (
            .fileSeek(handle: 3, origin: 2, offset: -2), 0x20,
            """
            434641364c504141 4000000000000000 4000000000000000 2000000000000000 1100000000000000
            0300000000000000 0200000000000000 feffffffffffffff
            """
        ),
        (
            .getDeviceInfo, 2,
            "434641364c504141 2800000000000000 2800000000000000 0200000000000000 0b00000000000000"
        ),
    ]

    static let replies: [(reply: AFCReply, number: UInt64, bytes: String)] = [
        (
            .handle(1), 5,
            "434641364c504141 3000000000000000 3000000000000000 0500000000000000 0e00000000000000 0100000000000000"
        ),
        (
            .status(.success), 6,
            "434641364c504141 3000000000000000 3000000000000000 0600000000000000 0100000000000000 0000000000000000"
        ),
        (
            .status(.objectNotFound), 0x15,
            "434641364c504141 3000000000000000 3000000000000000 1500000000000000 0100000000000000 0800000000000000"
        ),
        (
            .data(Array("hello".utf8)), 9,
            "434641364c504141 2d00000000000000 2800000000000000 0900000000000000 0200000000000000 68656c6c6f"
        ),
        (
            .data([]), 10,
            "434641364c504141 2800000000000000 2800000000000000 0a00000000000000 0200000000000000"
        ),
        (
            .position(0x1_0000), 11,
            "434641364c504141 3000000000000000 3000000000000000 0b00000000000000 1300000000000000 0000010000000000"
        ),
    ]

    @Test("A request is encoded to its golden bytes and decoded from them", arguments: requests.indices)
    func request(index: Int) throws {
        let (request, number, text) = Self.requests[index]
        let bytes = hex(text)
        #expect(try request.encode(packetNumber: number) == bytes)
        let (header, body) = try split(bytes)
        #expect(header.packetNumber == number)
        #expect(try AFCRequest.decode(header, body: body) == request)
    }

    @Test("A reply is encoded to its golden bytes and decoded from them", arguments: replies.indices)
    func reply(index: Int) throws {
        let (reply, number, text) = Self.replies[index]
        let bytes = hex(text)
        #expect(reply.encode(packetNumber: number) == bytes)
        let (header, body) = try split(bytes)
        #expect(header.packetNumber == number)
        #expect(try AFCReply.decode(header, body: body) == reply)
    }

    @Test("A write counts its payload in the entire length only, and can be made as one buffer")
    func write() throws {
        let bytes = hex(
            """
            434641364c504141 3500000000000000 3000000000000000 0600000000000000 1000000000000000 0100000000000000
            68656c6c6f
            """)
        let head = try AFCRequest.fileWrite(handle: 1, payloadLength: 5).encode(packetNumber: 6)
        #expect(head == Array(bytes.prefix(48)))
        let whole = Array("hello".utf8).withUnsafeBytes {
            AFCRequest.encodeFileWrite(handle: 1, payload: $0, packetNumber: 6)
        }
        #expect(whole == bytes)
        let header = try AFCHeader(decoding: bytes, maximumLength: 100)
        #expect(header.payloadLength == 5)
        #expect(header.headerDataLength == 8)
        let decoded = try AFCRequest.decode(header, body: Array(bytes[40..<48]))
        #expect(decoded == .fileWrite(handle: 1, payloadLength: 5))
    }

    @Test("A folder's names begin with the two dots, as devices send them")
    func listing() {
        let names = ["Documents", "L"].map { Array($0.utf8) }
        #expect(AFCDirectoryListing.encode(names) == hex("2e002e2e00 446f63756d656e747300 4c00"))
    }
}
