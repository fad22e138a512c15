import Synchronization

/// A conversation with lockdownd, in a session if the host is paired with the device. Used by one thread at a time.
///
/// lockdownd closes idle connections, so a client is kept for another use only for a limited time (see
/// `DeviceSession.isFresh`).
final class LockdownClient: @unchecked Sendable {
    // All members are used by one thread at a time: the one that took the client from its session.
    private let conversation: PropertyListConversation
    private let label: String
    private let trace: DeviceTrace?
    private var session: Session?
    /// Whether every request so far has been answered. If not, the next answer may belong to an earlier request.
    private(set) var isInStep = true
    /// The version of iOS; nil without a session, or if the device does not report it.
    private(set) var system: DeviceInformation?

    /// A session, and the values that its services need.
    private struct Session {
        var id: String?
        var record: HostPairRecord
        var identity: TLSIdentity
    }

    /// The port of lockdownd on every device.
    private static let port: UInt16 = 62078
    /// The largest size of an answer, in bytes.
    private static let maximumLength = 16 << 20

    /// Connects. With `session`, also authenticates with the host's pair record. Never pairs: a missing record is an
    /// error.
    static func connect(
        _ handle: DeviceHandle, label: String, session: Bool, trace: DeviceTrace?, _ context: OperationContext
    ) throws(TransportError) -> LockdownClient {
        let (record, connection) = try trace.call("lockdownd.connect") { () throws(TransportError) in
            try LibraryCall.run(context, life: handle.life) {
                Result { () throws(TransportError) in
                    // Without a record no session is possible, so the device is not contacted.
                    let record = session ? try HostPairRecord.read(udid: handle.life.udid) : nil
                    let connection = ServiceConnection.open(
                        handle, port: port, doing: "Talking to the device")
                    return (record, try connection.get())
                }
            }
        }
        let client = LockdownClient(connection, label, trace)
        if let record {
            try trace.call("lockdownd.StartSession") { () throws(TransportError) in
                try client.begin(record, context)
            }
        }
        return client
    }

    private init(_ connection: ServiceConnection, _ label: String, _ trace: DeviceTrace?) {
        conversation = PropertyListConversation(connection: connection, limit: Self.maximumLength)
        self.label = label
        self.trace = trace
    }

    deinit {
        guard isInStep, let id = session?.id else { return }
        // The device ends the session whether or not its answer is awaited. If the request does not fit into the
        // socket now, closing the connection ends the session.
        let end = OperationContext(limit: .zero)
        do throws(TransportError) {
            try conversation.send(request("StopSession", ["SessionID": .string(id)]), end)
        } catch {}
    }

    /// Whether lockdownd has closed the conversation.
    var isStale: Bool { conversation.connection.isStale }

    /// Begins a session: requests the version of iOS, on which the rest depends, and encrypts the connection.
    private func begin(_ record: HostPairRecord, _ context: OperationContext) throws(TransportError) {
        let doing = "Talking to the device"
        // Preparing encryption takes longer than the device needs to answer, so one half is done during each of two
        // answers.
        typealias Beginning = (Result<TLSIdentity, TransportError>, DeviceInformation?)
        let (prepared, version) = try trace.call("lockdownd.GetValue", "ProductVersion") {
            () throws(TransportError) -> Beginning in
            let end = try send("GetValue", ["Key": .string("ProductVersion")], context)
            let prepared = Result { () throws(TransportError) in try TLSIdentity() }
            return (prepared, try self.version(until: end, context))
        }
        system = version
        if version?.isAtLeast(7) != true {
            // Older systems trust a host only after this request.
            _ = try ask(
                "ValidatePair", ["PairRecord": record.forValidation, "ProtocolVersion": .string("2")],
                doing: doing, context)
        }
        let end = try send("StartSession", record.credentials, context)
        let identity = Result { () throws(TransportError) in
            let identity = try prepared.get()
            try record.fill(identity, isBeforeIOS10: version?.isAtLeast(10) != true)
            return identity
        }
        let answer = try receive("StartSession", until: end, doing: doing, context)
        if answer["EnableSessionSSL"]?.bool == true {
            isInStep = false
            try trace.call("lockdownd.enable_ssl") { () throws(TransportError) in
                try conversation.connection.enableTLS(identity.get(), doing: doing, context)
            }
            isInStep = true
        }
        session = Session(id: answer["SessionID"]?.string, record: record, identity: try identity.get())
    }

