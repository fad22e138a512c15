import DeviceWire

/// The device's side of one AFC connection. It answers requests one by one until the connection ends.
///
/// Used only by the thread that calls `run`.
package final class AFCSession {
    /// The largest number of bytes that one FILE_READ answers. If a client asks for more, it gets a shorter answer
    /// and continues.
    package static let maximumReadLength = 16 << 20
    /// The largest size of a packet in bytes. It fits the largest payload that a client with 32-bit lengths can send.
    package static let maximumPacketLength = (1 << 32) + AFCHeader.size + 8
    /// The largest number of files that one connection may have open at once.
    package static let maximumOpenFiles = 128

    let root: ConfinedRoot
    let device: SimulatedDevice
    private let stream: any ServiceStream
    private(set) var openFiles: [UInt64: OpenFile] = [:]
    private var lastHandle: UInt64 = 0
    private let isContainer: Bool

    /// Creates a session on a connection that has just switched to AFC. The session shows `root` as `/`; it may be an
    /// app's container or any other folder.
    package init(
        stream: any ServiceStream, root: ConfinedRoot, device: SimulatedDevice, isContainer: Bool = false
    ) {
        self.stream = stream
        self.root = root
        self.device = device
        self.isContainer = isContainer
    }

    /// Serves the connection and blocks until the client ends it, the cable is pulled, or a fault ends it. Then
    /// closes the connection.
    package func run() {
        defer {
            device.fileService.giveBackHandles(openFiles.count)
            openFiles.removeAll()
            stream.close()
        }
        do {
            while let bytes = try receiveHeader() {
                guard try serve(bytes) else { return }
            }
        } catch {
            // The connection is broken, which the client detects on its own side.
            return
        }
    }

    var settings: SimulatedDeviceSettings { device.settings }

    /// The rules for names, folders and open files.
    var rules: FileRules { device.frequent.hasFileRules ? device.setting(\.fileRules) : FileRules() }

    /// The location of a path under the rules; see `ConfinedRoot.locate`.
    func locate(_ path: String, following: Bool, makingFolders: Bool = false) throws(AFCFailure)
        -> ConfinedLocation
    {
        let rules = rules
        return try root.locate(
            path, following: following, makingFolders: makingFolders, names: rules.names,
            fixedLevels: isContainer && !rules.hasWritableContainerRoot ? 1 : 0)
    }

    private var faults: FaultPlan { device.setting(\.faults) }

    // MARK: One request

    /// Answers one request. Returns false if the connection must end.
    private func serve(_ bytes: [UInt8]) throws -> Bool {
        let header: AFCHeader
        do throws(WireError) {
            header = try AFCHeader(decoding: bytes, maximumLength: Self.maximumPacketLength)
        } catch {
            // The packet boundaries are lost, so the rest of the stream cannot be parsed.
            let status: AFCStatus = error.code == .badMagic ? .headerInvalid : .invalidArgument
            try send(AFCReply.status(status).encode(packetNumber: 0))
            return false
        }
        let exchange = AFCExchange(header: header)
        defer { record(exchange) }
        let isWrite = header.operation == .fileWrite
        let bodyLength = isWrite ? header.headerDataLength : header.bodyLength
        guard bodyLength <= AFCHeader.maximumHeaderDataLength else {
            exchange.status = .tooMuchData
            try send(AFCReply.status(.tooMuchData).encode(packetNumber: header.packetNumber), exchange)
            return false
        }
        let body = try receive(bodyLength)
        exchange.payloadLeft = isWrite ? header.payloadLength : 0
        let decoded = Result { () throws(WireError) in try AFCRequest.decode(header, body: body) }
        if case .success(let request) = decoded { exchange.describe(request, handlePath: path(of: request)) }
        device.accept(header.operation, on: stream)
        return try carryOut(decoded, exchange)
    }

    private func carryOut(_ decoded: Result<AFCRequest, WireError>, _ exchange: AFCExchange) throws -> Bool {
        let plan = device.frequent.isFaulty ? faults : FaultPlan()
        let effects =
            plan == FaultPlan()
            ? []
            : device.fileService.effects(
                under: plan, operation: exchange.header.operation.name, paths: exchange.paths)
        let answer = AFCAnswer(effects: effects)
        if answer.disconnects == .before { return false }
        if answer.stopsReading { try wait(while: plan) }
        var reply: [UInt8]
        let number = exchange.header.packetNumber &+ answer.packetNumberOffset
        do {
            if let status = answer.status { throw AFCFailure(status) }
            let outcome = try perform(decoded.get(), exchange, answer, number: number)
            exchange.status = outcome.status
            reply = outcome.encoded(packetNumber: number)
        } catch let failure as AFCFailure {
            exchange.status = failure.status
            reply = AFCReply.status(failure.status).encode(packetNumber: number)
        } catch let error as WireError {
            exchange.status = error.code == .unknownOperation ? .operationNotSupported : .invalidArgument
            reply = AFCReply.status(exchange.status ?? .unknownError).encode(packetNumber: number)
        }
        try discardPayload(exchange)
        if answer.stalls { try wait(while: plan) }
        if answer.delay > .zero { try stream.pause(answer.delay) }
        guard answer.disconnects == .never else {
            exchange.status = nil
            return false
        }
        let goesOn = answer.bend(&reply)
        try send(reply, exchange)
        return goesOn
    }

    private func path(of request: AFCRequest) -> String? {
        request.handle.flatMap { openFiles[$0]?.path }
    }

    // MARK: Open files

    /// Opens a file and assigns it a handle that this connection has not used before. Answers 3 if too many files are
    /// open.
    func keep(_ open: () throws(AFCFailure) -> OpenFile) throws(AFCFailure) -> UInt64 {
        guard openFiles.count < Self.maximumOpenFiles,
            device.fileService.takeHandle(limit: rules.openFileLimit)
        else { throw AFCFailure(.noResources) }
        let file: OpenFile
        do throws(AFCFailure) {
            file = try open()
        } catch {
            device.fileService.giveBackHandles()
            throw error
        }
        lastHandle += 1
        openFiles[lastHandle] = file
        return lastHandle
    }

    /// The open file of a handle; an unknown handle is an invalid argument.
    func openFile(_ handle: UInt64) throws(AFCFailure) -> OpenFile {
        guard let file = openFiles[handle] else { throw AFCFailure(.invalidArgument) }
        return file
    }

    /// Closes a handle.
    func close(_ handle: UInt64) throws(AFCFailure) {
        guard openFiles.removeValue(forKey: handle) != nil else { throw AFCFailure(.invalidArgument) }
        device.fileService.giveBackHandles()
    }

    // MARK: Bytes

    /// The next `count` bytes of the payload in progress.
    func receivePayload(_ count: Int, _ exchange: AFCExchange) throws -> [UInt8] {
        let bytes = try receive(count)
        exchange.payloadLeft -= count
        return bytes
    }

    /// Reads and discards the rest of a payload, so that the next header follows.
    func discardPayload(_ exchange: AFCExchange) throws {
        while exchange.payloadLeft > 0 {
            _ = try receivePayload(min(exchange.payloadLeft, AFCExchange.chunkLength), exchange)
        }
    }

    private func receiveHeader() throws -> [UInt8]? {
        guard let bytes = try stream.read(exactly: AFCHeader.size) else { return nil }
        return device.pass(bytes.count) < bytes.count ? nil : bytes
    }

    private func receive(_ count: Int) throws -> [UInt8] {
        guard count > 0 else { return [] }
        let passing = device.pass(count)
        let bytes = passing > 0 ? try stream.read(exactly: passing) : []
        guard let bytes, passing == count else { throw AFCConnectionEnd() }
        return bytes
    }

    private func send(_ bytes: [UInt8], _ exchange: AFCExchange? = nil) throws {
        let passing = device.pass(bytes.count)
        if let exchange {
            // Recorded before the answer is sent, so that a client that has received the answer finds the request in
            // the trace.
            exchange.bytesSent = passing
            record(exchange)
        }
        if passing > 0 { try stream.write(passing == bytes.count ? bytes : Array(bytes.prefix(passing))) }
        if passing < bytes.count { throw AFCConnectionEnd() }
    }

    /// Adds a request to the trace unless it is already there.
    private func record(_ exchange: AFCExchange) {
        guard !exchange.isRecorded else { return }
        exchange.isRecorded = true
        device.fileService.record(exchange.traced)
    }

    /// Waits until the fault plan changes. It pauses in short steps so that it also ends when the connection does.
    private func wait(while plan: FaultPlan) throws {
        while faults == plan { try stream.pause(.milliseconds(10)) }
    }
}

