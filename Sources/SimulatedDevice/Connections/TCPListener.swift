import Glibc

/// Listening TCP sockets on loopback addresses.
enum TCPListener {
    /// Listens at a port of `127.b.c.d`. The socket is non-blocking.
    static func open(address: (UInt8, UInt8, UInt8), port: UInt16) throws -> SocketHandle {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { throw SimulationError.system("socket") }
        let handle = SocketHandle(descriptor)
        let name = "127.\(address.0).\(address.1).\(address.2):\(port)"
        // Connections of a former device at this address may still be closing.
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = port.bigEndian
        place.sin_addr.s_addr = UInt32(bigEndian: networkNumber(address))
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) == 0 }
        }
        guard isBound else { throw SimulationError.system("bind", subject: name) }
        guard listen(descriptor, 16) == 0 else { throw SimulationError.system("listen", subject: name) }
        return handle
    }

    /// Sends small answers at once (TCP_NODELAY).
    static func hurry(_ socket: SocketHandle) {
        var one: Int32 = 1
        setsockopt(
            socket.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func networkNumber(_ address: (UInt8, UInt8, UInt8)) -> UInt32 {
        127 << 24 | UInt32(address.0) << 16 | UInt32(address.1) << 8 | UInt32(address.2)
    }
}
