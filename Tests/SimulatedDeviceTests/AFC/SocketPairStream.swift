import Glibc
import SimulatedDevice
import Synchronization

/// The device's end of a connection inside the process.
final class SocketPairStream: ServiceStream {
    struct Ended: Error {}

    private let socket: Int32
    private let isClosed = Atomic(false)

    init(owning socket: Int32) {
        self.socket = socket
    }

    deinit {
        _ = Glibc.close(socket)
    }

    func read(exactly count: Int) throws -> [UInt8]? {
        let bytes = try receive(count, from: socket)
        if bytes.isEmpty { return nil }
        guard bytes.count == count else { throw Ended() }
        return bytes
    }

    func write(_ bytes: [UInt8]) throws {
        try transmit(bytes, to: socket)
    }

    func close() {
        guard !isClosed.exchange(true, ordering: .relaxed) else { return }
        _ = shutdown(socket, Int32(SHUT_RDWR))
    }

    func pause(_ duration: Duration) throws {
        // The bit for "the other side has closed", which Glibc's module lacks.
        let hangUp: Int16 = 0x2000
        var waiting = pollfd(fd: socket, events: hangUp, revents: 0)
        let milliseconds =
            duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000
        if poll(&waiting, 1, Int32(clamping: milliseconds)) > 0 { throw Ended() }
    }
}

/// Receives until `count` bytes have arrived or the connection ends.
func receive(_ count: Int, from socket: Int32) throws -> [UInt8] {
    var failed = false
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        while filled < count, let start = buffer.baseAddress {
            let got = recv(socket, start + filled, count - filled, 0)
            if got < 0, errno == EINTR { continue }
            // A peer that closes with unread bytes resets the connection, which the reader treats as an end.
            if got < 0, errno != ECONNRESET { failed = true }
            if got <= 0 { break }
            filled += got
        }
    }
    if failed { throw SocketPairStream.Ended() }
    return bytes
}

/// Sends all bytes.
func transmit(_ bytes: [UInt8], to socket: Int32) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
        let sent = rest.withUnsafeBytes {
            send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        if sent < 0, errno == EINTR { continue }
        guard sent > 0 else { throw SocketPairStream.Ended() }
        rest = rest.dropFirst(sent)
    }
}
