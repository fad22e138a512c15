/// A listener for devices that come and go. It survives a usbmuxd that starts late or restarts.
///
/// Any thread may use it, one at a time gets each event. Letting go of it ends the subscription.
public final class DeviceEventSubscription: Sendable {
    init() {}

    /// Waits for the next event.
    ///
    /// Throws `.timedOut` at the context's deadline and `.cancelled`; waiting has no other limit.
    public func next(_ context: OperationContext) throws(TransportError) -> DeviceEvent {
        throw TransportError(.notSupported, "not built yet")
    }
}
