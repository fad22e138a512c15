import FoundationEssentials
import Glibc
import Platform
import Synchronization

/// A device on the network: lockdownd at its port, and every started service at the port it was given.
final class NetworkPresence: Sendable {
    /// What the daemon tells about the address: a `sockaddr_in` of the kind that this system's libimobiledevice understands.
    let socketAddress: Data

    private let address: (UInt8, UInt8, UInt8)
    private let event = WakeUpDescriptor()
    private let thread = WorkerThreads()
    private let listeners: Mutex<[UInt16: SocketHandle]>

    /// Takes the loopback address that belongs to `udid`, or a neighbouring one if that is taken.
    init(udid: String) throws {
        guard event.descriptor >= 0 else { throw SimulationError.system("eventfd") }
        let seed = udid.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        var found: ((UInt8, UInt8, UInt8), SocketHandle)?
        var failure: (any Error)?
        for attempt in 0..<UInt32(16) where found == nil {
            let number = seed &+ attempt
            // 127.0.*.* and the ends of a range are left to others.
            let address = (
                UInt8(1 + number >> 16 & 0x7F), UInt8(number >> 8 & 0xFF), UInt8(1 + (number & 0xFF) % 254)
            )
            do {
                found = (address, try TCPListener.open(address: address, port: ServicePorts.lockdown))
            } catch {
                failure = error
            }
        }
        guard let found else { throw failure ?? SimulationError.system("bind") }
        address = found.0
        listeners = Mutex([ServicePorts.lockdown: found.1])
        let bytes: [UInt8] = [0, 0, 127, address.0, address.1, address.2]
        socketAddress = Data(Self.addressFamily + bytes + Array(repeating: 0, count: 8))
    }

    /// How the address begins: with length and family as on Apple's systems for libimobiledevice 1.3.0, and with the family alone as
    /// on Linux for later ones. These came with a libusbmuxd that tells its version.
    private static var addressFamily: [UInt8] { dlsym(nil, "libusbmuxd_version") == nil ? [16, 2] : [2, 0] }

    /// Hands every connection to `serve`, with the port it came to, until `stop`; false when the system has no thread for it.
    func start(_ serve: @escaping @Sendable (SocketHandle, UInt16) -> Void) -> Bool {
        thread.start { [self] in while acceptOnce(serve) {} }
    }

    /// Listens at a port for one connection; ports without a waiting service are given back.
    func open(_ port: UInt16, stillWaiting: (UInt16) -> Bool) throws {
        let listener = try TCPListener.open(address: address, port: port)
        listeners.withLock { listeners in
            listeners = listeners.filter { $0.key == ServicePorts.lockdown || stillWaiting($0.key) }
            listeners[port] = listener
        }
        event.signal()
    }

    /// Closes all ports and returns when nothing is accepted any more.
    func stop() {
        listeners.withLock { $0 = [:] }
        event.signal()
        thread.joinAll()
    }

    private func acceptOnce(_ serve: (SocketHandle, UInt16) -> Void) -> Bool {
        // Holding the handles keeps their descriptors from being closed, and reused, while they are polled.
        let open = listeners.withLock { Array($0) }
        if open.isEmpty { return false }
        var descriptors = open.map { pollfd(fd: $0.value.descriptor, events: Int16(POLLIN), revents: 0) }
        descriptors.append(pollfd(fd: event.descriptor, events: Int16(POLLIN), revents: 0))
        guard pollOnce(&descriptors, timeout: nil) > 0 else { return errno == EINTR }
        event.reset()
        for (index, entry) in open.enumerated() where descriptors[index].revents != 0 {
            guard let client = entry.value.accept() else { continue }
            if entry.key != ServicePorts.lockdown {
                listeners.withLock { $0[entry.key] = nil }
            }
            TCPListener.hurry(client)
            serve(client, entry.key)
        }
        return true
    }
}
