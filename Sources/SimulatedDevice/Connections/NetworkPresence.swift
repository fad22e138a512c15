import FoundationEssentials
import Glibc
import Platform
import Synchronization

/// A device on the network. It listens at the port of lockdownd, and at the assigned port of each started service.
final class NetworkPresence: Sendable {
    /// The address that the daemon reports: a `sockaddr_in` in the layout that the installed libimobiledevice
    /// understands.
    let socketAddress: Data

    private let address: (UInt8, UInt8, UInt8)
    private let event = WakeUpDescriptor()
    private let thread = WorkerThreads()
    private let listeners: Mutex<[UInt16: SocketHandle]>

    /// Reserves the loopback address derived from `udid`, or a neighboring one if that is taken.
    init(udid: String) throws {
        guard event.descriptor >= 0 else { throw SimulationError.system("eventfd") }
        let seed = udid.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        var found: ((UInt8, UInt8, UInt8), SocketHandle)?
        var failure: (any Error)?
        for attempt in 0..<UInt32(16) where found == nil {
            let number = seed &+ attempt
            // 127.0.*.* and the ends of each range are left to other programs.
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

    /// The first bytes of the address. libimobiledevice 1.3.0 expects length and family, as on Apple's systems; later
    /// versions expect only the family, as on Linux. The later versions require a libusbmuxd that has
    /// `libusbmuxd_version`.
    private static var addressFamily: [UInt8] { dlsym(nil, "libusbmuxd_version") == nil ? [16, 2] : [2, 0] }

    /// Passes each connection and its port to `serve` until `stop`. Returns false if no thread can be created.
    func start(_ serve: @escaping @Sendable (SocketHandle, UInt16) -> Void) -> Bool {
        thread.start { [self] in while acceptOnce(serve) {} }
    }

    /// Listens at a port for one connection. Closes ports whose service no longer waits.
    func open(_ port: UInt16, stillWaiting: (UInt16) -> Bool) throws {
        let listener = try TCPListener.open(address: address, port: port)
        listeners.withLock { listeners in
            listeners = listeners.filter { $0.key == ServicePorts.lockdown || stillWaiting($0.key) }
            listeners[port] = listener
        }
        event.signal()
    }

    /// Closes all ports. On return, no more connections are accepted.
    func stop() {
        listeners.withLock { $0 = [:] }
        event.signal()
        thread.joinAll()
    }

    private func acceptOnce(_ serve: (SocketHandle, UInt16) -> Void) -> Bool {
        // Holding the handles prevents their descriptors from being closed and reused while they are polled.
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
