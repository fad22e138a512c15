import FoundationEssentials
import Glibc
import Platform

/// An open file of the store, closed with the last reference. Reads at positions, so any thread may.
final class CacheFile: Sendable {
    let descriptor: Int32
    let path: String

    init(_ descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    /// What fstat(2) says; nil if it fails.
    var status: stat? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status : nil
    }

    /// The bytes of a range; nil if they cannot be read or are not all there.
    func read(_ range: Range<Int64>) -> Data? {
        let count = Int(range.upperBound - range.lowerBound)
        guard count > 0 else { return Data() }
        var data = Data(count: count)
        let isRead = data.withUnsafeMutableBytes { bytes in
            var position = 0
            while position < count {
                let got = pread(
                    descriptor, bytes.baseAddress?.advanced(by: position), count - position,
                    off_t(range.lowerBound) + off_t(position))
                if got < 0, errno == EINTR { continue }
                guard got > 0 else { return false }
                position += got
            }
            return true
        }
        return isRead ? data : nil
    }

    /// The SHA-256 of the first bytes; nil if they cannot be read.
    func digest(_ length: Int64) -> String? {
        let digest = Digest(.sha256)
        var position: Int64 = 0
        while position < length {
            let end = min(position + (1 << 20), length)
            guard let bytes = read(position..<end) else { return nil }
            bytes.withUnsafeBytes { digest.add($0) }
            position = end
        }
        return digest.finish().map { Hex.text($0) }
    }
}
