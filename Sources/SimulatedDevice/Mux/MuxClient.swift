import DeviceWire
import Glibc
import PropertyLists

/// One connection of a client to the daemon, from its first request to the end of the service to which it was
/// connected.
struct MuxClient {
    let daemon: DaemonCore
    let socket: SocketHandle

    /// Answers requests until the client disconnects, starts to listen, or is connected to a device.
    func run() {
        do {
            while let packet = try receive() {
                guard packet.version == 1 else {
                    try send(UsbmuxPacket(tag: packet.tag, binaryResult: .badVersion))
                    continue
                }
                guard packet.message == UsbmuxHeader.Message.propertyList else {
                    try send(result(.badCommand, packet))
                    continue
                }
                let list = try PropertyList(parsing: packet.body)
                switch list["MessageType"]?.string {
                case "Listen":
                    daemon.listen(socket, first: try result(.ok, packet).encoded)
                    defer { daemon.forget(socket) }
                    // This connection now carries only notifications. Anything that the client sends is ignored.
                    while try receive() != nil {}
                    return
                case "Connect":
                    if try connect(list, packet) { return }
                default:
                    try send(try answer(list, packet))
                }
            }
        } catch {
            // A client that violates the protocol or disconnects within a message loses only its own connection.
            return
        }
    }

    private func answer(_ list: PropertyList, _ packet: UsbmuxPacket) throws -> UsbmuxPacket {
        switch list["MessageType"]?.string {
        case "ListDevices":
            return try UsbmuxPacket(tag: packet.tag, ["DeviceList": .array(daemon.attachedMessages())])
        case "ReadBUID":
            return try UsbmuxPacket(tag: packet.tag, ["BUID": .string(try daemon.records.hostIdentity())])
        case "ListListeners":
            return try UsbmuxPacket(tag: packet.tag, ["ListenerList": .array(daemon.listenerEntries())])
        case "ReadPairRecord":
            guard let name = list["PairRecordID"]?.string, let record = try daemon.pairRecord(name) else {
                return try result(.noSuchRecord, packet)
            }
            return try UsbmuxPacket(tag: packet.tag, ["PairRecordData": .data(record)])
        case "SavePairRecord":
            guard let name = list["PairRecordID"]?.string, let data = list["PairRecordData"]?.data,
                try daemon.savePairRecord(name, data, device: list["DeviceID"]?.integer)
            else { return try result(.badRecord, packet) }
            return try result(.ok, packet)
        case "DeletePairRecord":
            guard let name = list["PairRecordID"]?.string, try daemon.deletePairRecord(name) else {
                return try result(.noSuchRecord, packet)
            }
            return try result(.ok, packet)
        default:
            return try result(.badCommand, packet)
        }
    }

    /// Turns the connection into one to a device. Returns false if this was refused and the client was informed.
    private func connect(_ list: PropertyList, _ packet: UsbmuxPacket) throws -> Bool {
        guard let number = list["DeviceID"]?.integer, let attached = daemon.attached(number),
            attached.network == nil
        else {
            try send(result(.badDevice, packet))
            return false
        }
        // The port is in network byte order inside a little-endian number.
        guard let sent = list["PortNumber"]?.integer, let port = UInt16(exactly: sent)?.byteSwapped,
            let service = attached.device.takeService(port: port)
        else {
            try send(result(.connectionRefused, packet))
            return false
        }
        do {
            try send(result(.ok, packet))
        } catch {
            attached.device.releaseService(service)
            throw error
        }
        DeviceConnection(attached: attached, client: socket, service: service, threads: daemon.threads).run()
        return true
    }

    private func receive() throws -> UsbmuxPacket? {
        guard let head = try bytes(UsbmuxHeader.size) else { return nil }
        let header = try UsbmuxHeader(decoding: head)
        guard let body = try bytes(header.bodyLength) else { return nil }
        return UsbmuxPacket(version: header.version, message: header.message, tag: header.tag, body: body)
    }

    /// Reads the next `count` bytes; nil if the client has gone.
    private func bytes(_ count: Int) throws -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let received = bytes.withUnsafeMutableBytes { buffer in
                recv(socket.descriptor, buffer.baseAddress?.advanced(by: filled), count - filled, 0)
            }
            if received < 0, errno == EINTR { continue }
            guard received > 0 else { return nil }
            filled += received
        }
        return bytes
    }

    private func send(_ packet: UsbmuxPacket) throws {
        let bytes = packet.encoded
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.send(
                    socket.descriptor, buffer.baseAddress?.advanced(by: sent), buffer.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SimulationError.system("send") }
            sent += count
        }
    }

    private func result(_ result: UsbmuxResult, _ packet: UsbmuxPacket) throws -> UsbmuxPacket {
        try UsbmuxPacket(
            tag: packet.tag, ["MessageType": "Result", "Number": .integer(Int64(result.rawValue))])
    }
}
