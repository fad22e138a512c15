import FoundationEssentials

extension SimulatedDevice {
    /// Starts a service, which then waits at its own port for the host of a session. The host may present the escrow
    /// bag of its pairing.
    func startService(_ name: String, hostID: String, escrowBag: Data?) throws -> OfferedService {
        let settings = settings
        if let refusal = settings.refusedServices[name] { throw LockdownError(rawValue: refusal) }
        guard let run = service(name) else { throw LockdownError.invalidService }
        let isFileService = name == HouseArrest.serviceName || name == MediaFiles.serviceName
        if isFileService, settings.isLocked { try checkEscrowBag(escrowBag, of: hostID) }
        let tls = settings.usesTLS && settings.serviceTLS ? try pairing.context(for: hostID) : nil
        let offered = ports.offer(limit: settings.connectionLimit, isFileService: isFileService) { port in
            OfferedService(
                name: name, port: port, isFileService: isFileService,
                readsOnly: name != NotificationProxy.serviceName, tls: tls, run: run)
        }
        guard let offered else { throw LockdownError.serviceLimit }
        try openNetworkPort(offered.port)
        counting.count { $0.servicesStarted += 1 }
        return offered
    }

    /// Throws the error of a locked device, unless the escrow bag of the pairing unlocks it.
    private func checkEscrowBag(_ bag: Data?, of hostID: String) throws {
        guard let bag, try pairing.accepts(escrowBag: bag, of: hostID) else {
            throw LockdownError.passwordProtected
        }
        guard settings.wasUnlockedSinceStart else { throw LockdownError.missingValue }
    }

    /// The service that waits at a port; nil if there is none.
    func takeService(port: UInt16) -> OfferedService? {
        guard port == ServicePorts.lockdown else {
            if refusesConnection() { return nil }
            let service = ports.take(port)
            if service != nil { counting.count { $0.servicesConnected += 1 } }
            return service
        }
        return OfferedService(
            name: "com.apple.mobile.lockdown", port: port, isFileService: false, readsOnly: true, tls: nil
        ) { [self] stream in
            try LockdownService(device: self, stream: stream).run()
        }
    }

    func releaseService(_ service: OfferedService) { ports.release(service) }

    private func service(_ name: String) -> (@Sendable (ConnectionStream) throws -> Void)? {
        switch name {
        case HouseArrest.serviceName: { [self] in try HouseArrest(device: self, stream: $0).run() }
        case MediaFiles.serviceName: { [self] in try MediaFiles(device: self, stream: $0).run() }
        case InstallationProxy.serviceName:
            { [self] in try InstallationProxy(device: self, stream: $0).run() }
        case NotificationProxy.serviceName:
            { [self] in try NotificationProxy(device: self, stream: $0).run() }
        default: nil
        }
    }
}
