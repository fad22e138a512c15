import Glibc
import Platform

/// The content of an upload, read piece by piece from memory or from a local file.
///
/// Used by the thread of the run that sends it.
final class ContentReader {
    private enum Source {
        case bytes([UInt8])
        case file(LocalDescriptor, String)
    }

    private let source: Source
    /// The size in bytes.
    let size: UInt64
    /// The digest of the bytes that were sent; nil if it is not needed.
    let digest: Digest?

    /// Examines the source. A file must be a regular file. It stays closed until it is read.
    init(
        _ upload: UploadSource, digesting: Bool, _ budget: LocalFileBudget, _ context: OperationContext
    ) throws(TransportError) {
        digest = digesting ? Digest(.sha256) : nil
        switch upload {
        case .bytes(let bytes):
            source = .bytes(bytes)
            size = UInt64(bytes.count)
        case .file(let path):
            let file = LocalDescriptor(path, for: .reading, about: path, budget, context)
            size = try file.use(keeping: false) { descriptor throws(TransportError) in
                var status = Glibc.stat()
                guard fstat(descriptor, &status) == 0 else {
                    throw TransportError(posix: errno, doing: "Reading the file", subject: path)
                }
                guard status.st_mode & S_IFMT == S_IFREG else {
                    throw TransportError(
                        status.st_mode & S_IFMT == S_IFDIR ? .isFolder : .invalidArgument,
                        "This is not a regular file.", subject: path)
                }
                return UInt64(max(status.st_size, 0))
            }
            source = .file(file, path)
        }
    }

    deinit { close() }

    /// Closes a file. It is opened again if more is read.
    private func close() { if case .file(let file, _) = source { file.close() } }

    /// Passes bytes in memory to `write`, which returns how many it sent. Returns nil if the bytes must be read from
    /// a file.
    func lend(_ offset: UInt64, _ count: Int, _ write: (UnsafeRawBufferPointer) -> Int) -> Int? {
        guard case .bytes(let bytes) = source, let start = Int(exactly: offset), start <= bytes.count,
            bytes.count - start >= count
        else { return nil }
        return bytes.withUnsafeBytes { all in
            let sent = write(UnsafeRawBufferPointer(rebasing: all[start..<(start + count)]))
            self.count(UnsafeRawBufferPointer(rebasing: all[start..<(start + sent)]))
            return sent
        }
    }

    /// Whether a local file still has this modification time, in nanoseconds since 1970. Content in memory does not
    /// change.
    func isStill(of modified: Int64?) throws(TransportError) -> Bool {
        guard case .file(let file, _) = source else { return true }
        return try file.use(keeping: false) { descriptor throws(TransportError) in
            var status = Glibc.stat()
            guard fstat(descriptor, &status) == 0 else { return false }
            let time = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
            return time == modified && UInt64(clamping: status.st_size) == size
        }
    }

    /// Adds the next bytes that were sent to the digest.
    func count(_ bytes: UnsafeRawBufferPointer) { digest?.add(bytes) }

    /// Fills the buffer from an offset. Throws if the file has become shorter.
    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) {
        switch source {
        case .bytes(let bytes):
            guard let start = Int(exactly: offset), start <= bytes.count, bytes.count - start >= buffer.count
            else {
                throw TransportError(.internalFailure, "An upload was read beyond its end.")
            }
            bytes.withUnsafeBytes {
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<(start + buffer.count)]))
            }
        case .file(let file, let path):
            try file.use { descriptor throws(TransportError) in
                var filled = 0
                while filled < buffer.count, let base = buffer.baseAddress {
                    let position = off_t(clamping: offset) + off_t(filled)
                    let count = pread(descriptor, base + filled, buffer.count - filled, position)
                    if count < 0 {
                        if errno == EINTR { continue }
                        throw TransportError(posix: errno, doing: "Reading the file", subject: path)
                    }
                    if count == 0 {
                        throw TransportError(
                            .verificationFailed, "The file became shorter while it was being sent.",
                            subject: path)
                    }
                    filled += count
                }
            }
            if offset + UInt64(buffer.count) >= size { close() }
        }
    }
}
