import COpenSSL
import DeviceWire
import Foundation
import PropertyLists

/// A blocking socket to usbmuxd that becomes a connection to a port of the device, optionally with TLS.
///
/// It has no deadlines and no cancellation, so it shows the limit of the wire and the kernel.
final class BareSocket {
    private let descriptor: Int32
    private var tls: OpaquePointer?

    /// Connects to the socket that `USBMUXD_SOCKET_ADDRESS` names, as `UNIX:PATH`.
    init() throws {
        let path = ProcessInfo.processInfo.environment["USBMUXD_SOCKET_ADDRESS"] ?? ""
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.dropFirst("UNIX:".count).utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes.prefix($0.count - 1)) }
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw BenchmarkFailure("there is no usbmuxd at \(path)") }
    }

    deinit {
        if let tls { SSL_free(tls) }
        close(descriptor)
    }

    /// Sends a message to usbmuxd and returns its answer.
    func askMux(_ list: PropertyList) throws -> PropertyList {
        try send(UsbmuxPacket(tag: 1, list).encoded)
        let header = try UsbmuxHeader(decoding: receive(UsbmuxHeader.size))
        return try PropertyList(parsing: receive(header.bodyLength))
    }

    /// Sends a message to lockdownd or house_arrest.
    func send(_ list: PropertyList) throws { try send(PropertyListFrame.encode(list)) }

    /// The next answer of lockdownd or house_arrest.
    func receiveList() throws -> PropertyList {
        let length = try PropertyListFrame.length(receive(PropertyListFrame.headerSize))
        let list = try PropertyList(parsing: receive(length))
        if let error = list["Error"]?.string { throw BenchmarkFailure("the device answered \(error)") }
        return list
    }

    /// Encrypts all further data.
    func encrypt(with context: OpaquePointer) throws {
        guard let tls = SSL_new(context) else { throw BenchmarkFailure("no TLS") }
        self.tls = tls
        SSL_set_fd(tls, descriptor)
        SSL_set_read_ahead(tls, 1)
        guard SSL_connect(tls) == 1 else { throw BenchmarkFailure("the TLS handshake failed") }
    }

    func send(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                let rest = UnsafeRawBufferPointer(rebasing: buffer[done...])
                let count =
                    tls.map { Int(SSL_write($0, rest.baseAddress, Int32(rest.count))) }
                    ?? write(descriptor, rest.baseAddress, rest.count)
                guard count > 0 else { throw BenchmarkFailure("the connection ended while sending") }
                done += count
            }
        }
    }

    func receive(_ count: Int) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            while done < count {
                let place = buffer.baseAddress?.advanced(by: done)
                let received =
                    tls.map { Int(SSL_read($0, place, Int32(count - done))) }
                    ?? read(descriptor, place, count - done)
                guard received > 0 else { throw BenchmarkFailure("the connection ended while receiving") }
                done += received
            }
        }
    }
}
