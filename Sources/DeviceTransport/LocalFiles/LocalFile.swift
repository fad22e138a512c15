import Glibc
import Platform
import Synchronization

/// A local file that is written under a temporary name. It is removed unless it is finished.
final class LocalFile {
    private static let serial = Mutex(0)

    private let file: LocalDescriptor
    private let temporaryPath: String
    private let path: String
    /// The number of bytes in the file.
    private(set) var count: UInt64 = 0
    private var isFinished = false

    /// Creates a temporary file in the folder of `path`. It is empty, or continues a file that `setAside` kept.
    ///
    /// - Parameter partial: the path of the kept file, if any. That file is moved, so that no other transfer uses it.
    static func create(
        beside path: String, from partial: String? = nil, _ budget: LocalFileBudget,
        _ context: OperationContext
    ) throws(TransportError) -> LocalFile {
        let folder = path.pathFolder.map { $0 + "/" } ?? ""
        let number = serial.withLock { serial in
            serial += 1
            return serial
        }
        let temporary = "\(folder).overlayhost-\(getpid())-\(number).part"
        let left = partial.flatMap { moved($0, to: temporary) }
        let file = LocalDescriptor(
            temporary, for: left == nil ? .writing : .continuing, about: path, budget, context)
        let result = LocalFile(file, temporary, path)
        do throws(TransportError) {
            try file.use { _ in }
        } catch {
            // If this transfer did not create a file, there is none to remove.
            result.isFinished = left == nil
            throw error
        }
        result.count = left ?? 0
        return result
    }

    /// Moves a kept file and returns its size in bytes; nil if there is none. A file with several links is not moved,
    /// because it may belong to a backup.
    private static func moved(_ partial: String, to path: String) -> UInt64? {
        var status = Glibc.stat()
        guard lstat(partial, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1,
            rename(partial, path) == 0
        else { return nil }
        return UInt64(clamping: status.st_size)
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

    /// Writes all of the bytes. Returns the error if that fails.
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

    /// Truncates the file to zero.
    func empty() throws(TransportError) {
        try file.use { descriptor throws(TransportError) in
            guard ftruncate(descriptor, 0) == 0 else {
                throw TransportError(posix: errno, doing: "Emptying the file", subject: path)
            }
        }
        count = 0
    }

    /// Keeps the written bytes under another name, where a later `create` finds them. Keeps only bytes that are on
    /// disk.
    func setAside(as partial: String) {
        guard count > 0 else { return }
        do throws(TransportError) {
            let isOnDisk = try file.use { fsync($0) == 0 }
            isFinished = isOnDisk && rename(temporaryPath, partial) == 0
        } catch {
            // The file is removed, and the next transfer starts from the beginning.
        }
    }

    /// Verifies the size and renames the file.
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
