extension AFCRequest {
    /// The request as bytes: header and header data. The payload of FILE_WRITE is counted, and follows in the same send.
    ///
    /// Throws `badPath` for a path that is empty, holds a NUL or is too long, and `badArgument` for a negative payload length.
    package func encode(packetNumber: UInt64) throws(AFCWireError) -> [UInt8] {
        let (header, firstLength, secondLength) = try layout(packetNumber: packetNumber)
        return [UInt8](unsafeUninitializedCapacity: header.thisLength) { buffer, count in
            write(header, firstLength, secondLength, into: UnsafeMutableRawBufferPointer(buffer))
            count = header.thisLength
        }
    }

    /// Appends the request to a buffer, so that several requests go out in one send; errors leave the buffer as it was.
    package func encode(packetNumber: UInt64, appendingTo buffer: inout [UInt8]) throws(AFCWireError) {
        buffer.append(contentsOf: try encode(packetNumber: packetNumber))
    }

    /// A whole FILE_WRITE with its payload in one buffer.
    package static func encodeFileWrite(
        handle: UInt64, payload: UnsafeRawBufferPointer, packetNumber: UInt64
    ) -> [UInt8] {
        let header = AFCHeader(
            operation: .fileWrite, packetNumber: packetNumber, headerDataLength: 8,
            payloadLength: payload.count)
        return [UInt8](unsafeUninitializedCapacity: header.entireLength) { buffer, count in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            header.encode(into: bytes)
            bytes.storeBytes(of: handle.littleEndian, toByteOffset: AFCHeader.size, as: UInt64.self)
            UnsafeMutableRawBufferPointer(rebasing: bytes[(AFCHeader.size + 8)...]).copyMemory(from: payload)
            count = header.entireLength
        }
    }

    private func layout(packetNumber: UInt64) throws(AFCWireError) -> (AFCHeader, Int?, Int?) {
        let paths = self.paths
        let firstLength = try checkedLength(paths.first)
        let secondLength = try checkedLength(paths.second)
        var headerDataLength = 8 * numbers.count
        if let firstLength { headerDataLength += firstLength + 1 }
        if let secondLength { headerDataLength += secondLength + 1 }
        var payloadLength = 0
        if case .fileWrite(_, let length) = self {
            guard length >= 0, length <= Int.max - AFCHeader.size - headerDataLength else {
                throw AFCWireError(.badArgument, "\(length) is no payload length.", subject: .fileWrite)
            }
            payloadLength = length
        }
        let header = AFCHeader(
            operation: operation, packetNumber: packetNumber, headerDataLength: headerDataLength,
            payloadLength: payloadLength)
        return (header, firstLength, secondLength)
    }

    private func checkedLength(_ path: String?) throws(AFCWireError) -> Int? {
        guard let path else { return nil }
        let length = path.utf8.count
        guard length > 0 else { throw AFCWireError(.badPath, "The path is empty.", subject: operation) }
        guard length <= Self.maximumPathLength else {
            throw AFCWireError(
                .badPath, "The path has \(length) bytes, more than \(Self.maximumPathLength).",
                subject: operation)
        }
        guard !path.utf8.contains(0) else {
            throw AFCWireError(.badPath, "The path holds a NUL.", subject: operation)
        }
        return length
    }

    private func write(
        _ header: AFCHeader, _ firstLength: Int?, _ secondLength: Int?,
        into bytes: UnsafeMutableRawBufferPointer
    ) {
        header.encode(into: bytes)
        var offset = AFCHeader.size
        let numbers = self.numbers
        func store(_ number: UInt64) {
            bytes.storeBytes(of: number.littleEndian, toByteOffset: offset, as: UInt64.self)
            offset += 8
        }
        if numbers.count > 0 { store(numbers.first) }
        if numbers.count > 1 { store(numbers.second) }
        if numbers.count > 2 { store(numbers.third) }
        func store(_ path: String?, _ length: Int?) {
            guard let path, let length else { return }
            UnsafeMutableRawBufferPointer(rebasing: bytes[offset..<(offset + length)]).copyBytes(
                from: path.utf8)
            bytes[offset + length] = 0
            offset += length + 1
        }
        let paths = self.paths
        store(paths.first, firstLength)
        store(paths.second, secondLength)
    }
}
