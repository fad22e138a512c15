/// The devices that are attached, by way of usbmuxd.
///
/// `USBMUXD_SOCKET_ADDRESS` chooses the daemon; it is read at every call. All methods block and may be called on any
/// thread but one of Swift's concurrency pool.
public struct DeviceCatalog: Sendable {
    /// Makes a catalogue; it holds nothing.
    public init() {}

    /// The attached devices, in the order usbmuxd names them; one entry per device, however many ways lead to it.
    ///
    /// Throws `.muxUnavailable` when no usbmuxd answers.
    public func devices(_ context: OperationContext = OperationContext()) throws(TransportError)
        -> [DeviceDescription]
    {
        throw TransportError(.notSupported, "not built yet")
    }

    /// The one device that is meant.
    ///
    /// - Parameter selector: nil means the only device there is. Otherwise the beginning of a UDID (case and dashes do
    ///   not matter) or of the device's name (case does not matter); a whole UDID or name wins over beginnings.
    ///
    /// Throws `.noDevice` or `.ambiguousDevice`, naming the choices.
    public func device(matching selector: String? = nil, _ context: OperationContext = OperationContext())
        throws(TransportError) -> DeviceDescription
    {
        throw TransportError(.notSupported, "not built yet")
    }

    /// Begins to listen: the subscription first delivers the devices that are there, then the news.
    public func events() -> DeviceEventSubscription { DeviceEventSubscription() }
}
