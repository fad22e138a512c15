import DeviceTransport
import OverlayHost
import Synchronization

/// A device of which things go wrong as a trial wants it. Its connections stay open from trial to trial.
final class FaultyDevice: DeviceAccess {
    private let base: any DeviceAccess
    private let faults: DeviceFaults
    private let opened = Mutex<[String: any FileAccess]>([:])

    init(_ base: any DeviceAccess, _ faults: DeviceFaults) {
        self.base = base
        self.faults = faults
    }

    var device: DeviceDescription { base.device }
    var isGone: Bool { faults.isGone || base.isGone }

    func whenGone(_ handler: @escaping @Sendable () -> Void) -> (any AnyObject & Sendable)? {
        faults.whenGone(handler)
    }

    func information(_ context: OperationContext) throws(TransportError) -> DeviceInformation {
        try base.information(context)
    }

    func pairing(_ context: OperationContext) throws(TransportError) -> PairingState {
        try base.pairing(context)
    }

    func askForTrust(_ context: OperationContext) throws(TransportError) -> PairingState {
        try base.askForTrust(context)
    }

    func apps(bundleIDs: [String], _ context: OperationContext) throws(TransportError) -> [String:
        InstalledApp]
    {
        try base.apps(bundleIDs: bundleIDs, context)
    }

    func apps(includingSystem: Bool, _ context: OperationContext) throws(TransportError) -> [InstalledApp] {
        try base.apps(includingSystem: includingSystem, context)
    }

    func roots(for bundleID: String, _ context: OperationContext) throws(TransportError) -> RootAccess {
        try base.roots(for: bundleID, context)
    }

    func openFiles(_ root: DeviceRoot, _ context: OperationContext) throws(TransportError) -> any FileAccess {
        if faults.isGone { throw DeviceFaults.gone }
        let key = "\(root)"
        if let files = opened.withLock({ $0[key] }) { return FaultyFiles(files, faults) }
        let files = try base.openFiles(root, context)
        opened.withLock { $0[key] = files }
        return FaultyFiles(files, faults)
    }

    func wait(for duration: Duration, _ context: OperationContext) throws(TransportError) {
        try faults.pass()
        try base.wait(for: duration, context)
    }

    /// Nothing: the next trial goes on with the connections.
    func close() {}

    /// Gives up the connections.
    func closeForGood() {
        let files = opened.withLock { opened in
            defer { opened = [:] }
            return Array(opened.values)
        }
        for files in files { files.close() }
        base.close()
    }
}
