/// What the author of an overlay writes: one class that conforms to this protocol, and to one protocol more for each
/// method it implements.
///
/// A method whose protocol the class does not conform to is a null slot of the contract: the host does without it.
/// The initialiser and all methods run on the one device thread of the instance, one call at a time; each protocol
/// names the states its method is called in. Instances need not be Sendable. An error that a method throws reaches the
/// host with all it says; a trap cannot be caught and ends the process the overlay runs in.
public protocol Overlay: AnyObject, SendableMetatype {
    /// What the overlay is. Read once; must not depend on anything outside the overlay.
    static var descriptor: OverlayDescriptor { get }

    /// Makes an instance. May use the log and the preferences of `host`, no other service.
    init(host: HostServices) throws(OverlayError)

    /// {created} Prepares the instance; no device is needed. The transport service is refused.
    func initialize() throws(OverlayError)

    /// {initialized, attached, yanked, ejected} Ends the instance's work. The transport service is refused.
    func shutdown() throws(OverlayError)
}

extension Overlay {
    /// Prepares nothing.
    public func initialize() throws(OverlayError) {}

    /// Ends nothing.
    public func shutdown() throws(OverlayError) {}
}
