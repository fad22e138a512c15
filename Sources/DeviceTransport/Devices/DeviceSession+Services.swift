import Synchronization

extension DeviceSession {
    /// Starts services in one conversation with lockdownd, each for one connection. A name may occur twice.
    func start(_ services: [String], _ context: OperationContext) throws(TransportError) -> [Result<
        LockdownClient.StartedService, TransportError
    >] {
        try withLockdown(session: true, context) { client throws(TransportError) in
            var results: [Result<LockdownClient.StartedService, TransportError>] = []
            for service in services {
                do throws(TransportError) {
                    results.append(.success(try client.start(service, context)))
                } catch {
                    // An error that the device answers affects only this service.
                    guard client.isInStep || !results.isEmpty else { throw error }
                    let failure = error.about(device.udid)
                    results.append(.failure(failure))
                    guard client.isInStep else {
                        results += Array(
                            repeating: .failure(failure), count: services.count - results.count)
                        return results
                    }
                }
            }
            return results
        }
    }

    /// Connects to a started service, with TLS if the device requires it. A connection that is refused is tried once
    /// more, because a service may not be ready as soon as it was started.
    func connect(_ service: LockdownClient.StartedService, _ context: OperationContext) throws(TransportError)
        -> ServiceConnection
    {
        let doing = "Connecting to \(service.name)"
        do throws(TransportError) {
            let connection = try options.trace.call("idevice.connect", service.name) {
                () throws(TransportError) in
                try LibraryCall.run(context, life: handle.life) {
                    [handle] () -> Result<ServiceConnection, TransportError> in
                    let first = ServiceConnection.open(handle, port: service.port, doing: doing)
                    guard case .failure(let error) = first, error.code == .connectionLost else {
                        return first
                    }
                    return ServiceConnection.open(handle, port: service.port, doing: doing)
                }
            }
            guard let identity = service.identity else { return connection }
            try options.trace.call("idevice.enable_ssl", service.name) { () throws(TransportError) in
                try connection.enableTLS(identity, doing: doing, context)
            }
            return connection
        } catch {
            throw diagnosed(error)
        }
    }

    /// Opens a property-list conversation with a service.
    func converse(with service: String, _ context: OperationContext) throws(TransportError)
        -> PropertyListConversation
    {
        guard let started = try start([service], context).first else {
            throw TransportError(.internalFailure, "The service \(service) was not started.")
        }
        return PropertyListConversation(connection: try connect(try started.get(), context))
    }

    /// Asks house_arrest for a root. Afterwards the connection speaks AFC.
    func vend(_ root: DeviceRoot, _ service: LockdownClient.StartedService, _ context: OperationContext)
        throws(TransportError) -> ServiceConnection
    {
        try vend(root, over: try connect(service, context), context)
    }

    /// Does the same over a connection to house_arrest, or to AFC for a root that does not belong to an app.
    func vend(_ root: DeviceRoot, over connection: ServiceConnection, _ context: OperationContext)
        throws(TransportError) -> ServiceConnection
    {
        guard let bundleID = root.bundleID else { return connection }
        let command = root.kind == .container ? "VendContainer" : "VendDocuments"
        try options.trace.call("house_arrest." + command, bundleID) { () throws(TransportError) in
            try ask(command, root, bundleID, PropertyListConversation(connection: connection), context)
        }
        return connection
    }

    private func ask(
        _ command: String, _ root: DeviceRoot, _ bundleID: String, _ conversation: PropertyListConversation,
        _ context: OperationContext
    ) throws(TransportError) {
        let answer: [String: DeviceValue]
        do throws(TransportError) {
            try conversation.send(
                ["Command": .string(command), "Identifier": .string(bundleID)], context)
            answer = try conversation.receive(context)
        } catch {
            throw diagnosed(error)
        }
        if let name = answer["Error"]?.string { throw TransportError(houseArrest: name, root: root) }
        guard answer["Status"]?.string == "Complete" else {
            throw TransportError(
                .protocolViolation, "The device neither opened nor refused the \(root).", subject: bundleID,
                hint: TransportError.reconnectHint)
        }
    }
}

extension DeviceRoot {
    /// The service that opens the folders of apps.
    static let houseArrest = "com.apple.mobile.house_arrest"

    /// The service that opens the root.
    var service: String {
        switch self {
        case .container, .documents: Self.houseArrest
        case .media: "com.apple.afc"
        }
    }
}
