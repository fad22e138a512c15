import Glibc
import Platform
import Synchronization

/// A local file that is written under a temporary name, and removed unless it is finished.
final class LocalFile {
    private static let serial = Mutex(0)

    private let file: LocalDescriptor
    private let temporaryPath: String
    private let path: String
    /// Bytes written so far.
    private var count: UInt64 = 0
    private var isFinished = false

    /// Makes an empty file in the folder of `path`.
    static func create(
        beside path: String, _ budget: LocalFileBudget, _ context: OperationContext
    ) throws(TransportError) -> LocalFile {
        let folder = path.pathFolder.map { $0 + "/" } ?? ""
        let number = serial.withLock { serial in
            serial += 1
            return serial
        }
        let temporary = "\(folder).overlayhost-\(getpid())-\(number).part"
        let file = LocalDescriptor(temporary, for: .writing, about: path, budget, context)
        try file.use { _ in }
        return LocalFile(file, temporary, path)
    }

    static func exists(_ path: String) -> Bool {
        var status = Glibc.stat()
        return lstat(path, &status) == 0
    }

    private init(_ file: LocalDescriptor, _ temporaryPath: String, _ path: String) {
        self.file = file
        self.temporaryPath = temporaryPath
        self.path = path
    }

    deinit {
        file.close()
        if !isFinished { unlink(temporaryPath) }
    }

    /// Writes all of the bytes; returns why it could not.
    func append(_ bytes: UnsafeRawBufferPointer) -> TransportError? {
        do throws(TransportError) {
            try file.use { descriptor throws(TransportError) in
                var written = 0
                while written < bytes.count, let base = bytes.baseAddress {
                    let offset = off_t(clamping: count) + off_t(written)
                    let result = pwrite(descriptor, base + written, bytes.count - written, offset)
                    if result < 0 {
                        if errno == EINTR { continue }
                        throw TransportError(posix: errno, doing: "Writing the file", subject: path)
                    }
                    written += result
                }
            }
            count += UInt64(bytes.count)
            return nil
        } catch {
            return error
        }
    }

    /// Empties the file.
    func empty() throws(TransportError) {
        try file.use { descriptor throws(TransportError) in
            guard ftruncate(descriptor, 0) == 0 else {
                throw TransportError(posix: errno, doing: "Emptying the file", subject: path)
            }
        }
        count = 0
    }

    /// Checks the size and gives the file its name.
    func finish(size: UInt64, replacing: Bool, synchronizing: Bool) throws(TransportError) {
        try file.use { descriptor throws(TransportError) in
            var status = Glibc.stat()
            guard fstat(descriptor, &status) == 0 else {
                throw TransportError(posix: errno, doing: "Checking the file", subject: path)
            }
            guard status.st_size == Int64(clamping: size) else {
                throw TransportError(
                    .verificationFailed, "\(status.st_size) of \(size) bytes were written.", subject: path)
            }
            if synchronizing, fsync(descriptor) != 0 {
                throw TransportError(posix: errno, doing: "Writing the file to the disk", subject: path)
            }
        }
        let isNamed =
            replacing
            ? rename(temporaryPath, path) == 0 : renameWithoutReplacing(temporaryPath, to: path)
        guard isNamed else { throw TransportError(posix: errno, doing: "Naming the file", subject: path) }
        isFinished = true
    }
}
