import DeviceTransport

/// The attached devices with what each says about itself: the `devices` command.
public enum DeviceSurvey {
    /// Asks usbmuxd and every device; one that does not answer is listed with its problem. Blocks.
    public static func run(cancellation: Cancellation = Cancellation()) throws(HostError) -> [DeviceSummary] {
        throw HostError(.notSupported, "Surveys are not built yet.")
    }
}
