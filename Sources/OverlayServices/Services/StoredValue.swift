import Glibc
import HostErrors
import Platform

/// A value of the storage that is being read. It stays whole when another writer puts a new one in its place.
struct StoredValue: ~Copyable {
    private let descriptor: FileDescriptor
    private let key: String
    /// Bytes.
    let size: UInt64

    /// Bytes of one piece.
    private static let piece = 1 << 20

    /// Takes over an open file.
    init(_ descriptor: consuming FileDescriptor, size: UInt64, key: String) {
        self.descriptor = descriptor
        self.size = size
        self.key = key
    }

    /// Hands the bytes on in order; an empty value as one empty piece.
    func forEachPiece(_ body: ([UInt8], UInt64) throws(HostError) -> Void) throws(HostError) {
        var offset: UInt64 = 0
        repeat {
            let wanted = Int(min(UInt64(Self.piece), size - offset))
            var bytes = [UInt8](repeating: 0, count: wanted)
            let number = descriptor.number
            let filled = bytes.withUnsafeMutableBytes { readFully(number, into: $0) }
            guard filled == wanted else {
                throw OverlayStorage.failed("read", key, filled == nil ? errno : EIO)
            }
            try body(bytes, offset)
            offset += UInt64(wanted)
        } while offset < size
    }
}
