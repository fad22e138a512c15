import DeviceTransport
import Dispatch
import Glibc
import JSON
import OverlayHost
import Platform
import Synchronization

/// Serves one client over two descriptors: it reads requests and has them carried out. It ends within a second of the
/// end of its input.
final class RequestServer: Sendable {
    private struct State {
        var isInitialized = false
        var pending: [String: PendingRequest] = [:]
        /// The request that ends the server.
        var shutdown: JSONValue?
    }

    /// The version of the protocol.
    static let version: Int64 = 1
    /// The most requests in progress.
    static let mostPending = 256
    /// Times in milliseconds after the end of the input: for requests to finish, then to end after a cancel, to
    /// release devices, and for the client to read the answers. Together they are less than a second.
    static let limits = (finish: 250, cancel: 400, devices: 100, read: 150)

    private let reader: LineReader
    private let writer: LineWriter
    private let serving: ServingHost
    private let state = Mutex(State())
    /// Contains the requests in progress.
    private let underWay = DispatchGroup()

    /// - Parameter device: the device for requests that do not name one; nil means the only one.
    /// - Throws: if the system has no thread or descriptor left.
    init(
        input: Int32, output: Int32, _ setup: HostSetup, device: String?, _ console: Console
    ) throws(HostError) {
        guard let reader = LineReader(input, longest: RPCRequest.longestLine),
            let writer = LineWriter(output, broken: { reader.stop() })
        else { throw HostError(.hostIO, "The system has no thread or descriptor left.") }
        self.reader = reader
        self.writer = writer
        serving = ServingHost(setup, device: device, console, writer)
        setup.notePrinter.speak(above: ServingNotes(serving: serving))
    }

    /// Ends the server, like the end of its input. Any thread.
    func stop() { reader.stop() }

    /// Serves until the client ends the connection. Blocks.
    func run() {
        reading: while state.withLock({ $0.shutdown == nil }) {
            // While a client does not read its answers, no further requests are read.
            while writer.isBehind, !reader.isHungUp { writer.drain(.milliseconds(100)) }
            switch reader.next() {
            case .end: break reading
            case .tooLong:
                refuse(
                    .null,
                    RPCFailure(.noJSON, "The line is longer than \(RPCRequest.longestLine >> 20) MiB."))
            case .line(let line):
                // An empty line with the line end of Windows.
                if line == [0x0D] { continue }
                do throws(RPCRequest.Refusal) {
                    take(try RPCRequest(line))
                } catch {
                    refuse(error.id, error.failure)
                }
            }
        }
        finish()
    }

    private func refuse(_ id: JSONValue, _ failure: RPCFailure) {
        writer.send(PendingRequest.message(id, .failure(failure)))
    }

    // MARK: the end

    private func finish() {
        serving.take(nil)
        let shutdown = state.withLock { $0.shutdown }
        // Requests that are nearly done are completed, for clients that pipe requests in.
        if shutdown != nil || underWay.wait(timeout: .now() + .milliseconds(Self.limits.finish)) != .success {
            for request in state.withLock({ Array($0.pending.values) }) { request.cancellation.cancel() }
            _ = underWay.wait(timeout: .now() + .milliseconds(Self.limits.cancel))
            // Requests that still do not end are ended with the program.
            for request in state.withLock({ Array($0.pending.values) }) { request.answerCancelled() }
        }
        letGoOfDevices()
        if let shutdown {
            writer.send(PendingRequest.message(shutdown, .success(.object(JSONObject()))))
        }
        writer.drain(.milliseconds(Self.limits.read))
    }

    /// Ends the connections of all devices that are not busy, if that is quick.
    private func letGoOfDevices() {
        let group = DispatchGroup()
        for session in serving.sessions {
            group.enter()
            session.lane.add(refused: { _ in group.leave() }) {
                session.disconnect(nil, nil)
                group.leave()
            }
        }
        _ = group.wait(timeout: .now() + .milliseconds(Self.limits.devices))
    }

    // MARK: requests

    private func take(_ message: RPCRequest) {
        guard let id = message.id else {
            // Other notifications are ignored.
            if message.method == "$/cancelRequest" { _ = cancel(message.parameters["id"]) }
            return
        }
        switch message.method {
        case "initialize": refuseOrAnswer(id) { () throws(RPCFailure) in try initialize(message.parameters) }
        case "$/cancelRequest":
            refuseOrAnswer(id) { () throws(RPCFailure) in
                let wanted = message.parameters["id"]
                guard wanted?.string != nil || wanted?.integer != nil else {
                    throw RPCFailure(
                        .invalidParameters, "This parameter must be the id of a request.", subject: "id")
                }
                return .document(["cancelled": .bool(cancel(wanted))])
            }
        case "shutdown": state.withLock { $0.shutdown = id }
        default: refuseOrBegin(id, message)
        }
    }

    private func refuseOrAnswer(_ id: JSONValue, _ body: () throws(RPCFailure) -> JSONValue) {
        do throws(RPCFailure) {
            writer.send(PendingRequest.message(id, .success(try body())))
        } catch {
            refuse(id, error)
        }
    }

    private func cancel(_ id: JSONValue?) -> Bool {
        guard let id, let request = state.withLock({ $0.pending[id.text()] }) else { return false }
        request.cancellation.cancel()
        return true
    }

