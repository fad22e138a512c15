import Glibc
import Platform

/// An overlay's description, stored next to its private copy, so that a search for overlays need not start a worker
/// if the description is known.
///
/// The name changes with the overlay, because it contains the name of the copy, and with the host's program, which
/// wrote the messages in the file.
struct CachedEntry {
    /// The largest file that is read, in bytes.
    private static let largest = 4 << 20

    private let path: String

    /// The stored description of `library`; nil if the program of the workers cannot be examined.
    init?(library: String, program: String) {
        var status = stat()
        guard stat(program, &status) == 0 else { return nil }
        let numbers = [
            Int64(truncatingIfNeeded: status.st_dev), Int64(truncatingIfNeeded: status.st_ino),
            Int64(status.st_size), Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec),
        ]
        path =
            library + "." + Hex.text(FNV1a.of(numbers.flatMap { withUnsafeBytes(of: $0) { Array($0) } }))
            + ".entry"
    }

    /// The stored bytes; nil if there are none from this user.
    func read() -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_size > 0, status.st_size <= Self.largest
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        return Glibc.read(descriptor, &bytes, bytes.count) == bytes.count ? bytes : nil
    }

    /// Stores bytes if possible. Otherwise the overlay is asked again the next time.
    func write(_ bytes: [UInt8]) {
        guard bytes.count <= Self.largest else { return }
        guard let file = TemporaryFile(beginning: path), writeAll(bytes, to: file.descriptor) == 0 else {
            return
        }
        _ = file.move(to: path, survivesPowerCut: false)
    }
}
