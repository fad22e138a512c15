extension AFCRequest {
    /// Encodes the header and the header data. The payload of FILE_WRITE is included in the length and must follow in
    /// the same send.
    ///
    /// Throws `badPath` for a path that is empty, contains a NUL or is too long, and `badArgument` for a negative
    /// payload length.
    package func encode(packetNumber: UInt64) throws(WireError) -> [UInt8] {
        let (header, firstLength, secondLength) = try layout(packetNumber: packetNumber)
        return [UInt8](unsafeUninitializedCapacity: header.thisLength) { buffer, count in
            write(header, firstLength, secondLength, into: UnsafeMutableRawBufferPointer(buffer))
            count = header.thisLength
        }
    }

    /// Encodes a complete FILE_WRITE with its payload.
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

    private func layout(packetNumber: UInt64) throws(WireError) -> (AFCHeader, Int?, Int?) {
        let paths = self.paths
        let firstLength = try checkedLength(paths.first)
        let secondLength = try checkedLength(paths.second)
        var headerDataLength = 8 * numbers.count
        if let firstLength { headerDataLength += firstLength + 1 }
        if let secondLength { headerDataLength += secondLength + 1 }
        var payloadLength = 0
        if case .fileWrite(_, let length) = self {
            guard length >= 0, length <= Int.max - AFCHeader.size - headerDataLength else {
                throw WireError(
                    .badArgument, "A payload cannot have \(length) bytes.",
                    subject: AFCOperation.fileWrite.name)
            }
            payloadLength = length
        }
        let header = AFCHeader(
            operation: operation, packetNumber: packetNumber, headerDataLength: headerDataLength,
            payloadLength: payloadLength)
        return (header, firstLength, secondLength)
    }

    private func checkedLength(_ path: String?) throws(WireError) -> Int? {
        guard let path else { return nil }
        let length = path.utf8.count
        guard length > 0 else { throw WireError(.badPath, "The path is empty.", subject: operation.name) }
        guard length <= Self.maximumPathLength else {
            throw WireError(
                .badPath, "The path has \(length) bytes, more than \(Self.maximumPathLength).",
                subject: operation.name)
        }
        guard !path.utf8.contains(0) else {
            throw WireError(.badPath, "The path holds a NUL.", subject: operation.name)
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

extension AFCRequest {
    /// Decodes a request from its header and the bytes after it.
    ///
    /// For FILE_WRITE, `body` needs only the handle; the caller reads the payload, which has `header.payloadLength`
    /// bytes. For all other requests it is everything after the header. Some clients omit the NUL of the last path or
    /// append further NULs, and both are accepted. Throws `unknownOperation`, `truncated`, `badPath` or
    /// `badArgument`. After each of these errors, the next packet can still be read.
    package static func decode(_ header: AFCHeader, body: [UInt8]) throws(WireError) -> AFCRequest {
        var reader = AFCBodyReader(bytes: body[...], operation: header.operation)
        let request = try decode(header, from: &reader)
        if header.operation != .fileWrite { try reader.finish() }
        return request
    }

    private static func decode(
        _ header: AFCHeader, from reader: inout AFCBodyReader
    ) throws(WireError) -> AFCRequest {
        switch header.operation {
        case .readDirectory: return .readDirectory(path: try reader.path())
        case .truncate:
            let size = try reader.number()
            return .truncate(path: try reader.path(), size: size)
        case .removePath: return .removePath(path: try reader.path())
        case .makeDirectory: return .makeDirectory(path: try reader.path())
        case .getFileInfo: return .getFileInfo(path: try reader.path())
        case .getDeviceInfo: return .getDeviceInfo
        case .fileOpen:
            let mode = try reader.number()
            return .fileOpen(path: try reader.path(), mode: mode)
        case .fileRead: return .fileRead(handle: try reader.number(), length: try reader.number())
        case .fileWrite:
            return .fileWrite(handle: try reader.number(), payloadLength: header.payloadLength)
        case .fileSeek:
            return .fileSeek(
                handle: try reader.number(), origin: try reader.number(),
                offset: Int64(bitPattern: try reader.number()))
        case .fileTell: return .fileTell(handle: try reader.number())
        case .fileClose: return .fileClose(handle: try reader.number())
        case .fileSetSize: return .fileSetSize(handle: try reader.number(), size: try reader.number())
        case .renamePath: return .renamePath(from: try reader.path(), to: try reader.path())
        case .fileLock: return .fileLock(handle: try reader.number(), operation: try reader.number())
        case .makeLink:
            return .makeLink(kind: try reader.number(), target: try reader.path(), link: try reader.path())
        case .setFileModTime:
            let nanoseconds = try reader.number()
            return .setFileModTime(path: try reader.path(), nanoseconds: nanoseconds)
        case .removePathAndContents: return .removePathAndContents(path: try reader.path())
        default:
            throw WireError(.unknownOperation, "Unknown operation.", subject: header.operation.name)
        }
    }
}

/// Reads numbers and paths from the bytes after a header, in order.
struct AFCBodyReader {
    var bytes: ArraySlice<UInt8>
    let operation: AFCOperation

    mutating func number() throws(WireError) -> UInt64 {
        guard bytes.count >= 8 else {
            throw WireError(.truncated, "A number of 8 bytes is missing.", subject: operation.name)
        }
        let value = bytes.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
        bytes = bytes.dropFirst(8)
        return value
    }

    mutating func path() throws(WireError) -> String {
        let end = bytes.firstIndex(of: 0) ?? bytes.endIndex
        let content = bytes[bytes.startIndex..<end]
        guard !content.isEmpty else {
            throw WireError(.badPath, "A path is missing or empty.", subject: operation.name)
        }
        guard content.count <= AFCRequest.maximumPathLength else {
            throw WireError(
                .badPath, "A path has \(content.count) bytes, more than \(AFCRequest.maximumPathLength).",
                subject: operation.name)
        }
        guard let path = String(validating: content, as: UTF8.self) else {
            throw WireError(.badPath, "A path is not UTF-8.", subject: operation.name)
        }
        bytes = bytes[end...].dropFirst()
        return path
    }

    func finish() throws(WireError) {
        guard bytes.allSatisfy({ $0 == 0 }) else {
            throw WireError(
                .badArgument, "\(bytes.count) bytes follow the arguments.", subject: operation.name)
        }
    }
}