    private func initialize(_ object: JSONObject) throws(RPCFailure) -> JSONValue {
        guard !state.withLock({ $0.isInitialized }) else {
            throw RPCFailure(.notInitialized, "The connection is already initialized.")
        }
        let parameters = RequestParameters(object)
        do throws(HostError) {
            try parameters.checkNames(["protocol_version", "client", "idle_seconds", "log_level"])
            guard let version = parameters.value("protocol_version")?.integer else {
                throw parameters.wrong("protocol_version", "a whole number")
            }
            guard version == Self.version else {
                throw HostError(.notSupported, "This version of the protocol is not supported.")
            }
            let idle = try parameters.number("idle_seconds", 0...86_400)
            var level: ServingHost.LogLevel?
            if let word = try parameters.text("log_level") {
                level = ServingHost.LogLevel(rawValue: word)
                let words = ServingHost.LogLevel.allCases.map(\.rawValue).joined(separator: ", ")
                if level == nil { throw parameters.wrong("log_level", "one of \(words)") }
            }
            if let client = try parameters.object("client") {
                try client.checkNames(["name", "version"])
                _ = (try client.text("name"), try client.text("version"))
            }
            serving.configure(logLevel: level, idleLimit: idle.map { .seconds($0) })
        } catch {
            guard error.code == .notSupported else { throw RPCFailure(error) }
            var failure = RPCFailure(
                .unknownVersion, error.message, subject: "protocol_version",
                hint: "Use a version of overlayhost that fits the client.")
            failure.more["supported"] = .array([.integer(Self.version)])
            throw failure
        }
        state.withLock { $0.isInitialized = true }
        let methods =
            ["initialize", "shutdown", "$/cancelRequest"] + ServedMethod.all.map(\.name)
        return .document([
            "protocol_version": .integer(Self.version),
            "server": .document([
                "name": .string("overlayhost"), "version": .string(OverlayHostVersion.text),
            ]),
            "capabilities": .document([
                "methods": .texts(methods), "notifications": .texts(ServedMethod.notifications),
            ]),
            "limits": .document([
                "line_bytes": .integer(Int64(RPCRequest.longestLine)),
                "depth": .integer(Int64(RPCRequest.deepest)),
                "requests": .integer(Int64(Self.mostPending)),
            ]),
        ])
    }

    private func refuseOrBegin(_ id: JSONValue, _ message: RPCRequest) {
        guard state.withLock({ $0.isInitialized }) else {
            return refuse(
                id,
                RPCFailure(.notInitialized, "The first request must be initialize.", subject: message.method))
        }
        guard let method = ServedMethod.all.first(where: { $0.name == message.method }) else {
            let nearest = NearestName.find(message.method, in: ServedMethod.all.map(\.name))
            return refuse(
                id,
                RPCFailure(
                    .unknownMethod, "Unknown method.", subject: message.method,
                    hint: nearest.map { "Did you mean \($0)?" }))
        }
        let key = id.text()
        let request = PendingRequest(
            id: id, RequestParameters(message.parameters), writer,
            ended: { [self] in state.withLock { $0.pending[key] = nil } },
            sent: { [underWay] in underWay.leave() })
        let obstacle = state.withLock { state -> RPCFailure? in
            if state.pending[key] != nil {
                return RPCFailure(.invalidRequest, "A pending request already has this id.", subject: key)
            }
            if state.pending.count >= Self.mostPending {
                return RPCFailure(
                    HostError(
                        .busy, "\(Self.mostPending) requests are under way.",
                        hint: "Wait for answers before sending more."))
            }
            state.pending[key] = request
            underWay.enter()
            return nil
        }
        if let obstacle { return refuse(id, obstacle) }
        begin(request, method)
    }

    private func begin(_ request: PendingRequest, _ method: ServedMethod) {
        do throws(HostError) {
            try request.parameters.checkNames(method.parameters)
            switch method.work {
            case .host(let work, let asksDevices):
                try beginThread(request, asksDevices: asksDevices, work)
            case .device(let prepare):
                let (work, turns) = (try prepare(request.parameters), try DeviceTurns(serving, request))
                if let named = turns.namedDevice { return turns.take(named, work) }
                try beginThread(request) { _, _ throws(HostError) in
                    try turns.findAndTake(work)
                    return nil
                }
            case .devices(let prepare, let answer):
                let (work, turns) = (try prepare(request.parameters), try DeviceTurns(serving, request))
                if let named = turns.namedDevices { return turns.take(named, work, answer: answer) }
                try beginThread(request) { _, _ throws(HostError) in
                    try turns.findAndTake(work, answer: answer)
                    return nil
                }
            case .session(let work):
                let session = try serving.session(try request.parameters.requiredText("session"))
                session.lane.add(request) {
                    request.answer { () throws(HostError) in try work(session, request) }
                }
            }
        } catch {
            request.answer(.failure(RPCFailure(error)))
        }
    }

    private func beginThread(
        _ request: PendingRequest, asksDevices: Bool = true, _ work: @escaping ServedMethod.HostWork
    ) throws(HostError) {
        let hasThread = SystemThread.detached { [serving] in
            do throws(HostError) {
                let result =
                    if asksDevices {
                        try serving.gate.pass(request.cancellation) { () throws(HostError) in
                            try work(serving, request)
                        }
                    } else {
                        try work(serving, request)
                    }
                guard let result else { return }
                request.answer(.success(result))
            } catch {
                request.answer(.failure(RPCFailure(error)))
            }
        }
        if !hasThread { throw HostError(.hostIO, "The system has no thread left.") }
    }
}
