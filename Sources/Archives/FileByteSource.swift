import FoundationEssentials
import Glibc
import Platform
import Synchronization

/// A byte source for a regular file. It reads by position through one descriptor.
///
/// ```swift
/// let book = try FileByteSource(path: "/books/emma.mobi")
/// let type = try book.read(at: 60, count: 8)
/// print(book.length, String(decoding: type, as: UTF8.self))  // the type is BOOKMOBI
/// book.close()
/// ```
public final class FileByteSource: ByteSource {
    /// The path with which it was opened.
    public let path: String
    private let size: Int64
    private let descriptor: SharedDescriptor

    /// Opens a regular file. A folder, pipe, socket or device fails with `notFound` without blocking.
    ///
    /// The descriptor is closed by `close()` or with the last reference. Child processes do not inherit it.
    public convenience init(path: String) throws(ByteSourceError) {
        try self.init(path: path, followsLink: true)
    }

    /// Opens a file. Unless `followsLink`, a symbolic link is refused.
    package convenience init(path: String, followsLink: Bool) throws(ByteSourceError) {
        // A C string would end at the NUL and name a different file.
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

    /// Takes ownership of an open descriptor. If it is not that of a regular file, closes it and throws.
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

    /// The size of the file when it was opened.
    public var length: Int64 { size }

    /// True, because the file is local.
    public var isNear: Bool { true }

    /// Reads with pread(2). Returns fewer bytes if the file was truncated in the meantime.
    public func read(at offset: Int64, count: Int) throws(ByteSourceError) -> Data {
        let offset = max(0, offset)
        // Do not allocate more than the file has. A file that has grown is read up to its original size.
        let count = Int(min(Int64(max(0, count)), max(0, size - offset)))
        // Checked even for an empty read, so that a closed source always fails.
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

    /// Closes the descriptor when no read is in progress.
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

/// An open file descriptor that several threads use. It is closed only when no thread is inside a call.
///
/// Otherwise a read could access another file that got the same descriptor number after a close.
package final class SharedDescriptor: Sendable {
    private struct State {
        let descriptor: Int32
        var users = 0
        var isClosing = false
        var isClosed = false
    }

    private let state: Mutex<State>

    /// Takes ownership of a descriptor. It is closed by `close()` or with the last reference.
    package init(owning descriptor: Int32) { state = Mutex(State(descriptor: descriptor)) }

    deinit { close() }

    /// Calls `body` with the descriptor and returns its result; nil if the descriptor was closed.
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

    /// Closes the descriptor when no thread uses it. A second call does nothing.
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
