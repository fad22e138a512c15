import CLibimobiledevice
import DeviceWire

/// A container opened with libimobiledevice and nothing of ours above it but the AFC codec.
///
/// It writes files with several requests under way and no more care than the comparison asks for: it has no deadlines, no
/// cancel, no error rows. It shows what the wire allows.
final class BareConnection: @unchecked Sendable {
    // Protected by use: each connection belongs to one thread of the benchmark.
    private let device: idevice_t
    private let connection: idevice_connection_t
    private var packetNumber: UInt64 = 0

    init(udid: String, app: String) throws {
        var device: idevice_t?
        try Self.check("idevice_new", idevice_new(&device, udid).rawValue)
        guard let device else { throw SequentialClient.Failure(step: "idevice_new", code: 0) }
        self.device = device
        var lockdown: lockdownd_client_t?
        try Self.check(
            "lockdownd", lockdownd_client_new_with_handshake(device, &lockdown, "bench").rawValue)
        var service: lockdownd_service_descriptor_t?
        try Self.check(
            "start service",
            lockdownd_start_service(lockdown, "com.apple.mobile.house_arrest", &service).rawValue)
        lockdownd_client_free(lockdown)
        defer { lockdownd_service_descriptor_free(service) }
        guard let service else { throw SequentialClient.Failure(step: "start service", code: 0) }
        var connection: idevice_connection_t?
        try Self.check("connect", idevice_connect(device, service.pointee.port, &connection).rawValue)
        guard let connection else { throw SequentialClient.Failure(step: "connect", code: 0) }
        self.connection = connection
        if service.pointee.ssl_enabled != 0 {
            try Self.check("TLS", idevice_connection_enable_ssl(connection).rawValue)
        }
        try vendContainer(of: app)
    }

    deinit {
        idevice_disconnect(connection)
        idevice_free(device)
    }

    /// Writes all `paths` with the same content by open, write, close, stat, rename, `depth` files at a time.
    func write(_ content: [UInt8], to paths: [String], depth: Int) throws {
        var waiting = paths.makeIterator()
        // Replies come in the order of the requests, so a queue of what is expected is all the state there is.
        var expected: [(path: String, isOpen: Bool)] = []
        var next = 0
        func openNext() throws {
            guard let path = waiting.next() else { return }
            try send(.fileOpen(path: path + ".part", mode: AFCOpenMode.write.rawValue))
            expected.append((path, true))
        }
        for _ in 0..<depth { try openNext() }
        while next < expected.count {
            let (path, isOpen) = expected[next]
            next += 1
            let reply = try receive()
            guard isOpen else { continue }
            guard case .handle(let handle) = reply else {
                throw SequentialClient.Failure(step: "open \(path)", code: 1)
            }
            var offset = 0
            while offset < content.count {
                let end = min(offset + 262_144, content.count)
                packetNumber += 1
                let packet = content.withUnsafeBytes { bytes in
                    AFCRequest.encodeFileWrite(
                        handle: handle, payload: UnsafeRawBufferPointer(rebasing: bytes[offset..<end]),
                        packetNumber: packetNumber)
                }
                try send(packet)
                expected.append((path, false))
                offset = end
            }
            for request in [
                AFCRequest.fileClose(handle: handle), .getFileInfo(path: path + ".part"),
                .renamePath(from: path + ".part", to: path),
            ] {
                try send(request)
                expected.append((path, false))
            }
            try openNext()
        }
    }

    private func vendContainer(of app: String) throws {
        let command = plist_new_dict()
        defer { plist_free(command) }
        plist_dict_set_item(command, "Command", plist_new_string("VendContainer"))
        plist_dict_set_item(command, "Identifier", plist_new_string(app))
        var xml: UnsafeMutablePointer<CChar>?
        var length: UInt32 = 0
        plist_to_xml(command, &xml, &length)
        guard let xml else { throw SequentialClient.Failure(step: "VendContainer", code: 0) }
        defer { plist_to_xml_free(xml) }
        let body = UnsafeRawBufferPointer(start: xml, count: Int(length))
        try send(withUnsafeBytes(of: length.bigEndian) { Array($0) } + Array(body))
        let answer = try receive(4)
        let size = answer.reduce(0) { $0 << 8 | Int($1) }
        let text = String(decoding: try receive(size), as: UTF8.self)
        guard text.contains("Complete") else {
            throw SequentialClient.Failure(step: "VendContainer", code: -1)
        }
    }

    private func send(_ request: AFCRequest) throws {
        packetNumber += 1
        try send(try request.encode(packetNumber: packetNumber))
    }

    private func send(_ bytes: [UInt8]) throws {
        var done = 0
        while done < bytes.count {
            var sent: UInt32 = 0
            let code = bytes.withUnsafeBytes { buffer in
                idevice_connection_send(
                    connection,
                    buffer.baseAddress!.advanced(by: done).assumingMemoryBound(to: CChar.self),
                    UInt32(bytes.count - done), &sent)
            }
            try Self.check("send", code.rawValue)
            done += Int(sent)
        }
    }

    private func receive() throws -> AFCReply {
        let header = try AFCHeader(decoding: try receive(AFCHeader.size), maximumLength: 1 << 24)
        let reply = try AFCReply.decode(header, body: try receive(header.bodyLength))
        if case .status(let status) = reply, status != .success {
            throw SequentialClient.Failure(step: "AFC", code: Int32(truncatingIfNeeded: status.rawValue))
        }
        return reply
    }

    private func receive(_ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            var received: UInt32 = 0
            let code = bytes.withUnsafeMutableBytes { buffer in
                idevice_connection_receive_timeout(
                    connection,
                    buffer.baseAddress!.advanced(by: done).assumingMemoryBound(to: CChar.self),
                    UInt32(count - done), &received, 30_000)
            }
            try Self.check("receive", code.rawValue)
            done += Int(received)
        }
        return bytes
    }

    private static func check(_ step: String, _ code: Int32) throws {
        guard code == 0 else { throw SequentialClient.Failure(step: step, code: code) }
    }
}