/// The connection ends, because of a fault or in the middle of a request.
struct AFCConnectionEnd: Error {}

extension AFCSession {
    /// Carries out a request. `number` is the packet number of the answer.
    func perform(
        _ request: AFCRequest, _ exchange: AFCExchange, _ answer: AFCAnswer, number: UInt64
    ) throws -> AFCOutcome {
        if let stored = answer.storedBytes { try fillDisk(request, exchange, keeping: stored) }
        switch request {
        case .readDirectory(let path):
            return .reply(.data(AFCDirectoryListing.encode(try names(in: path))))
        case .getFileInfo(let path): return .reply(.data(try information(about: path).encode()))
        case .getDeviceInfo: return .reply(.data(deviceInformation().encode()))
        case .truncate(let path, let size): try truncate(path, to: size)
        case .removePath(let path): try remove(path)
        case .removePathAndContents(let path): try removeTree(path)
        case .makeDirectory(let path): try makeFolder(path)
        case .renamePath(let from, let to): try rename(from, to)
        case .makeLink(let kind, let target, let link): try makeLink(kind, target, link)
        case .setFileModTime(let path, let nanoseconds): try setModified(path, nanoseconds)
        case .fileOpen(let path, let mode): return .reply(.handle(try open(path, mode)))
        case .fileRead(let handle, let length):
            return .packet(try read(handle, length, limit: answer.readLimit, number: number))
        case .fileWrite(let handle, _): try write(handle, exchange)
        case .fileSeek(let handle, let origin, let offset): try seek(handle, origin, offset)
        case .fileTell(let handle): return .reply(.position(try openFile(handle).position()))
        case .fileClose(let handle): try close(handle)
        case .fileSetSize(let handle, let size): try resize(try openFile(handle), to: size)
        case .fileLock(let handle, let operation): try lock(handle, operation)
        }
        return .success
    }

    private func deviceInformation() -> AFCDeviceInfo {
        let settings = self.settings
        let free = device.fileService.freeBytes(of: settings.freeBytes)
        return AFCDeviceInfo(
            model: settings.productType, totalBytes: settings.totalBytes,
            freeBytes: min(free, settings.totalBytes),
            blockSize: 4096)
    }

    /// Stores the beginning of a payload, if there is one, and then fails because the disk is full.
    private func fillDisk(_ request: AFCRequest, _ exchange: AFCExchange, keeping count: Int) throws {
        if case .fileWrite(let handle, _) = request {
            try write(handle, exchange, atMost: min(count, exchange.payloadLeft))
        }
        throw AFCFailure(.noSpaceLeft)
    }
}
