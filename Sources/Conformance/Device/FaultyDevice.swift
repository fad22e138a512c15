import DeviceTransport
import OverlayHost
import Synchronization

/// A device with the faults that a trial sets. Its connections stay open between trials.
final class FaultyDevice: DeviceAccess {
    private let connection: Mutex<Connection>
    private let faults: DeviceFaults

    /// The resources that end when the device is unplugged.
    private struct Connection {
        var session: any DeviceAccess
        var files: [String: any FileAccess] = [:]
    }

    init(_ session: any DeviceAccess, _ faults: DeviceFaults) {
        connection = Mutex(Connection(session: session))
        self.faults = faults
    }

    private var base: any DeviceAccess { connection.withLock { $0.session } }

    /// Uses a new session after the device was unplugged.
    func reconnect(_ session: any DeviceAccess) {
        closeForGood()
        connection.withLock { $0 = Connection(session: session) }
    }

    var device: DeviceDescription { base.device }
    var isGone: Bool { faults.isGone || base.isGone }

    func whenGone(_ handler: @escaping @Sendable () -> Void) -> (any AnyObject & Sendable)? {
        Handlers(simulated: faults.whenGone(handler), real: base.whenGone(handler))
    }

    private final class Handlers: Sendable {
        let simulated: DeviceFaults.Registration
        let real: (any AnyObject & Sendable)?

        init(simulated: DeviceFaults.Registration, real: (any AnyObject & Sendable)?) {
            self.simulated = simulated
            self.real = real
        }
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

    func roots(for bundleID: String, _ context: OperationContext) throws(TransportError) -> GrantedRoots {
        try base.roots(for: bundleID, context)
    }

    func openFiles(_ root: DeviceRoot, _ context: OperationContext) throws(TransportError) -> any FileAccess {
        if faults.isGone { throw DeviceFaults.gone }
        let key = "\(root)"
        if let files = connection.withLock({ $0.files[key] }) { return FaultyFiles(files, faults) }
        let files = try base.openFiles(root, context)
        connection.withLock { $0.files[key] = files }
        return FaultyFiles(files, faults)
    }

    func wait(for duration: Duration, _ context: OperationContext) throws(TransportError) {
        try faults.pass()
        try base.wait(for: duration, context)
    }

    /// Does nothing: the next trial uses the same connections.
    func close() {}

    /// Closes the connections.
    func closeForGood() {
        let (session, files) = connection.withLock { connection in
            defer { connection.files = [:] }
            return (connection.session, Array(connection.files.values))
        }
        for files in files { files.close() }
        session.close()
    }
}
