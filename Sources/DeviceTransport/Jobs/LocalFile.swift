import CSystemShims
import Glibc
import Synchronization

/// A file of this computer that is being written under a temporary name, and removed unless it is finished.
final class LocalFile {
    private static let serial = Mutex(0)

    private let descriptor: Int32
    private let temporaryPath: String
    private let path: String
    private var isFinished = false

    /// Makes an empty file in the folder of `path`.
    static func create(beside path: String) throws(TransportError) -> LocalFile {
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        let number = serial.withLock { serial in
            serial += 1
            return serial
        }
        let temporary = "\(folder).overlayhost-\(getpid())-\(number).part"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else {
            throw TransportError(posix: errno, doing: "creating the file", subject: path)
        }
        return LocalFile(descriptor, temporary, path)
    }

    static func exists(_ path: String) -> Bool {
        var status = Glibc.stat()
        return lstat(path, &status) == 0
    }

    private init(_ descriptor: Int32, _ temporaryPath: String, _ path: String) {
        self.descriptor = descriptor
        self.temporaryPath = temporaryPath
        self.path = path
    }

    deinit {
        close(descriptor)
        if !isFinished { unlink(temporaryPath) }
    }

    /// Writes all of the bytes; returns why it could not.
    func append(_ bytes: UnsafeRawBufferPointer) -> TransportError? {
        var written = 0
        while written < bytes.count, let base = bytes.baseAddress {
            let count = write(descriptor, base + written, bytes.count - written)
            if count < 0 {
                if errno == EINTR { continue }
                return TransportError(posix: errno, doing: "writing the file", subject: path)
            }
            written += count
        }
        return nil
    }

    /// Begins again; returns whether that worked.
    func empty() -> Bool { ftruncate(descriptor, 0) == 0 && lseek(descriptor, 0, SEEK_SET) == 0 }

    /// Checks the size and gives the file its name.
    func finish(size: UInt64, replacing: Bool, synchronizing: Bool) throws(TransportError) {
        var status = Glibc.stat()
        guard fstat(descriptor, &status) == 0 else {
            throw TransportError(posix: errno, doing: "checking the file", subject: path)
        }
        guard status.st_size == Int64(clamping: size) else {
            throw TransportError(
                .verificationFailed, "\(status.st_size) of \(size) bytes were written", subject: path)
        }
        if synchronizing, fsync(descriptor) != 0 {
            throw TransportError(posix: errno, doing: "writing the file to the disk", subject: path)
        }
        let result = replacing ? rename(temporaryPath, path) : shim_rename_noreplace(temporaryPath, path)
        guard result == 0 else { throw TransportError(posix: errno, doing: "naming the file", subject: path) }
        isFinished = true
    }
}
