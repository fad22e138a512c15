import CLibimobiledevice
import Glibc
import Synchronization

/// A connection to a service on the device, encrypted or not. Its input and output never block.
///
/// One thread at a time reads and writes. Any thread may call `interrupt`.
final class ServiceConnection: @unchecked Sendable {
    // One thread at a time uses `connection` and `tls`: the one that was given the connection. `descriptor` is
    // constant.
    private let connection: idevice_connection_t
    private let handle: DeviceHandle
    let descriptor: Int32
    /// Encrypts all data after the handshake.
    private var tls: TLSClient?

    var life: DeviceLifetime { handle.life }

    /// Connects; blocks, so it is called within a `LibraryCall`.
    static func open(_ handle: DeviceHandle, port: UInt16, doing: String) -> Result<
        ServiceConnection, TransportError
    > {
        var connection: idevice_connection_t?
        let result = idevice_connect(handle.pointer, port, &connection)
        if let error = TransportError(
            idevice: result.rawValue, doing: doing, subject: handle.life.udid)
        {
            return .failure(error)
        }
        guard let connection else {
            return .failure(
                TransportError(
                    .protocolViolation, "\(doing) failed. The library did not return a connection.",
                    subject: handle.life.udid)
            )
        }
        var descriptor: Int32 = -1
        guard idevice_connection_get_fd(connection, &descriptor) == IDEVICE_E_SUCCESS, descriptor >= 0 else {
            idevice_disconnect(connection)
            return .failure(
                TransportError(
                    .internalFailure, "\(doing) failed. The connection has no descriptor.",
                    subject: handle.life.udid)
            )
        }
        guard descriptor < DescriptorGuard.limit else {
            idevice_disconnect(connection)
            return .failure(DescriptorGuard.error)
        }
        return .success(ServiceConnection(connection, handle, descriptor))
    }

    private init(_ connection: idevice_connection_t, _ handle: DeviceHandle, _ descriptor: Int32) {
        self.connection = connection
        self.handle = handle
        self.descriptor = descriptor
        // If this fails, the only effect is longer waits.
        let flags = fcntl(descriptor, F_GETFL)
        if flags >= 0, flags & O_NONBLOCK == 0 { _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) }
    }

    deinit {
        // The TLS close message is sent before the socket is closed. The socket does not block.
        tls = nil
        idevice_disconnect(connection)
    }

    /// Encrypts the connection from here on. The time limit of the handshake is the silence limit.
    ///
    /// Throws `.tlsFailed` and the errors of `Waiting.wait`. After a failure the connection cannot be used.
    func enableTLS(_ identity: TLSIdentity, doing: String, _ context: OperationContext)
        throws(TransportError)
    {
        let tls = try TLSClient(identity, on: descriptor)
        let end = ContinuousClock.now.advanced(by: context.silenceLimit)
        while true {
            switch tls.handshake() {
            case .moved:
                self.tls = tls
                return
            case .wait(let events): try wait(events, context, until: end)
            case .closed, .failed:
                throw TransportError(idevice: -6, doing: doing, subject: handle.life.udid) ?? Self.broken
            }
        }
    }

    /// Waits until the descriptor is ready. Throws `.timedOut` when `end` has passed, and the errors of
    /// `Waiting.wait`.
    func wait(_ events: Int16, _ context: OperationContext, until end: ContinuousClock.Instant)
        throws(TransportError)
    {
        var descriptors = [pollfd(fd: descriptor, events: events, revents: 0)]
        guard try Waiting.wait(&descriptors, context, life: life, until: end) else { throw .silence }
    }

    /// Tells the device that no more bytes will follow. Answers can still be read.
    func endSending() {
        _ = tls?.flush()
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Ends sending, and discards incoming bytes until the device closes its end, for at most `limit`.
    ///
    /// The device carries out the requests that it has received, even if their answers are no longer needed. After it
    /// has closed its end, this connection cannot change anything more.
    func drain(within limit: Duration) {
        endSending()
        let end = ContinuousClock.now.advanced(by: limit)
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 16) { buffer in
            var descriptors = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            while ContinuousClock.now < end {
                let ready = poll(&descriptors, 1, Waiting.milliseconds(until: end))
                guard ready > 0 || (ready < 0 && errno == EINTR) else { return }
                guard ready > 0 else { continue }
                let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                guard count > 0 || (count < 0 && [EINTR, EAGAIN].contains(errno)) else { return }
            }
        }
    }

    /// Whether the device has closed its end or sent bytes that were not requested.
    var isStale: Bool {
        // Records without content may have arrived, such as TLS 1.3 tickets.
        if let tls { return tls.hasInput }
        var descriptors = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&descriptors, 1, 0) != 0
    }

    /// The result of one attempt to read or write.
    enum Outcome {
        /// This many bytes were moved, at least one.
        case moved(Int)
        /// No byte can be moved now; wait for the descriptor.
        case wouldBlock
        /// The device closed the connection.
        case closed
        /// The connection broke.
        case failed(TransportError)
    }

    /// Reads available bytes, at most the size of the buffer, which must not be empty.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        if let tls { return Self.outcome(tls.read(into: buffer)) }
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 { return .moved(count) }
            if count == 0 { return .closed }
            let number = errno
            if number == EINTR { continue }
            return Self.failure(number, doing: "Receiving from the device")
        }
    }

    /// Writes as many bytes as fit. The buffer must not be empty.
    func write(_ buffer: UnsafeRawBufferPointer) -> Outcome {
        let outcome = readyToWrite()
        return if case .moved = outcome { writeNow(buffer) } else { outcome }
    }

    /// Whether some accepted bytes have not been sent yet. `readyToWrite` sends them when the socket accepts them.
    var owesBytes: Bool { tls?.owesBytes ?? false }

    /// Tells whether `writeNow` is likely to move bytes: returns `.moved(0)` if so, otherwise the reason why not.
    func readyToWrite() -> Outcome {
        if let tls {
            let outcome = Self.outcome(tls.flush())
            return if case .moved = outcome { .moved(0) } else { outcome }
        }
        var descriptors = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&descriptors, 1, 0) > 0 else { return .wouldBlock }
        if descriptors.revents & Int16(POLLOUT) != 0 { return .moved(0) }
        return descriptors.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 ? .closed : .wouldBlock
    }

    /// Writes as many bytes as fit, after `readyToWrite` succeeded. The buffer must not be empty. With TLS all bytes
    /// are accepted, and some of them may still have to be sent.
    func writeNow(_ buffer: UnsafeRawBufferPointer) -> Outcome {
        if let tls { return Self.outcome(tls.write(buffer)) }
        while true {
            let count = send(
                descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
            if count > 0 { return .moved(count) }
            let number = errno
            if number == EINTR { continue }
            return Self.failure(number, doing: "Sending to the device")
        }
    }

    private static func outcome(_ outcome: TLSClient.Outcome) -> Outcome {
        switch outcome {
        case .moved(let count): .moved(count)
        case .wait: .wouldBlock
        case .closed: .closed
        case .failed: .failed(broken)
        }
    }

    private static var broken: TransportError {
        TransportError(.tlsFailed, "The encrypted connection broke.", hint: TransportError.reconnectHint)
    }

    private static func failure(_ number: Int32, doing: String) -> Outcome {
        switch number {
        case EAGAIN, EWOULDBLOCK: .wouldBlock
        case EPIPE, ECONNRESET, ENOTCONN, ESHUTDOWN: .closed
        default: .failed(TransportError(posix: number, doing: doing))
        }
    }
}
