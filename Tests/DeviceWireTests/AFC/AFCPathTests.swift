import Testing

@testable import DeviceWire

@Suite("AFC requests take only paths that mean on the device what the host wrote")
struct AFCPathTests {
    static let bad = ["", "/a\0/b", "\0", String(repeating: "x", count: AFCRequest.maximumPathLength + 1)]

    @Test("A path that is empty, too long or holds a NUL is not encoded, in no position", arguments: bad)
    func refused(path: String) {
        let requests: [AFCRequest] = [
            .readDirectory(path: path), .fileOpen(path: path, mode: 1), .renamePath(from: path, to: "/ok"),
            .renamePath(from: "/ok", to: path), .makeLink(kind: 1, target: "/ok", link: path),
        ]
        for request in requests {
            let error = #expect(throws: WireError.self) { try request.encode(packetNumber: 1) }
            #expect(error?.code == .badPath)
            #expect(error?.subject == request.operation.name)
        }
    }

    @Test("The longest path is encoded and decoded")
    func longest() throws {
        let path = String(repeating: "x", count: AFCRequest.maximumPathLength)
        let request = AFCRequest.renamePath(from: path, to: path)
        let (header, body) = try split(try request.encode(packetNumber: 1))
        #expect(header.headerDataLength <= AFCHeader.maximumHeaderDataLength)
        #expect(try AFCRequest.decode(header, body: body) == request)
    }

    @Test("The last path may lack its NUL or carry several")
    func lenientEnd() throws {
        func decode(_ body: [UInt8], _ operation: AFCOperation) throws -> AFCRequest {
            try AFCRequest.decode(
                AFCHeader(
                    operation: operation, packetNumber: 1, headerDataLength: body.count, payloadLength: 0),
                body: body)
        }
        #expect(try decode(Array("/a".utf8), .removePath) == .removePath(path: "/a"))
        #expect(try decode(Array("/a\0\0\0".utf8), .removePath) == .removePath(path: "/a"))
        #expect(try decode(Array("/a\0/b".utf8), .renamePath) == .renamePath(from: "/a", to: "/b"))
        #expect(throws: WireError.self) { try decode(Array("/a\0x".utf8), .removePath) }
        #expect(throws: WireError.self) { try decode(Array("/a\0".utf8), .renamePath) }
        #expect(throws: WireError.self) { try decode(Array("\0/b\0".utf8), .renamePath) }
        #expect(throws: WireError.self) { try decode([0x2F, 0xFF, 0], .removePath) }
    }

    @Test("A payload that cannot be counted is refused")
    func payloadLength() {
        for length in [-1, Int.min, Int.max] {
            let error = #expect(throws: WireError.self) {
                try AFCRequest.fileWrite(handle: 1, payloadLength: length).encode(packetNumber: 1)
            }
            #expect(error?.code == .badArgument)
        }
    }
}
