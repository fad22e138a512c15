import TestSupport
import Testing

@testable import DeviceWire

@Suite("AFC packets are read however a connection delivers them")
struct AFCPacketTests {
    @Test("Every request survives encoding and decoding", arguments: sampleRequests)
    func requestRoundTrip(request: AFCRequest) throws {
        var bytes = try request.encode(packetNumber: 0xFEDC_BA98_7654_3210)
        if case .fileWrite(_, let length) = request { bytes += Array(repeating: 0, count: length) }
        let (header, body) = try split(bytes)
        #expect(header.packetNumber == 0xFEDC_BA98_7654_3210)
        #expect(header.operation == request.operation)
        #expect(header.entireLength == bytes.count)
        #expect(try AFCRequest.decode(header, body: body) == request)
    }

    @Test("Every operation that can be asked has a sample here")
    func samplesAreComplete() {
        #expect(Set(sampleRequests.map(\.operation)) == Set(AFCOperation.requests))
        #expect(Set(sampleReplies.map(\.operation)) == Set(AFCOperation.replies))
    }

    @Test("Every reply survives encoding and decoding", arguments: sampleReplies)
    func replyRoundTrip(reply: AFCReply) throws {
        let bytes = reply.encode(packetNumber: 3)
        let (header, body) = try split(bytes)
        #expect(header.entireLength == bytes.count)
        #expect(try AFCReply.decode(header, body: body) == reply)
    }

    @Test("Packets received together are separated by their lengths")
    func glued() throws {
        var stream: [UInt8] = []
        for (number, request) in sampleRequests.enumerated() {
            stream += try request.encode(packetNumber: UInt64(number))
            if case .fileWrite(_, let length) = request { stream += Array(repeating: 7, count: length) }
        }
        var found: [AFCRequest] = []
        while !stream.isEmpty {
            let (header, body) = try split(stream)
            #expect(header.packetNumber == UInt64(found.count))
            found.append(try AFCRequest.decode(header, body: body))
            stream.removeFirst(header.entireLength)
        }
        #expect(found == sampleRequests)
    }

    @Test("Fed byte by byte, a header is complete with its fortieth byte")
    func byteWise() throws {
        let bytes = try AFCRequest.readDirectory(path: "/Documents").encode(packetNumber: 1)
        for count in 0..<AFCHeader.size {
            let error = #expect(throws: WireError.self) {
                try AFCHeader(decoding: Array(bytes.prefix(count)), maximumLength: 1000)
            }
            #expect(error?.code == .truncated)
        }
        #expect(try AFCHeader(decoding: bytes, maximumLength: 1000).entireLength == bytes.count)
    }

    @Test(
        "A request cut at any length is refused, except where only the last NUL is missing",
        arguments: sampleRequests)
    func truncatedRequest(request: AFCRequest) throws {
        let bytes = try request.encode(packetNumber: 1)
        let header = try AFCHeader(decoding: bytes, maximumLength: 1000)
        let body = Array(bytes.dropFirst(AFCHeader.size))
        for count in 0..<body.count {
            let cut = try? AFCRequest.decode(header, body: Array(body.prefix(count)))
            if count == body.count - 1, request.path != nil {
                #expect(cut == request)
            } else {
                #expect(cut != request)
            }
        }
    }

    @Test("A reply cut at any length is refused", arguments: sampleReplies)
    func truncatedReply(reply: AFCReply) throws {
        let bytes = reply.encode(packetNumber: 1)
        let header = try AFCHeader(decoding: bytes, maximumLength: 1000)
        for count in 0..<(bytes.count - AFCHeader.size) {
            #expect(throws: WireError.self) {
                try AFCReply.decode(header, body: Array(bytes[AFCHeader.size...].prefix(count)))
            }
        }
    }

    @Test("A status may be followed by more bytes, a shorter one is malformed")
    func statusLength() throws {
        var header = AFCHeader(operation: .status, packetNumber: 1, headerDataLength: 12, payloadLength: 0)
        let body: [UInt8] = [8, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]
        #expect(try AFCReply.decode(header, body: body) == .status(.objectNotFound))
        header.entireLength = 44
        let error = #expect(throws: WireError.self) {
            try AFCReply.decode(header, body: Array(body.prefix(4)))
        }
        #expect(error?.code == .malformedReply)
    }

    @Test("A handle of zero is not a handle")
    func zeroHandle() throws {
        let (header, body) = try split(AFCReply.handle(0).encode(packetNumber: 1))
        let error = #expect(throws: WireError.self) { try AFCReply.decode(header, body: body) }
        #expect(error?.code == .malformedReply)
    }

    @Test("Headers with wrong lengths or another magic are refused")
    func badHeaders() throws {
        func code(entire: UInt64, this: UInt64, magic: UInt64 = AFCHeader.magic) -> WireError.Code? {
            let fields = [magic, entire, this, 1, 3]
            let bytes = fields.flatMap { field in (0..<8).map { UInt8(truncatingIfNeeded: field >> (8 * $0)) }
            }
            do throws(WireError) {
                _ = try AFCHeader(decoding: bytes, maximumLength: 1000)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code(entire: 40, this: 40) == nil)
        #expect(code(entire: 1000, this: 40) == nil)
        #expect(code(entire: 1001, this: 40) == .badLength)
        #expect(code(entire: 40, this: 39) == .badLength)
        #expect(code(entire: 39, this: 39) == .badLength)
        #expect(code(entire: 41, this: 42) == .badLength)
        #expect(code(entire: .max, this: 40) == .badLength)
        #expect(code(entire: .max, this: .max) == .badLength)
        #expect(code(entire: 0, this: 0) == .badLength)
        #expect(code(entire: 40, this: 40, magic: AFCHeader.magic ^ 1) == .badMagic)
    }

    @Test("Random bytes are refused or decoded, and never trap")
    func randomBytes() {
        var random = SeededGenerator(seed: 20_260_731)
        for round in 0..<20_000 {
            var bytes = (0..<Int.random(in: 0...120, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            if round.isMultiple(of: 2), bytes.count >= AFCHeader.size {
                // A valid header comes first, so that the bodies are decoded as well.
                let operation =
                    (AFCOperation.requests + AFCOperation.replies).randomElement(using: &random) ?? .status
                let header = AFCHeader(
                    operation: operation, packetNumber: 1, headerDataLength: bytes.count - AFCHeader.size,
                    payloadLength: 0)
                bytes.replaceSubrange(0..<AFCHeader.size, with: header.encode())
            }
            guard let (header, body) = try? split(bytes, maximumLength: 4096) else { continue }
            _ = try? AFCRequest.decode(header, body: body)
            _ = try? AFCReply.decode(header, body: body)
            _ = try? AFCFileInfo(decoding: body)
            _ = try? AFCDeviceInfo(decoding: body)
            let listing = AFCDirectoryListing(decoding: body)
            #expect(listing.names.allSatisfy { !$0.isEmpty && !$0.utf8.contains(UInt8(ascii: "/")) })
        }
    }
}
