import DeviceTransport

/// Finds out which reader apps are on a device, which overlay serves each, and what iOS grants: the `apps` command.
public struct ReaderAppSurvey: Sendable {
    /// The device.
    public var device: DeviceSummary
    /// The reader apps on it that an overlay serves, in the overlays' order.
    public var apps: [App]

    /// One app.
    public struct App: Sendable {
        /// Its bundle id.
        public var bundleID: String
        /// Its name on the home screen.
        public var name: String
        /// Its version; nil if unknown.
        public var version: String?
        /// The id of the overlay that serves it.
        public var overlay: String
        /// The roots iOS grants: `container`, `documents`, `media`.
        public var access: [String]
        /// The roots it does not.
        public var refused: [Refusal]
    }

    /// A root that is not granted.
    public struct Refusal: Sendable {
        /// `container`, `documents` or `media`.
        public var root: String
        /// Why, one sentence.
        public var reason: String
        /// What helps; nil if nothing does.
        public var hint: String?
    }

    /// Asks the device that `selector` means (see `SessionRequest.device`). Blocks.
    public static func run(
        device selector: String?, overlays: [OverlayDescriptor], cancellation: Cancellation = Cancellation()
    ) throws(HostError) -> ReaderAppSurvey {
        throw HostError(.notSupported, "Surveys are not built yet.")
    }
}
