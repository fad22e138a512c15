import COpenSSL
import DeviceWire
import Foundation
import OverlayHost
import Platform
import PropertyLists

/// An app's files on a device, accessed only with sockets, OpenSSL and the codecs: the limit of the wire and the
/// kernel.
///
/// It takes the fewest steps possible: one session of lockdownd starts all services, whose handshakes run in
/// parallel, and each connection has several pending requests. It has no deadlines, cancellation or error handling.
struct BareDevice {
    /// The device's UDID.
    let udid: String
    /// The app's bundle id.
    let app: String
    /// The command for house_arrest, `VendContainer` or `VendDocuments`.
    let vend: String
    /// Whether hosts speak TLS 1.0 with the device, as they do before iOS 10.
    let isOld: Bool

    /// Opens connections, distributes `work` over them, and closes them, with `depth` pending requests on each.
    func run(_ work: [BareWork], connections: Int, depth: Int) throws {
        let places = try start(connections)
        let failures = SimultaneousRun.map(Array(places.enumerated())) { number, place -> (any Error)? in
            let mine = stride(from: number, to: work.count, by: connections).map { work[$0] }
            do { try connection(at: place).run(mine, depth: depth) } catch { return error }
            return nil
        }
        if let first = failures.compactMap({ $0 }).first { throw first }
    }

    /// Connections that stay open, for comparisons without handshakes.
    func open(_ connections: Int) throws -> [BareConnection] {
        try start(connections).map { try connection(at: $0) }
    }

    /// The port of a service, and whether it is encrypted.
    private struct Place: @unchecked Sendable {
        // The context does not change any more, and OpenSSL counts its references atomically.
        var number: PropertyList
        var port: Int64
        var context: OpaquePointer?
    }

    /// One session of lockdownd, in which house_arrest is started once for each connection.
    private func start(_ count: Int) throws -> [Place] {
        let mux = try BareSocket()
        let devices = try mux.askMux(["MessageType": "ListDevices"])["DeviceList"]?.array ?? []
        let device = devices.first { $0["Properties"]?["SerialNumber"]?.string == udid }
        let answer = try mux.askMux(["MessageType": "ReadPairRecord", "PairRecordID": .string(udid)])
        guard let number = device?["DeviceID"], let data = answer["PairRecordData"]?.data else {
            throw BenchmarkFailure("the device is not there or not paired")
        }
        let record = try PropertyList(parsing: data)
        let context = try self.context(record)
        let lockdown = try connect(Place(number: number, port: 62_078))
        try lockdown.send([
            "Request": "StartSession", "Label": "bench", "HostID": record["HostID"] ?? "",
            "SystemBUID": record["SystemBUID"] ?? "",
        ])
        if try lockdown.receiveList()["EnableSessionSSL"]?.boolean == true {
            try lockdown.encrypt(with: context)
        }
        for _ in 0..<count {
            try lockdown.send([
                "Request": "StartService", "Label": "bench", "Service": "com.apple.mobile.house_arrest",
            ])
        }
        return try (0..<count).map { _ in
            let service = try lockdown.receiveList()
            let isEncrypted = service["EnableServiceSSL"]?.boolean == true
            return Place(
                number: number, port: service["Port"]?.integer ?? 0, context: isEncrypted ? context : nil)
        }
    }

    private func connection(at place: Place) throws -> BareConnection {
        let socket = try connect(place)
        if let context = place.context { try socket.encrypt(with: context) }
        try socket.send(["Command": .string(vend), "Identifier": .string(app)])
        _ = try socket.receiveList()
        return BareConnection(socket)
    }

    private func connect(_ place: Place) throws -> BareSocket {
        let socket = try BareSocket()
        let port = Int64(UInt16(truncatingIfNeeded: place.port).byteSwapped)
        let answer = try socket.askMux([
            "MessageType": "Connect", "DeviceID": place.number, "PortNumber": .integer(port),
        ])
        guard answer["Number"]?.integer == 0 else {
            throw BenchmarkFailure("the device refused a connection")
        }
        return socket
    }

    /// TLS with the host's key of the pair record. It stays until the program ends.
    private func context(_ record: PropertyList) throws -> OpaquePointer {
        guard let context = SSL_CTX_new(TLS_client_method()) else { throw BenchmarkFailure("no TLS") }
        SSL_CTX_set_security_level(context, 0)
        shim_ssl_ctx_set_versions(context, TLS1_VERSION, isOld ? TLS1_VERSION : TLS1_2_VERSION)
        SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0")
        guard let certificate = PEM_read_bio_X509(memory(record["HostCertificate"]), nil, nil, nil),
            let key = PEM_read_bio_PrivateKey(memory(record["HostPrivateKey"]), nil, nil, nil),
            SSL_CTX_use_certificate(context, certificate) == 1, SSL_CTX_use_PrivateKey(context, key) == 1
        else { throw BenchmarkFailure("the pair record cannot be used") }
        return context
    }

