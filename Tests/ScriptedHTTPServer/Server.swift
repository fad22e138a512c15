import Foundation
import Glibc

/// Accepts connections, one thread each.
final class Server: Sendable {
    struct Failure: Error {}

    let port: Int
    private let socket: Int32
    private let world = World()

    init() throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = socket
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> Int32 in
                guard bind(socket, address, size) == 0, listen(socket, 128) == 0 else { return -1 }
                return getsockname(socket, address, &size)
            }
        }
        guard code == 0 else { throw Failure() }
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    func start() {
        Thread.detachNewThread { [socket, world] in
            while true {
                let client = accept(socket, nil, nil)
                if client < 0 { continue }
                Thread.detachNewThread { Connection(client, world).serve() }
            }
        }
    }
}
