import Glibc
import HostErrors
import Platform

/// An open value of the storage. It remains complete if another writer replaces it.
struct StoredValue: ~Copyable {
    private let descriptor: FileDescriptor
    private let key: String
    /// The size in bytes.
    let size: UInt64

    /// The size of a piece in bytes.
    private static let piece = 1 << 20

    /// Takes ownership of an open file.
    init(_ descriptor: consuming FileDescriptor, size: UInt64, key: String) {
        self.descriptor = descriptor
        self.size = size
        self.key = key
    }

    /// Passes the bytes to `body` in order. An empty value is passed as one empty piece.
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
