import OverlayABI
import OverlayBridge

extension TransportService {
    /// Receives a file in consecutive pieces: ``OverlayKit/ChunkHandler``.
    public typealias ChunkHandler = OverlayKit.ChunkHandler

    /// Reads `length` bytes (nil: to the end) from `offset`, in pieces.
    public func read(
        _ root: Root, _ path: String, offset: UInt64 = 0, length: UInt64? = nil, each: ChunkHandler
    ) throws(OverlayError) {
        let arena = Arena()
        var view = arena.text(path)
        try ChunkedRead.receive(each) { (sink) throws(OverlayError) in
            try ServiceCall.perform(table.read, "transport.read") {
                $0(table.ctx, root.rawValue, &view, offset, length ?? .max, sink, $1)
            }
        }
        withExtendedLifetime(arena) {}
    }

    /// Reads a file of known size in pieces, each with the size of the file.
    ///
    /// - Parameters:
    ///   - root: the root of the path.
    ///   - path: the path of the file.
    ///   - size: the size in bytes that a listing has reported.
    ///   - subject: the name of the file in errors; nil for its path.
    ///   - each: receives each piece, its offset, and the size of the file.
    /// - Throws: `verificationFailed` if the device sends another number of bytes, so that a damaged copy is never
    ///   accepted.
    public func readWhole(
        _ root: Root, _ path: String, size: UInt64, subject: String? = nil, each: ChunkHandler
    ) throws(OverlayError) {
        var received: UInt64 = 0
        try read(root, path, offset: 0, length: size) { chunk, offset, _ throws(OverlayError) in
            received += UInt64(chunk.count)
            try each(chunk, offset, size)
        }
        guard received == size else {
            throw OverlayError(
                .verificationFailed, "Received only \(received) of \(size) bytes.", subject: subject ?? path,
                hint: "Try again. If it fails again, the file on the device is damaged.", retryable: true)
        }
    }

    /// Reads a whole file, or a range of it, into memory.
    ///
    /// - Throws: `damaged` if the result would be larger than `limit` bytes.
    public func readAll(
        _ root: Root, _ path: String, offset: UInt64 = 0, length: UInt64? = nil, limit: Int
    ) throws(OverlayError) -> [UInt8] {
        var bytes: [UInt8] = []
        try read(root, path, offset: offset, length: length) { (chunk, _, total) throws(OverlayError) in
            guard chunk.count <= limit - bytes.count else {
                throw OverlayError(.damaged, "The file is larger than \(limit) bytes.", subject: path)
            }
            if bytes.isEmpty, let total { bytes.reserveCapacity(Int(clamping: min(total, UInt64(limit)))) }
            bytes.append(contentsOf: chunk)
        }
        return bytes
    }

    /// Writes a complete file, and replaces an existing one.
    ///
    /// `verifyDigest`: whether to verify the content by digest, not only the size. Reads the file back.
    public func write(
        _ root: Root, _ path: String, _ bytes: UnsafeRawBufferPointer, verifyDigest: Bool = false
    ) throws(OverlayError) {
        let arena = Arena()
        var view = arena.text(path)
        // A null address would mean absent bytes, so use another address for empty bytes.
        let address = bytes.baseAddress ?? UnsafeRawPointer(arena.allocate(0))
        var content = ovl_bytes(data: address.assumingMemoryBound(to: UInt8.self), size: UInt64(bytes.count))
        try ServiceCall.perform(table.write, "transport.write") {
            $0(table.ctx, root.rawValue, &view, &content, verifyDigest ? OVL_WRITE_VERIFY_DIGEST : 0, $1)
        }
        withExtendedLifetime(arena) {}
    }

    /// Writes a complete file, and replaces an existing one.
    public func write(
        _ root: Root, _ path: String, _ bytes: [UInt8], verifyDigest: Bool = false
    ) throws(OverlayError) {
        let result: Result<Void, OverlayError> = bytes.withUnsafeBytes { buffer in
            Result { () throws(OverlayError) in try write(root, path, buffer, verifyDigest: verifyDigest) }
        }
        try result.get()
    }

    /// Reads `length` bytes (nil: to the end) of a lent host file from `offset`, in pieces.
    public func localRead(
        _ file: HostFile, offset: UInt64 = 0, length: UInt64? = nil, each: ChunkHandler
    ) throws(OverlayError) {
        try ChunkedRead.receive(each) { (sink) throws(OverlayError) in
            try ServiceCall.perform(table.local_read, "transport.local_read") {
                $0(table.ctx, file.rawValue, offset, length ?? .max, sink, $1)
            }
        }
    }
}
