import COpenSSL
import Glibc

/// The host's side of TLS on a non-blocking socket. Used by one thread at a time.
final class TLSClient {
    private let ssl: OpaquePointer
    /// Bytes that were accepted but not completely sent. OpenSSL requires the same bytes again until they are.
    private var owed: [UInt8] = []

    /// The result of one attempt.
    enum Outcome {
        /// This many bytes were moved, or the handshake is complete.
        case moved(Int)
        /// The socket must first become readable or writable. The value is the events for `poll`.
        case wait(Int16)
        /// The device closed the connection.
        case closed
        /// The device sent data that are not TLS, or that this host does not accept.
        case failed
    }

    /// Starts TLS on a connected socket; `handshake` continues it. Throws `.internalFailure`.
    init(_ identity: TLSIdentity, on descriptor: Int32) throws(TransportError) {
        ERR_clear_error()
        guard let ssl = SSL_new(identity.context) else { throw Self.unavailable }
        self.ssl = ssl
        guard SSL_set_fd(ssl, descriptor) == 1 else { throw Self.unavailable }
        SSL_set_connect_state(ssl)
        // One system call then reads all available bytes, instead of the head and the body of each record.
        SSL_set_read_ahead(ssl, 1)
    }

    deinit {
        // Does not wait for the device's answer.
        ERR_clear_error()
        _ = SSL_shutdown(ssl)
        SSL_free(ssl)
    }

    private static var unavailable: TransportError {
        TransportError(.internalFailure, "Encryption is not available.")
    }

    /// Continues the handshake; returns `.moved` when it is complete.
    func handshake() -> Outcome { attempt { SSL_do_handshake(ssl) } }

    /// Decrypts available bytes, at most the size of the buffer, which must not be empty.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        attempt { SSL_read(ssl, buffer.baseAddress, Int32(clamping: buffer.count)) }
    }

    /// Whether some accepted bytes have not been sent yet. `flush` sends them.
    var owesBytes: Bool { !owed.isEmpty }

    /// Sends accepted bytes; returns `.moved` when all are sent.
    func flush() -> Outcome {
        guard owesBytes else { return .moved(0) }
        let outcome = owed.withUnsafeBytes { bytes in
            attempt { SSL_write(ssl, bytes.baseAddress, Int32(clamping: bytes.count)) }
        }
        if case .moved = outcome { owed = [] }
        return outcome
    }

    /// Accepts all bytes of a buffer that is not empty, and sends as many as the socket accepts. Do not call it while
    /// `owesBytes` is true.
    func write(_ buffer: UnsafeRawBufferPointer) -> Outcome {
        let outcome = attempt { SSL_write(ssl, buffer.baseAddress, Int32(clamping: buffer.count)) }
        guard case .wait = outcome else { return outcome }
        // OpenSSL has encrypted a record that the socket did not accept completely, so these bytes cannot be taken
        // back.
        owed = [UInt8](buffer)
        return .moved(buffer.count)
    }

    /// Whether there are bytes to read, or the connection has ended. Processes records without content.
    var hasInput: Bool {
        var byte: UInt8 = 0
        if case .wait = attempt({ SSL_peek(ssl, &byte, 1) }) { return false }
        return true
    }

    private func attempt(_ call: () -> Int32) -> Outcome {
        ERR_clear_error()
        errno = 0
        let result = call()
        if result > 0 { return .moved(Int(result)) }
        let number = errno
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: return .wait(Int16(POLLIN))
        case SSL_ERROR_WANT_WRITE: return .wait(Int16(POLLOUT))
        case SSL_ERROR_ZERO_RETURN: return .closed
        case SSL_ERROR_SYSCALL: return [0, EPIPE, ECONNRESET].contains(number) ? .closed : .failed
        default:
            // Devices often close the connection without a TLS close message.
            return ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING ? .closed : .failed
        }
    }
}
