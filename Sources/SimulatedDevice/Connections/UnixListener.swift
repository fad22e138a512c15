import Diagnostics
import FoundationEssentials
import Glibc
import Platform

/// A listening Unix socket from which one thread accepts connections until it is woken.
final class UnixListener: Sendable {
    private let path: String
    private let socket: SocketHandle
    private let event = WakeUpDescriptor()

    /// Listens at `path`. Replaces a socket file that another program left behind.
    init(path: String) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw SimulationError(
                .socketPathTooLong, "The path of the socket is longer than 107 bytes.", subject: path,
                hint: "Choose a folder with a shorter path.")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SimulationError.system("socket", subject: path) }
        socket = SocketHandle(descriptor)
        guard event.descriptor >= 0 else { throw SimulationError.system("eventfd") }
        self.path = path
        try FileManager.default.createDirectory(
            at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
        try UnixListener.removeLeftover(at: path, address)
        try UnixListener.withAddress(address) { pointer, length in
            guard bind(descriptor, pointer, length) == 0 else {
                throw SimulationError.system("bind", subject: path)
            }
        }
        guard listen(descriptor, SOMAXCONN) == 0 else {
            throw SimulationError.system("listen", subject: path)
        }
    }

    /// Passes each new connection to `body` until `wake` is called.
    func acceptAll(_ body: (SocketHandle) -> Void) {
        while true {
            var descriptors = [
                pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: event.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let count = pollOnce(&descriptors, timeout: nil)
            if count < 0, errno == EINTR { continue }
            guard count > 0, descriptors[1].revents == 0 else { return }
            if let client = socket.accept() {
                body(client)
            } else if errno == EMFILE || errno == ENFILE {
                // The connection stays in the queue. Until a descriptor is free again, only `wake` matters.
                var wake = [pollfd(fd: event.descriptor, events: Int16(POLLIN), revents: 0)]
                _ = pollOnce(&wake, timeout: .milliseconds(100))
            }
        }
    }

    /// Makes `acceptAll` return.
    func wake() { event.signal() }

    /// Closes the socket and removes its file.
    func close() {
        unlink(path)
        socket.close()
    }

    private static func removeLeftover(at path: String, _ address: sockaddr_un) throws {
        var information = stat()
        guard lstat(path, &information) == 0 else { return }
        let inUse = SimulationError(
            .socketInUse, "A file already exists at the path of the socket.", subject: path,
            hint: "Stop the program that uses it, or choose another path.")
        guard information.st_mode & S_IFMT == S_IFSOCK else { throw inUse }
        let probe = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard probe >= 0 else { throw SimulationError.system("socket", subject: path) }
        defer { _ = Glibc.close(probe) }
        let answers = withAddress(address) { connect(probe, $0, $1) == 0 }
        guard !answers else {
            throw SimulationError(
                .socketInUse, "A simulated device or another usbmuxd is already running at this socket.",
                subject: path,
                hint: "Use the running one, stop it, or choose another folder.")
        }
        guard unlink(path) == 0 else { throw inUse }
    }

    private static func withAddress<Result, Failure: Error>(
        _ address: sockaddr_un, _ body: (UnsafePointer<sockaddr>, socklen_t) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var address = address
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        return try withUnsafePointer(to: &address) { pointer throws(Failure) in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer throws(Failure) in
                try body(pointer, size)
            }
        }
    }
}
