import PropertyLists

extension LockdownService {
    func pair(_ request: PropertyList) throws -> [String: PropertyList] {
        guard let record = request["PairRecord"] else { throw LockdownError.missingPairRecord }
        guard let hostID = record["HostID"]?.string else { throw LockdownError.missingHostID }
        let settings = device.settings
        if settings.isLocked { throw LockdownError.passwordProtected }
        switch settings.trust {
        case .denied: throw LockdownError.userDeniedPairing
        case .pairingPending: throw LockdownError.pairingDialogResponsePending
        case .trusted, .neverPaired: break
        }
        guard var host = PairedHost(record, hostID: hostID), try device.pairing.accepts(host) else {
            throw LockdownError.invalidPairRecord
        }
        let bag = PairRecord.newEscrowBag()
        host.escrowBag = bag
        try device.becomePaired(with: host)
        return ["EscrowBag": .data(bag)]
    }

    func validatePair(_ request: PropertyList) throws -> [String: PropertyList] {
        _ = try knownHost(request)
        return [:]
    }

    func unpair(_ request: PropertyList) throws -> [String: PropertyList] {
        try device.forgetHost(try knownHost(request))
        return [:]
    }

    private func knownHost(_ request: PropertyList) throws -> String {
        guard let record = request["PairRecord"] else { throw LockdownError.missingPairRecord }
        guard let hostID = record["HostID"]?.string else { throw LockdownError.missingHostID }
        guard device.knowsHost(hostID) else { throw LockdownError.invalidHostID }
        return hostID
    }
}

extension SimulatedDevice {
    /// Whether the device is paired with a host. If the list of hosts cannot be read, it counts as empty.
    func knowsHost(_ hostID: String) -> Bool {
        guard settings.trust == .trusted else { return false }
        do {
            return try pairing.knows(hostID)
        } catch {
            return false
        }
    }

    /// Pairs the device after the user tapped "Trust" for a host that asked to pair. The host creates its own record.
    func becomePaired(with host: PairedHost) throws {
        try pairing.add(host)
        changeTrustQuietly(to: .trusted)
    }

    /// Removes the pairing of a host that unpaired.
    func forgetHost(_ hostID: String) throws {
        if try pairing.remove(hostID) { changeTrustQuietly(to: .neverPaired) }
    }
}
