import DeviceWire
import Foundation
import Glibc
import PropertyLists

/// A plain client of a daemon at a Unix socket. It sends and receives exactly what a test says.
final class MuxTestClient {
    struct Failure: Error { var message: String }

    private let descriptor: Int32
    private var received: [UInt8] = []

    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, size) }
        }
        guard result == 0 else { throw Failure(message: "connect: \(errno)") }
        // No answer of a daemon takes this long. It only keeps a failing test from waiting forever.
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { Glibc.close(descriptor) }

    // MARK: Bytes

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(message: "send: \(errno)") }
            rest = rest.dropFirst(count)
        }
    }

    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Receives the next bytes; returns false at the end of the connection.
    private func receiveMore() throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count < 0, errno == ECONNRESET { return false }
        guard count >= 0 else { throw Failure(message: "recv: \(errno)") }
        received += buffer.prefix(count)
        return count > 0
    }

    /// Whether the daemon ends the connection without sending anything more.
    func isEnded() throws -> Bool { try received.isEmpty && !receiveMore() }

    /// The next `count` bytes.
    func bytes(_ count: Int) throws -> [UInt8] {
        while received.count < count {
            guard try receiveMore() else { throw Failure(message: "the connection ended") }
        }
        defer { received.removeFirst(count) }
        return Array(received.prefix(count))
    }

    // MARK: usbmuxd

    func packet() throws -> UsbmuxPacket {
        while true {
            var rest = received[...]
            if let packet = try UsbmuxPacket.decode(&rest) {
                received = Array(rest)
                return packet
            }
            guard try receiveMore() else { throw Failure(message: "the connection ended") }
        }
    }

    func news() throws -> PropertyList { try PropertyList(parsing: packet().body) }

    func ask(_ request: PropertyList, tag: UInt32 = 1) throws -> PropertyList {
        try send(try UsbmuxPacket(tag: tag, request).encoded)
        return try news()
    }

    /// The DeviceID of a device.
    func number(of udid: String) throws -> Int64 {
        let list = try ask(["MessageType": "ListDevices"])["DeviceList"]?.array ?? []
        let entry = list.first { $0["Properties"]?["SerialNumber"]?.string == udid.filter { $0 != "-" } }
        guard let number = entry?["DeviceID"]?.integer else {
            throw Failure(message: "\(udid) is not attached")
        }
        return number
    }

    /// Turns the connection into one to a port of the device. Returns the daemon's result.
    func connect(_ device: Int64, port: UInt16) throws -> Int64? {
        try ask([
            "MessageType": "Connect", "DeviceID": .integer(device),
            "PortNumber": .integer(Int64(port.byteSwapped)),
        ])["Number"]?.integer
    }

    // MARK: Length-prefixed property lists

    func sendList(_ list: PropertyList) throws { try send(try PropertyListFrame.encode(list)) }

    func list() throws -> PropertyList {
        while true {
            var rest = received[...]
            if let list = try PropertyListFrame.decode(&rest) {
                received = Array(rest)
                return list
            }
            guard try receiveMore() else { throw Failure(message: "the connection ended") }
        }
    }

    func askList(_ request: PropertyList) throws -> PropertyList {
        try sendList(request)
        return try list()
    }
}
