import Diagnostics
import Glibc
import Platform

/// The device's end of a connection: a socket, encrypted from `startTLS` to `stopTLS`.
///
/// It does not read ahead while encryption may begin or end after a message. Answers to encrypted requests that
/// arrived together are sent together, at the latest when the service would wait for anything.
final class ConnectionStream: ServiceStream, @unchecked Sendable {
    private let socket: SocketHandle
    private let counters: DeviceCounters
    // Touched only by the thread that serves the connection.
    private var tls: TLSChannel?
    private var unsent: [UInt8] = []
    /// The largest number of bytes sent at once. It is the size of a TLS record, so that no answer is split.
    private static let mostUnsent = 16 << 10

    init(socket: SocketHandle, counters: DeviceCounters) {
        self.socket = socket
        self.counters = counters
    }

    func read(exactly count: Int) throws -> [UInt8]? {
        guard count > 0 else { return [] }
        if count > tls?.decrypted ?? 0 { try flush() }
        var filled = 0
        let before = tls?.bytesRead ?? 0
        let bytes = try [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            defer { initialized = filled }
            while filled < count {
                let rest = UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
                let received = try tls?.read(into: rest) ?? receive(into: rest)
                guard received > 0 else { break }
                filled += received
            }
        }
        let arrived = tls.map { $0.bytesRead - before } ?? UInt64(filled)
        counters.count(received: arrived)
        if filled == 0 { return nil }
        guard filled == count else {
            throw SimulationError(.disconnected, "The connection ended inside a message.")
        }
        return bytes
    }

    func write(_ bytes: [UInt8]) throws {
        guard let tls, tls.decrypted > 0 || !unsent.isEmpty, bytes.count <= Self.mostUnsent else {
            try flush()
            return try deliver(bytes)
        }
        if unsent.count + bytes.count > Self.mostUnsent { try flush() }
        unsent += bytes
        if tls.decrypted == 0 { try flush() }
    }

    /// Sends the bytes that were held back.
    private func flush() throws {
        guard !unsent.isEmpty else { return }
        let bytes = unsent
        unsent.removeAll(keepingCapacity: true)
        try deliver(bytes)
    }

    private func deliver(_ bytes: [UInt8]) throws {
        let before = tls?.bytesWritten ?? 0
        try bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let piece = UnsafeRawBufferPointer(rebasing: rest)
                let sent = try tls?.write(piece) ?? transmit(piece)
                rest = rest[(rest.startIndex + sent)...]
            }
        }
        let sent = tls.map { $0.bytesWritten - before } ?? UInt64(bytes.count)
        counters.count(sent: sent)
    }

    func close() {
        flushBeforeClosing()
        socket.cut()
    }

    /// Sends the bytes that were held back before the connection ends.
    private func flushBeforeClosing() {
        do {
            try flush()
        } catch {
            // The client has gone.
            return
        }
    }

    func pause(_ duration: Duration) throws {
        try flush()
        if try wait(for: [pollfd(fd: socket.descriptor, events: 0, revents: 0)], at: .now + duration) != nil {
            throw SimulationError(.disconnected, "The connection ended.")
        }
    }

    /// Waits until the client has sent something or has gone. Returns false if `limit` passed without either.
    ///
    /// The limit is evaluated several times a second, so it may change during the wait.
    func waitForInput(within limit: () -> Duration) throws -> Bool {
        if tls?.hasBufferedInput == true { return true }
        try flush()
        let start = ContinuousClock.now
        let input = [pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)]
        while true {
            let end = start + limit()
            let look = min(end, .now + .milliseconds(100))
            if try wait(for: input, at: look) != nil { return true }
            if end <= .now { return false }
        }
    }

    /// Waits until the client has sent something or `event` is readable. Returns true in the first case.
    func waitForInput(orEvent event: Int32) throws -> Bool {
        if tls?.hasBufferedInput == true { return true }
        try flush()
        let first = try wait(
            for: [
                pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: event, events: Int16(POLLIN), revents: 0),
            ], at: nil)
        return first == 0
    }

    /// Encrypts the connection from here on, as the server. Blocks until the handshake is complete. With `toTheEnd`,
    /// the connection stays encrypted until it ends, and no service waits for its input and an event together.
    func startTLS(_ context: TLSContext, toTheEnd: Bool = false) throws {
        tls = try TLSChannel(accepting: socket.descriptor, context: context, toTheEnd: toTheEnd)
    }

    /// Closes the TLS session and continues in plain text.
    ///
    /// The client often closes the connection without reading the answer, which is not an error.
    func stopTLS() {
        flushBeforeClosing()
        tls?.end()
        tls = nil
    }

    private func receive(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        while true {
            let received = recv(socket.descriptor, buffer.baseAddress, buffer.count, 0)
            if received >= 0 { return received }
            switch errno {
            case EINTR: continue
            // A client that closes with unread data resets the connection. It has ended either way.
            case ECONNRESET: return 0
            default: throw SimulationError.system("recv")
            }
        }
    }

    private func transmit(_ bytes: UnsafeRawBufferPointer) throws -> Int {
        while true {
            let sent = send(socket.descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if sent >= 0 { return sent }
            switch errno {
            case EINTR: continue
            case EPIPE, ECONNRESET:
                throw SimulationError(
                    .disconnected, "The client closed the connection.", native: .posix(errno))
            default: throw SimulationError.system("send")
            }
        }
    }

    /// The index of the first descriptor with an event; nil if `deadline` has passed.
    private func wait(for descriptors: [pollfd], at deadline: ContinuousClock.Instant?) throws -> Int? {
        var descriptors = descriptors
        while true {
            let left = deadline.map { max(.zero, $0 - .now) }
            let count = pollOnce(&descriptors, timeout: left)
            if count > 0 { return descriptors.firstIndex { $0.revents != 0 } }
            if count == 0 { return nil }
            guard errno == EINTR else { throw SimulationError.system("ppoll") }
        }
    }
}

/// One connection to a service of the simulated device, as the service sees it.
///
/// Calls block. Only the thread that serves the connection reads and writes; `close` may be called from any thread
/// and ends a blocked call.
package protocol ServiceStream: AnyObject, Sendable {
    /// Reads the next `count` bytes; nil if the client closed the connection before the first of them.
    ///
    /// Throws if the connection ends before all bytes have arrived.
    func read(exactly count: Int) throws -> [UInt8]?

    /// Sends `bytes` in one write, so that a client that receives a header with one call gets all of it.
    func write(_ bytes: [UInt8]) throws

    /// Closes the connection in both directions. A second call does nothing.
    func close()

    /// Waits for `duration`; throws immediately if the connection ends during that time.
    func pause(_ duration: Duration) throws
}