    private func memory(_ value: PropertyList?) -> OpaquePointer? {
        let memory = BIO_new(BIO_s_mem())
        (value?.data ?? Data()).withUnsafeBytes { _ = BIO_write(memory, $0.baseAddress, Int32($0.count)) }
        return memory
    }
}

/// The work of a bare connection for one path.
enum BareWork {
    /// The names in a folder.
    case list(String)
    /// Size and time.
    case status(String)
    /// Size and time, open, these parts of the file in pieces of 256 KiB, close.
    case read(String, [Range<Int>])
    /// Open under another name, write in pieces of 256 KiB, close, look at the size, rename.
    case write(String, [UInt8])

    /// The requests that do not need the file's handle.
    fileprivate var first: [AFCRequest] {
        switch self {
        case .list(let path): [.readDirectory(path: path)]
        case .status(let path): [.getFileInfo(path: path)]
        case .read(let path, _):
            [.getFileInfo(path: path), .fileOpen(path: path, mode: AFCOpenMode.read.rawValue)]
        case .write(let path, _): [.fileOpen(path: path + ".part", mode: AFCOpenMode.write.rawValue)]
        }
    }
}

/// A connection to the files of an app; used by one thread at a time.
final class BareConnection: @unchecked Sendable {
    // Protected by use: each connection belongs to one thread of the benchmark.
    private let socket: BareSocket
    private var packetNumber: UInt64 = 0
    private static let piece = 262_144

    fileprivate init(_ socket: BareSocket) { self.socket = socket }

    /// Does all of `work`, with `depth` pending items.
    func run(_ work: [BareWork], depth: Int) throws {
        var waiting = work.makeIterator()
        // Replies come in the order of the requests, so a queue of expected replies is the only state.
        var expected: [(work: BareWork, isLast: Bool)] = []
        var next = 0
        func startNext() throws {
            guard let item = waiting.next() else { return }
            var packets: [UInt8] = []
            for (place, request) in item.first.enumerated() {
                packets += try encoded(request)
                expected.append((item, place == item.first.count - 1))
            }
            try socket.send(packets)
        }
        for _ in 0..<depth { try startNext() }
        while next < expected.count {
            let (item, isLast) = expected[next]
            next += 1
            let reply = try receive()
            if case .handle(let handle) = reply {
                let count = try sendRest(of: item, handle)
                expected += (1...count).map { (item, $0 == count) }
            } else if isLast {
                try startNext()
            }
        }
    }

    /// Sends the requests that follow the open of an item, and returns their number.
    private func sendRest(of item: BareWork, _ handle: UInt64) throws -> Int {
        var packets: [UInt8] = []
        var count = 0
        func add(_ request: AFCRequest) throws {
            packets += try encoded(request)
            count += 1
        }
        switch item {
        case .list, .status: break
        case .read(_, let parts):
            var position = 0
            for part in parts {
                if part.lowerBound != position {
                    try add(.fileSeek(handle: handle, origin: 0, offset: Int64(part.lowerBound)))
                }
                for start in stride(from: part.lowerBound, to: part.upperBound, by: Self.piece) {
                    let length = min(Self.piece, part.upperBound - start)
                    try add(.fileRead(handle: handle, length: UInt64(length)))
                }
                position = part.upperBound
            }
            try add(.fileClose(handle: handle))
        case .write(let path, let content):
            for start in stride(from: 0, to: content.count, by: Self.piece) {
                let end = min(start + Self.piece, content.count)
                packetNumber += 1
                count += 1
                try socket.send(
                    content.withUnsafeBytes {
                        AFCRequest.encodeFileWrite(
                            handle: handle, payload: UnsafeRawBufferPointer(rebasing: $0[start..<end]),
                            packetNumber: packetNumber)
                    })
            }
            try add(.fileClose(handle: handle))
            try add(.getFileInfo(path: path + ".part"))
            try add(.renamePath(from: path + ".part", to: path))
        }
        try socket.send(packets)
        return count
    }

    private func encoded(_ request: AFCRequest) throws -> [UInt8] {
        packetNumber += 1
        return try request.encode(packetNumber: packetNumber)
    }

    private func receive() throws -> AFCReply {
        let header = try AFCHeader(decoding: socket.receive(AFCHeader.size), maximumLength: 1 << 24)
        let reply = try AFCReply.decode(header, body: socket.receive(header.bodyLength))
        if case .status(let status) = reply, status != .success {
            throw BenchmarkFailure("the device answered \(status)")
        }
        return reply
    }
}
