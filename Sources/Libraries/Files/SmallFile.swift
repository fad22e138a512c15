import Glibc
import Platform

/// A local file that is read as a whole.
enum SmallFile {
    /// Its bytes; nil unless it is a regular file of at most `most` bytes that can be read. Links are not followed.
    static func bytes(_ path: String, most: off_t) -> [UInt8]? {
        guard let file = FileDescriptor(opening: path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW),
            let status = file.status, status.st_mode & S_IFMT == S_IFREG, status.st_size <= most
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let number = file.number
        let count = bytes.withUnsafeMutableBytes { readFully(number, into: $0) }
        return count == bytes.count ? bytes : nil
    }
}
