/// A conversation with one device: what it is, whom it trusts, its apps, and the way to its files.
///
/// Methods block and may be called by any number of threads at once (not on Swift's concurrency pool). When the device
/// is unplugged every call ends within a second with `.deviceGone`; a device plugged in again needs a new session.
public final class DeviceSession: Sendable {
    /// The device.
    public let device: DeviceDescription
    /// How it is used.
    public let options: DeviceSessionOptions

    /// Binds to a device that is attached now. It does not talk to the device yet and never pairs.
    public init(
        _ device: DeviceDescription, options: DeviceSessionOptions = DeviceSessionOptions(),
        _ context: OperationContext = OperationContext()
    ) throws(TransportError) {
        self.device = device
        self.options = options
    }

    /// Whether the device was unplugged since the session began.
    public var isGone: Bool { false }

    /// What the device says about itself. Works without pairing, with fewer values.
    public func information(_ context: OperationContext = OperationContext()) throws(TransportError)
        -> DeviceInformation
    {
        throw TransportError(.notSupported, "not built yet")
    }

    /// One lockdown value; nil when the device has none of that name.
    public func value(
        _ key: String, domain: String? = nil, _ context: OperationContext = OperationContext()
    ) throws(TransportError) -> DeviceValue? {
        throw TransportError(.notSupported, "not built yet")
    }

    /// All lockdown values of a domain; nil for the default domain, which works without pairing.
    public func values(domain: String?, _ context: OperationContext = OperationContext())
        throws(TransportError)
        -> [String: DeviceValue]
    {
        throw TransportError(.notSupported, "not built yet")
    }

    /// Whether device and computer trust each other; asking never pairs them.
    public func pairing(_ context: OperationContext = OperationContext()) throws(TransportError)
        -> PairingState
    {
        throw TransportError(.notSupported, "not built yet")
    }

    /// Pairs with the device.
    ///
    /// With `waitsForAnswer` it stays until the person has answered the trust dialog, the deadline passed or the call
    /// was cancelled; without, it throws `.pairingPending` when the dialog is open. Throws `.passcodeLocked` and
    /// `.pairingDenied`, too.
    public func pair(waitsForAnswer: Bool = false, _ context: OperationContext = OperationContext())
        throws(TransportError)
    {
        throw TransportError(.notSupported, "not built yet")
    }

    /// The apps on the device; only the apps a person installed unless `includingSystem`.
    public func apps(includingSystem: Bool = false, _ context: OperationContext = OperationContext())
        throws(TransportError) -> [InstalledApp]
    {
        throw TransportError(.notSupported, "not built yet")
    }

    /// The named apps that are on the device, by bundle id; cheaper than the whole list.
    public func apps(bundleIDs: [String], _ context: OperationContext = OperationContext())
        throws(TransportError) -> [String: InstalledApp]
    {
        throw TransportError(.notSupported, "not built yet")
    }

    /// Which roots the device gives for an app and why not more. Refusals are part of the answer; it throws only when
    /// the device cannot be asked at all.
    public func roots(for bundleID: String, _ context: OperationContext = OperationContext())
        throws(TransportError) -> RootAccess
    {
        throw TransportError(.notSupported, "not built yet")
    }

    /// Opens a root. Throws the cause when iOS refuses it, with what can be done.
    public func open(_ root: DeviceRoot, _ context: OperationContext = OperationContext())
        throws(TransportError)
        -> DeviceFiles
    {
        throw TransportError(.notSupported, "not built yet")
    }

    /// Gives up connections that are kept ready. The session and open files stay usable.
    public func close() {}
}
