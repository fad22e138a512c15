import Glibc
import HostErrors

/// A value of the storage that is being read. It stays whole when another writer puts a new one in its place.
struct StoredValue {
    private let descriptor: Int32
    private let key: String
    /// Bytes.
    let size: UInt64

    /// Bytes of one piece.
    private static let piece = 1 << 20

    /// Takes over an open file.
    init(_ descriptor: Int32, size: UInt64, key: String) {
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
            var filled = 0
            while filled < wanted {
                let count = bytes.withUnsafeMutableBytes {
                    read(descriptor, $0.baseAddress.map { $0 + filled }, wanted - filled)
                }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw OverlayStorage.failed("read", key, count < 0 ? errno : EIO) }
                filled += count
            }
            try body(bytes, offset)
            offset += UInt64(wanted)
        } while offset < size
    }

    /// Closes the file.
    func close() { _ = Glibc.close(descriptor) }
}
