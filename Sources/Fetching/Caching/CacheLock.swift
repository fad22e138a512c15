import FoundationEssentials
import Glibc
import Platform

/// The lock between all users of one store, threads and processes: shared to look at an entry, exclusive to change the set of
/// entries. The locked file holds the bytes in use, so that nobody has to count them.
final class CacheLock: Sendable {
    private let file: CacheFile

    init(_ folder: String, exclusive: Bool) throws(CacheError) {
        let path = folder + "/lock"
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw CacheFileSystem.failure(path, errno) }
        file = CacheFile(descriptor, path: path)
        while flock(descriptor, exclusive ? LOCK_EX : LOCK_SH) != 0 {
            guard errno == EINTR else { throw CacheFileSystem.failure(path, errno) }
        }
    }

    /// Lets others in; also happens with the last reference.
    func release() { flock(file.descriptor, LOCK_UN) }

    /// The bytes in use; nil if nobody has counted them or the file is damaged.
    var usage: Int64? {
        guard let size = file.status?.st_size, size > 0, size <= 20,
            let text = file.read(0..<Int64(size))
        else { return nil }
        return ASCII.number(ASCII.trimmed(String(decoding: text, as: UTF8.self)))
    }

    /// Records the bytes in use, always in as many digits.
    func record(usage: Int64) throws(CacheError) {
        let digits = Array(max(0, usage).padded(19).utf8)
        let written = digits.withUnsafeBytes { pwrite(file.descriptor, $0.baseAddress, $0.count, 0) }
        guard written == digits.count else { throw CacheFileSystem.failure(file.path, errno) }
    }
}
