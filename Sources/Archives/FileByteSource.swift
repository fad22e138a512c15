import FoundationEssentials
import Glibc
import Platform
import Synchronization

/// A regular file as a source of bytes, read by position through one descriptor.
public final class FileByteSource: ByteSource {
    /// The path it was opened by.
    public let path: String
    private let size: Int64
    private let descriptor: SharedDescriptor

    /// Opens a regular file; a folder, pipe, socket or device is `notFound` and is not waited for.
    ///
    /// The descriptor is closed by `close()` or with the last reference, and is not inherited by programs.
    public convenience init(path: String) throws(ByteSourceError) {
        try self.init(path: path, followsLink: true)
    }

    /// Opens a file, and unless `followsLink` none that is a symbolic link.
    package convenience init(path: String, followsLink: Bool) throws(ByteSourceError) {
        // A C string would end at the NUL and name another file.
        guard !path.utf8.contains(0) else {
            throw ByteSourceError(.notFound, "The path contains a NUL.", subject: path)
        }
        let opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (followsLink ? 0 : O_NOFOLLOW))
        guard followsLink || opened >= 0 || errno != ELOOP else {
            throw ByteSourceError(.notFound, "This is a link, which is not followed.", subject: path)
        }
        guard opened >= 0 else { throw ByteSourceError(errno: errno, subject: path) }
        try self.init(owning: opened, path: path)
    }

    /// Takes over an open descriptor, and closes it if it is not that of a regular file.
    package init(owning descriptor: Int32, path: String) throws(ByteSourceError) {
        self.path = path
        self.descriptor = SharedDescriptor(owning: descriptor)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw ByteSourceError(errno: errno, subject: path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw ByteSourceError(.notFound, "This is not a regular file.", subject: path)
        }
        size = Int64(status.st_size)
    }

    /// The size the file had when it was opened.
    public var length: Int64 { size }

    /// Near.
    public var isNear: Bool { true }

    /// Reads with pread(2). A file that was cut short meanwhile gives fewer bytes.
    public func read(at offset: Int64, count: Int) throws(ByteSourceError) -> Data {
        let offset = max(0, offset)
        // Not reserving more than the file has; one that grew is read up to the size it had.
        let count = Int(min(Int64(max(0, count)), max(0, size - offset)))
        // Asked also for nothing, so that a closed source always says so.
        guard count > 0 else {
            _ = try fill(at: offset, into: UnsafeMutableRawBufferPointer(start: nil, count: 0))
            return Data()
        }
        return try Data.filling(count) { buffer throws(ByteSourceError) in
            try fill(at: offset, into: buffer)
        }
    }

    /// Reads with pread(2) into the caller's memory.
    public func read(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(ByteSourceError) -> Int {
        try fill(at: max(0, offset), into: buffer)
    }

    /// Closes the descriptor once no read is under way.
    public func close() { descriptor.close() }

    private func fill(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(ByteSourceError) -> Int {
        let read = try descriptor.use { descriptor throws(ByteSourceError) in
            guard let count = readFully(descriptor, into: buffer, at: offset) else {
                throw ByteSourceError(errno: errno, subject: path)
            }
            return count
        }
        guard let read else { throw .closed(path) }
        return read
    }
}

/// An open file descriptor that several threads use, and that is closed only when none is inside a call any more.
///
/// Without this a read could meet another file that was given the same number after a close.
package final class SharedDescriptor: Sendable {
    private struct State {
        let descriptor: Int32
        var users = 0
        var isClosing = false
        var isClosed = false
    }

    private let state: Mutex<State>

    /// Takes over a descriptor, which is closed with `close()` or with the last reference.
    package init(owning descriptor: Int32) { state = Mutex(State(descriptor: descriptor)) }

    deinit { close() }

    /// What `body` does with the descriptor; nil if it was closed before.
    package func use<Value, Failure: Error>(
        _ body: (Int32) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        let entered: Int32? = state.withLock { state in
            guard !state.isClosing else { return nil }
            state.users += 1
            return state.descriptor
        }
        guard let entered else { return nil }
        defer { leave() }
        return try body(entered)
    }

    /// Closes the descriptor once no thread uses it. A second call does nothing.
    package func close() {
        finish { $0.isClosing = true }
    }

    private func leave() {
        finish { $0.users -= 1 }
    }

    private func finish(_ change: (inout State) -> Void) {
        let closable: Int32? = state.withLock { state in
            change(&state)
            guard state.isClosing, !state.isClosed, state.users == 0 else { return nil }
            state.isClosed = true
            return state.descriptor
        }
        if let closable { _ = Glibc.close(closable) }
    }
}
