/// Takes numbers and paths from the bytes after a header, in order.
struct AFCBodyReader {
    var bytes: ArraySlice<UInt8>
    let operation: AFCOperation

    mutating func number() throws(AFCWireError) -> UInt64 {
        guard bytes.count >= 8 else {
            throw AFCWireError(.truncated, "A number of 8 bytes is missing.", subject: operation)
        }
        let value = bytes.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
        bytes = bytes.dropFirst(8)
        return value
    }

    mutating func path() throws(AFCWireError) -> String {
        let end = bytes.firstIndex(of: 0) ?? bytes.endIndex
        let content = bytes[bytes.startIndex..<end]
        guard !content.isEmpty else {
            throw AFCWireError(.badPath, "A path is missing or empty.", subject: operation)
        }
        guard content.count <= AFCRequest.maximumPathLength else {
            throw AFCWireError(
                .badPath, "A path has \(content.count) bytes, more than \(AFCRequest.maximumPathLength).",
                subject: operation)
        }
        guard let path = String(validating: content, as: UTF8.self) else {
            throw AFCWireError(.badPath, "A path is not UTF-8.", subject: operation)
        }
        bytes = bytes[end...].dropFirst()
        return path
    }

    func finish() throws(AFCWireError) {
        guard bytes.allSatisfy({ $0 == 0 }) else {
            throw AFCWireError(.badArgument, "\(bytes.count) bytes follow the arguments.", subject: operation)
        }
    }
}