    /// The answer to the request for the version of iOS; nil if the device does not report it.
    private func version(
        until end: ContinuousClock.Instant, _ context: OperationContext
    ) throws(TransportError) -> DeviceInformation? {
        do throws(TransportError) {
            let answer = try receive("GetValue", until: end, doing: "Reading ProductVersion", context)
            return answer["Value"].map { DeviceInformation(values: ["ProductVersion": $0]) }
        } catch {
            guard isInStep else { throw error }
            return nil
        }
    }

    /// One value, or all values of a domain if the key is nil; nil if the device has none.
    func value(domain: String?, key: String?, _ context: OperationContext) throws(TransportError)
        -> DeviceValue?
    {
        let subject = [domain, key].compactMap { $0 }.joined(separator: " ")
        return try trace.call("lockdownd.GetValue", subject.isEmpty ? nil : subject) {
            () throws(TransportError) in
            var arguments: [String: DeviceValue] = [:]
            if let domain { arguments["Domain"] = .string(domain) }
            if let key { arguments["Key"] = .string(key) }
            let answer: [String: DeviceValue]
            do throws(TransportError) {
                answer = try ask(
                    "GetValue", arguments, doing: "Reading \(key ?? domain ?? "the device's values")", context
                )
            } catch {
                guard error.native?.name == "MissingValue" else { throw error }
                return nil
            }
            guard let value = answer["Value"] else {
                throw .violation("The device did not return \(key ?? domain ?? "its values").")
            }
            return value
        }
    }

    /// A started service, which accepts one connection.
    struct StartedService: Sendable {
        var name: String
        var port: UInt16
        /// The TLS identity of the host; nil for a service without TLS.
        var identity: TLSIdentity?
    }

    /// Starts a service for one connection. If the device is locked, tries again with the escrow bag of the pair
    /// record, which works if the device was unlocked since it was turned on.
    func start(_ service: String, _ context: OperationContext) throws(TransportError) -> StartedService {
        do throws(TransportError) {
            return try trace.call("lockdownd.StartService", service) { () throws(TransportError) in
                try start(service, [:], context)
            }
        } catch {
            guard error.native?.name == "PasswordProtected", let bag = session?.record.escrowBag else {
                throw error
            }
            let refusal = error
            return try trace.call("lockdownd.StartService", "\(service) with the escrow bag") {
                () throws(TransportError) in
                do throws(TransportError) {
                    return try start(service, ["EscrowBag": bag], context)
                } catch {
                    throw TransportError.locked(refusal, withBag: error)
                }
            }
        }
    }

    private func start(
        _ service: String, _ arguments: [String: DeviceValue], _ context: OperationContext
    ) throws(TransportError) -> StartedService {
        let answer = try ask(
            "StartService", arguments.merging(["Service": .string(service)]) { $1 },
            doing: "Starting \(service)", context)
        guard let port = answer["Port"]?.integer.flatMap({ UInt16(exactly: $0) }), port != 0 else {
            throw .violation("The device started \(service) without reporting its port.")
        }
        let usesTLS = answer["EnableServiceSSL"]?.bool == true
        return StartedService(name: service, port: port, identity: usesTLS ? session?.identity : nil)
    }

    // MARK: Requests

    private func ask(
        _ name: String, _ arguments: [String: DeviceValue], doing: String, _ context: OperationContext
    ) throws(TransportError) -> [String: DeviceValue] {
        let end = try send(name, arguments, context)
        return try receive(name, until: end, doing: doing, context)
    }

    private func request(_ name: String, _ arguments: [String: DeviceValue]) -> [String: DeviceValue] {
        arguments.merging(["Label": .string(label), "Request": .string(name)]) { $1 }
    }

    /// Sends a request. Returns the time by which the complete answer must arrive.
    private func send(_ name: String, _ arguments: [String: DeviceValue], _ context: OperationContext)
        throws(TransportError) -> ContinuousClock.Instant
    {
        try context.check()
        let end = ContinuousClock.now.advanced(by: context.silenceLimit)
        isInStep = false
        try conversation.send(request(name, arguments), context, until: end)
        return end
    }

    /// Receives the answer to a request. Throws if the answer is an error.
    private func receive(
        _ name: String, until end: ContinuousClock.Instant, doing: String, _ context: OperationContext
    ) throws(TransportError) -> [String: DeviceValue] {
        let answer = try conversation.receive(context, until: end)
        if let answered = answer["Request"]?.string, answered != name {
            throw .violation("The device answered \(answered) instead of \(name).")
        }
        isInStep = true
        if let reason = answer["Error"] {
            throw TransportError(lockdownAnswer: reason.string ?? "an unnamed error", doing: doing)
        }
        // Before iOS 5, an answer has a result and may have no error.
        if answer["Result"]?.string == "Failure" {
            throw TransportError(lockdownAnswer: "Failure", doing: doing)
        }
        return answer
    }
}
