import Glibc
import Platform

/// Reads local files from beginning to end.
enum SmallFile {
    /// The bytes of a file; nil unless it is a readable regular file of at most `most` bytes. Links are not followed.
    static func bytes(_ path: String, most: off_t) -> [UInt8]? {
        guard let file = FileDescriptor(opening: path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW),
            let status = file.status, status.st_mode & S_IFMT == S_IFREG, status.st_size <= most
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let number = file.number
        let count = bytes.withUnsafeMutableBytes { readFully(number, into: $0) }
        return count == bytes.count ? bytes : nil
    }

    /// Passes each line, without its end, to `take`, until `take` returns false. A large file is never completely in
    /// memory.
    ///
    /// - Returns: false unless the path is a readable regular file of at most `most` bytes, its last line has an end,
    ///   and `take` returned true for all lines. Links are not followed.
    static func lines(_ path: String, most: off_t, _ take: (ArraySlice<UInt8>) -> Bool) -> Bool {
        guard let file = FileDescriptor(opening: path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW),
            let status = file.status, status.st_mode & S_IFMT == S_IFREG, status.st_size <= most
        else { return false }
        var left = Int(status.st_size)
        var rest: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: min(left, 1 << 20))
        while left > 0 {
            let wanted = min(left, chunk.count)
            let number = file.number
            let count = chunk.withUnsafeMutableBytes {
                readFully(number, into: UnsafeMutableRawBufferPointer(rebasing: $0[..<wanted]))
            }
            guard count == wanted else { return false }
            left -= wanted
            // The rest of the previous chunk does not contain the end of a line.
            var (start, searched) = (0, rest.count)
            rest += chunk[..<wanted]
            while let end = rest[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                guard take(rest[start..<end]) else { return false }
                (start, searched) = (end + 1, end + 1)
            }
            rest.removeSubrange(..<start)
        }
        return rest.isEmpty
    }
}
