/// The reply of a device to a request.
package enum AFCReply: Hashable, Sendable {
    /// STATUS: success or an error.
    case status(AFCStatus)
    /// DATA: bytes; empty at the end of a file.
    case data([UInt8])
    /// FILE_OPEN_RES: the handle of an opened file, never 0.
    case handle(UInt64)
    /// FILE_TELL_RES: a position in bytes.
    case position(UInt64)

    /// The operation number of the reply.
    package var operation: AFCOperation {
        switch self {
        case .status: .status
        case .data: .data
        case .handle: .fileOpenResult
        case .position: .fileTellResult
        }
    }

    /// Encodes the complete reply. Send it in one write, because libimobiledevice receives the header with a single
    /// call.
    ///
    /// For DATA, the bytes count as payload (this length 40), because only the payload is received in a loop.
    package func encode(packetNumber: UInt64) -> [UInt8] {
        switch self {
        case .status(let status): Self.encode(.status, status.rawValue, packetNumber)
        case .handle(let handle): Self.encode(.fileOpenResult, handle, packetNumber)
        case .position(let position): Self.encode(.fileTellResult, position, packetNumber)
        case .data(let data):
            Self.encodeData(length: data.count, packetNumber: packetNumber) { buffer in
                buffer.copyBytes(from: data)
                return data.count
            }
        }
    }

    /// Encodes a DATA reply. `fill` writes the bytes directly into the packet: it gets space for `length` bytes and
    /// returns how many it used.
    package static func encodeData<Failure: Error>(
        length: Int, packetNumber: UInt64, fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) -> [UInt8] {
        var failure: Failure?
        let packet = [UInt8](unsafeUninitializedCapacity: AFCHeader.size + length) { buffer, count in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            let content = UnsafeMutableRawBufferPointer(
                rebasing: bytes[AFCHeader.size..<(AFCHeader.size + length)])
            do throws(Failure) {
                let used = min(max(0, try fill(content)), length)
                AFCHeader(
                    operation: .data, packetNumber: packetNumber, headerDataLength: 0, payloadLength: used
                ).encode(into: bytes)
                count = AFCHeader.size + used
            } catch {
                failure = error
                count = 0
            }
        }
        if let failure { throw failure }
        return packet
    }

    /// Decodes a reply from its header and everything after it.
    ///
    /// Throws `malformedReply` if the content does not match the kind, and `unknownOperation` for any other packet.
    /// Additional bytes are ignored, because newer systems may append some to a status.
    package static func decode(_ header: AFCHeader, body: [UInt8]) throws(WireError) -> AFCReply {
        guard body.count == header.bodyLength else {
            throw WireError(
                .truncated, "\(header.bodyLength) bytes were announced, but \(body.count) came.",
                subject: header.operation.name)
        }
        switch header.operation {
        case .data: return .data(body)
        case .status: return .status(AFCStatus(rawValue: try number(body, header.operation)))
        case .fileTellResult: return .position(try number(body, header.operation))
        case .fileOpenResult:
            let handle = try number(body, header.operation)
            guard handle != 0 else {
                throw WireError(.malformedReply, "The handle is 0.", subject: header.operation.name)
            }
            return .handle(handle)
        default:
            throw WireError(.unknownOperation, "The packet is not a reply.", subject: header.operation.name)
        }
    }

    private static func number(_ body: [UInt8], _ operation: AFCOperation) throws(WireError) -> UInt64 {
        guard body.count >= 8 else {
            throw WireError(
                .malformedReply, "The reply needs 8 bytes, but has \(body.count).", subject: operation.name)
        }
        return body.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
    }

    private static func encode(_ operation: AFCOperation, _ number: UInt64, _ packetNumber: UInt64) -> [UInt8]
    {
        let header = AFCHeader(
            operation: operation, packetNumber: packetNumber, headerDataLength: 8, payloadLength: 0)
        return [UInt8](unsafeUninitializedCapacity: header.entireLength) { buffer, count in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            header.encode(into: bytes)
            bytes.storeBytes(of: number.littleEndian, toByteOffset: AFCHeader.size, as: UInt64.self)
            count = header.entireLength
        }
    }
}
