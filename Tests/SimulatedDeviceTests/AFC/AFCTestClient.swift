import DeviceWire
import Foundation
import SimulatedDevice

/// A client of one AFC session with one request at a time by default.
final class AFCTestClient {
    /// An unexpected answer.
    struct Unexpected: Error {
        var reply: AFCReply
    }
    /// The connection ended.
    struct Ended: Error {
        var bytes: [UInt8]
    }

    let socket: Int32
    private let sessionEnded = DispatchSemaphore(value: 0)
    private var packetNumber: UInt64 = 100

    init(root: ConfinedRoot, device: SimulatedDevice, isContainer: Bool = false) throws {
        var sockets: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &sockets) == 0 else {
            throw POSIXError(.init(rawValue: errno) ?? .EIO)
        }
        socket = sockets[0]
        // A test that waits for an answer that never comes must fail instead of hanging.
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let stream = SocketPairStream(owning: sockets[1])
        let ended = sessionEnded
        Thread.detachNewThread {
            AFCSession(stream: stream, root: root, device: device, isContainer: isContainer).run()
            ended.signal()
        }
    }

    /// Ends the connection and waits for the session to notice.
    deinit {
        shutdown(socket, Int32(SHUT_RDWR))
        _ = sessionEnded.wait(timeout: .now() + 300)
        close(socket)
    }

    /// Whether unread bytes have arrived.
    var hasBytes: Bool {
        var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, 0) > 0
    }

    /// Sends a request with its payload in one send and returns its packet number.
    @discardableResult
    func send(_ request: AFCRequest, payload: [UInt8] = []) throws -> UInt64 {
        packetNumber += 1
        try transmit(try request.encode(packetNumber: packetNumber) + payload, to: socket)
        return packetNumber
    }

    /// The next answer and its packet number.
    func receiveReply() throws -> (number: UInt64, reply: AFCReply) {
        let bytes = try receive(AFCHeader.size, from: socket)
        guard bytes.count == AFCHeader.size else { throw Ended(bytes: bytes) }
        let header = try AFCHeader(decoding: bytes, maximumLength: 64 << 20)
        let body = try receive(header.bodyLength, from: socket)
        guard body.count == header.bodyLength else { throw Ended(bytes: bytes + body) }
        return (header.packetNumber, try AFCReply.decode(header, body: body))
    }

    /// Whether the connection ends without another byte.
    func endsHere() throws -> Bool { try receive(1, from: socket).isEmpty }

    /// One request and its answer.
    func ask(_ request: AFCRequest, payload: [UInt8] = []) throws -> AFCReply {
        let number = try send(request, payload: payload)
        let answer = try receiveReply()
        guard answer.number == number else { throw Unexpected(reply: answer.reply) }
        return answer.reply
    }

    /// The status of a request that is answered with one.
    func status(_ request: AFCRequest, payload: [UInt8] = []) throws -> AFCStatus {
        let reply = try ask(request, payload: payload)
        guard case .status(let status) = reply else { throw Unexpected(reply: reply) }
        return status
    }

    /// The bytes of a request that is answered with some.
    func data(_ request: AFCRequest) throws -> [UInt8] {
        let reply = try ask(request)
        guard case .data(let bytes) = reply else { throw Unexpected(reply: reply) }
        return bytes
    }

    /// Opens a file.
    func open(_ path: String, _ mode: AFCOpenMode) throws -> UInt64 {
        let reply = try ask(.fileOpen(path: path, mode: mode.rawValue))
        guard case .handle(let handle) = reply else { throw Unexpected(reply: reply) }
        return handle
    }

    /// A handle's position.
    func position(_ handle: UInt64) throws -> UInt64 {
        let reply = try ask(.fileTell(handle: handle))
        guard case .position(let position) = reply else { throw Unexpected(reply: reply) }
        return position
    }

    /// Reads text from a handle.
    func read(_ handle: UInt64, _ length: UInt64 = 1 << 20) throws -> String {
        String(decoding: try data(.fileRead(handle: handle, length: length)), as: UTF8.self)
    }

    /// Writes text to a handle.
    func write(_ handle: UInt64, _ text: String) throws -> AFCStatus {
        try status(.fileWrite(handle: handle, payloadLength: text.utf8.count), payload: Array(text.utf8))
    }

    /// The names in a folder.
    func names(_ path: String) throws -> [String] {
        AFCDirectoryListing(decoding: try data(.readDirectory(path: path))).names
    }

    /// The item at a path.
    func information(_ path: String) throws -> AFCFileInfo {
        try AFCFileInfo(decoding: try data(.getFileInfo(path: path)))
    }

    /// Free bytes on the device.
    func freeBytes() throws -> UInt64 {
        try AFCDeviceInfo(decoding: try data(.getDeviceInfo)).freeBytes
    }
}
