import CSystemShims
import Glibc
import Synchronization

/// A socket that one thread uses and closes, and that any thread may shut down.
final class SocketHandle: Sendable {
    /// The descriptor, valid for the thread that uses the socket until it calls `close`.
    let descriptor: Int32
    // Prevents shutting down a descriptor that was closed and reused.
    private let isOpen = Mutex(true)

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Shuts down both directions, which wakes every call that is blocked on the socket.
    func cut() {
        isOpen.withLock { isOpen in
            if isOpen { _ = Glibc.shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    /// Accepts the next connection of a listening socket; nil, with errno set, on failure.
    func accept() -> SocketHandle? {
        let client = shim_accept_cloexec(descriptor)
        return client < 0 ? nil : SocketHandle(client)
    }

    /// Sends without waiting. Returns false if not all bytes were accepted.
    func sendAtOnce(_ bytes: [UInt8]) -> Bool {
        isOpen.withLock { isOpen in
            guard isOpen else { return false }
            return send(descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT | Int(MSG_NOSIGNAL)))
                == bytes.count
        }
    }

    func close() {
        isOpen.withLock { isOpen in
            if isOpen { _ = Glibc.close(descriptor) }
            isOpen = false
        }
    }

    deinit { close() }
}
