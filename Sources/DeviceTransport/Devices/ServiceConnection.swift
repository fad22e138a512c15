import CLibimobiledevice
import Glibc
import Synchronization

/// A connection to a service on the device, encrypted or not, with input and output that never block.
///
/// One thread at a time reads and writes; any thread may call `interrupt`.
final class ServiceConnection: @unchecked Sendable {
    // `connection` is used by one thread at a time: the one that was given the connection. `descriptor` is constant.
    private let connection: idevice_connection_t
    private let handle: DeviceHandle
    let descriptor: Int32
    private(set) var usesTLS = false
    /// Reads in a row that failed although bytes were waiting.
    private var fruitlessReads = 0

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
        setBlocking(false)
    }

    /// Sets whether the socket blocks. A failure would only make waits longer.
    private func setBlocking(_ blocks: Bool) {
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0 else { return }
        let wanted = blocks ? flags & ~O_NONBLOCK : flags | O_NONBLOCK
        if wanted != flags { _ = fcntl(descriptor, F_SETFL, wanted) }
    }

    deinit {
        // The socket does not block, so this does not wait for the answer to the end of TLS.
        idevice_disconnect(connection)
    }

    /// Encrypts the connection. The library has no limit for this: `interrupt` ends it.
    func enableTLS(doing: String) -> Result<Void, TransportError> {
        // When the handshake finds no bytes to read, the library sleeps for a tenth of a second. With a
        // blocking socket it waits for the answer instead.
        setBlocking(true)
        defer { setBlocking(false) }
        let result = idevice_connection_enable_ssl(connection)
        if let error = TransportError(
            idevice: result.rawValue, doing: doing, subject: handle.life.udid)
        {
            return .failure(error)
        }
        usesTLS = true
        return .success(())
    }

    /// Ends all input and output, from any thread.
    func interrupt() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Tells the device that no more bytes will come; answers can still be read.
    func endSending() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    /// Ends sending, and discards what arrives until the device closes its end; gives up after `limit`.
    ///
    /// The device carries out the requests it has received even when its answers are of no more use. Once it has closed
    /// its end, this connection changes nothing more.
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

    /// Whether the device has closed its end, or sent bytes that were not requested.
    var isStale: Bool {
        var descriptors = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&descriptors, 1, 0) != 0
    }

    /// The result of one attempt to read or write.
    enum Outcome {
        /// This many bytes were moved, at least one.
        case moved(Int)
        /// No byte can be moved now: wait for the descriptor.
        case wouldBlock
        /// The device closed the connection.
        case closed
        /// The connection broke.
        case failed(TransportError)
    }

    /// Reads the bytes that have arrived, at most the size of the buffer, which is not empty.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        guard usesTLS else {
            while true {
                let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                if count > 0 { return .moved(count) }
                if count == 0 { return .closed }
                let number = errno
                if number == EINTR { continue }
                return Self.failure(number, doing: "Receiving from the device")
            }
        }
        var received: UInt32 = 0
        // With TLS this function does not wait: it returns the bytes that OpenSSL has, or an error.
        let result = idevice_connection_receive(
            connection, buffer.bindMemory(to: CChar.self).baseAddress,
            UInt32(clamping: min(buffer.count, 1 << 30)), &received)
        if result == IDEVICE_E_SUCCESS, received > 0 {
            fruitlessReads = 0
            return .moved(Int(received))
        }
        var byte: UInt8 = 0
        let waiting = recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        if waiting == 0 { return .closed }
        if waiting < 0 {
            fruitlessReads = 0
            return Self.failure(errno, doing: "Receiving from the device")
        }
        // More may have arrived since. But if OpenSSL takes no bytes many times in a row, they are not TLS.
        fruitlessReads += 1
        guard fruitlessReads < 64 else {
            return .failed(
                TransportError(
                    .tlsFailed, "The encrypted connection broke.", hint: TransportError.reconnectHint,
                    native: NativeCode(.idevice, Int64(result.rawValue))))
        }
        return read(into: buffer)
    }

    /// Writes as many bytes as fit from a buffer that is not empty.
    func write(_ buffer: UnsafeRawBufferPointer) -> Outcome {
        let outcome = readyToWrite()
        return if case .moved = outcome { writeNow(buffer) } else { outcome }
    }

    /// Whether `writeNow` can be expected to move bytes: `.moved(0)`, or the reason why not.
    func readyToWrite() -> Outcome {
        var descriptors = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&descriptors, 1, 0) > 0 else { return .wouldBlock }
        if descriptors.revents & Int16(POLLOUT) != 0 { return .moved(0) }
        return descriptors.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 ? .closed : .wouldBlock
    }

    /// Writes from a buffer that is not empty as much as fits, when it is `readyToWrite`.
    func writeNow(_ buffer: UnsafeRawBufferPointer) -> Outcome {
        guard usesTLS else {
            while true {
                let count = send(
                    descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
                if count > 0 { return .moved(count) }
                let number = errno
                if number == EINTR { continue }
                return Self.failure(number, doing: "Sending to the device")
            }
        }
        // The library would spin on a full socket. A socket that `poll` reports as writable has room for this
        // much.
        let length = UInt32(min(buffer.count, 32 << 10))
        var sent: UInt32 = 0
        errno = 0
        let result = idevice_connection_send(
            connection, buffer.bindMemory(to: CChar.self).baseAddress, length, &sent)
        if result == IDEVICE_E_SUCCESS, sent > 0 { return .moved(Int(sent)) }
        return errno == EPIPE || errno == ECONNRESET
            ? .closed
            : .failed(
                TransportError(
                    .connectionLost, "Sending to the device failed.", hint: TransportError.reconnectHint,
                    native: NativeCode(.idevice, Int64(result.rawValue))))
    }

    private static func failure(_ number: Int32, doing: String) -> Outcome {
        switch number {
        case EAGAIN, EWOULDBLOCK: .wouldBlock
        case EPIPE, ECONNRESET, ENOTCONN, ESHUTDOWN: .closed
        default: .failed(TransportError(posix: number, doing: doing))
        }
    }
}
