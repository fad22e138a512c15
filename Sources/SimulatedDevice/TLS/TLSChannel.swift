import Diagnostics
import COpenSSL
import Glibc

/// The device's side of TLS on a blocking socket; used by one thread.
final class TLSChannel {
    private let ssl: OpaquePointer

    /// Waits for the client's handshake and answers it.
    ///
    /// With `toTheEnd`, all data are TLS until the connection ends, so as many bytes as are available are read from
    /// the socket at once.
    init(accepting descriptor: Int32, context: TLSContext, toTheEnd: Bool) throws {
        guard let ssl = SSL_new(context.context) else { throw Certificates.failure("SSL_new") }
        self.ssl = ssl
        guard SSL_set_fd(ssl, descriptor) == 1 else { throw Certificates.failure("SSL_set_fd") }
        if toTheEnd { SSL_set_read_ahead(ssl, 1) }
        while true {
            ERR_clear_error()
            let result = SSL_accept(ssl)
            if result == 1 { return }
            if try !shallRepeat(result) {
                throw SimulationError(.disconnected, "The connection ended during the TLS handshake.")
            }
        }
    }

    /// The number of bytes received from the socket, encrypted.
    var bytesRead: UInt64 { BIO_number_read(SSL_get_rbio(ssl)) }
    /// The number of bytes sent to the socket, encrypted.
    var bytesWritten: UInt64 { BIO_number_written(SSL_get_wbio(ssl)) }
    /// Whether there are bytes that were received but not yet read.
    var hasBufferedInput: Bool { SSL_has_pending(ssl) == 1 }

    /// The number of decrypted bytes of the current record that were not read yet.
    var decrypted: Int { Int(SSL_pending(ssl)) }

    /// Reads and decrypts at least one byte; 0 at the end of the connection.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        while true {
            ERR_clear_error()
            let count = SSL_read(ssl, buffer.baseAddress, Int32(clamping: buffer.count))
            if count > 0 { return Int(count) }
            if try !shallRepeat(count) { return 0 }
        }
    }

    /// Encrypts and sends at least one byte.
    func write(_ bytes: UnsafeRawBufferPointer) throws -> Int {
        while true {
            ERR_clear_error()
            let count = SSL_write(ssl, bytes.baseAddress, Int32(clamping: bytes.count))
            if count > 0 { return Int(count) }
            if try !shallRepeat(count) {
                throw SimulationError(.disconnected, "The client closed the connection.")
            }
        }
    }

    /// Sends close_notify. Does not wait for the client's, which most clients never send.
    func end() {
        ERR_clear_error()
        _ = SSL_shutdown(ssl)
    }

    /// Whether to repeat the call; false if the connection has ended.
    private func shallRepeat(_ result: Int32) throws -> Bool {
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return true
        case SSL_ERROR_ZERO_RETURN, SSL_ERROR_SYSCALL: return false
        default:
            // OpenSSL reports a client that leaves without close_notify as a protocol error. To a device, it is just
            // a closed connection.
            if ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING { return false }
            throw Certificates.failure("TLS")
        }
    }

    deinit { SSL_free(ssl) }
}
