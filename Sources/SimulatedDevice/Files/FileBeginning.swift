import FoundationEssentials
import Glibc

/// Reads the first bytes of a file on the host's disk. The file may be of any length.
enum FileBeginning {
    /// At most `length` bytes of a regular file. Throws `POSIXError`.
    static func read(_ path: String, length: Int) throws -> [UInt8] {
        // Without this flag, opening a pipe would wait for a writer.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw failure() }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw failure() }
        guard status.st_mode & S_IFMT == S_IFREG else { throw POSIXError(.EINVAL) }
        var bytes = [UInt8](repeating: 0, count: min(length, Int(status.st_size) + 1))
        var end = 0
        while end < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[end...])
                return pread(file, rest.baseAddress, rest.count, off_t(end))
            }
            guard count >= 0 else { throw failure() }
            if count == 0 { break }
            end += count
        }
        return Array(bytes.prefix(end))
    }

    private static func failure() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
