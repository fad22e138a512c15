extension SimulatedDevice {
    /// Whether the device is paired with a host; a list of hosts that cannot be read counts as none.
    func knowsHost(_ hostID: String) -> Bool {
        guard settings.trust == .trusted else { return false }
        do {
            return try pairing.knows(hostID)
        } catch {
            return false
        }
    }

    /// The user has tapped "Trust" for a host that asked to pair; the host makes its own record.
    func becomePaired(with host: PairedHost) throws {
        try pairing.add(host)
        changeTrustQuietly(to: .trusted)
    }

    /// A host has given its pairing back.
    func forgetHost(_ hostID: String) throws {
        if try pairing.remove(hostID) { changeTrustQuietly(to: .neverPaired) }
    }
}
