/// What the choice of a reader app depends on.
public struct AppChoiceFacts: Sendable {
    /// An app on the device.
    public struct InstalledApp: Sendable, Equatable {
        /// Its bundle id.
        public var bundleID: String
        /// Its name on the home screen.
        public var name: String
        /// Whether it shares its Documents folder.
        public var sharesFiles: Bool

        /// An installed app.
        public init(bundleID: String, name: String, sharesFiles: Bool = false) {
            self.bundleID = bundleID
            self.name = name
            self.sharesFiles = sharesFiles
        }
    }

    /// The three development switches.
    public struct Development: Sendable, Equatable {
        /// `development_mode`.
        public var isOn: Bool
        /// `development_app_id`.
        public var appID: String?
        /// `development_overlay`.
        public var overlay: String?

        /// The switches; all off by default.
        public init(isOn: Bool = false, appID: String? = nil, overlay: String? = nil) {
            self.isOn = isOn
            self.appID = appID
            self.overlay = overlay
        }
    }

    /// `--app`: a name or bundle id.
    public var requested: String?
    /// `preferred_reader_app`.
    public var preferred: String?
    /// The development switches.
    public var development: Development
    /// The usable overlays in order of precedence.
    public var overlays: [OverlayDescription]
    /// The error if there are none.
    public var noOverlay: HostError
    /// The apps on the device; nil when no device has been asked, which skips the questions about the device.
    public var installed: [InstalledApp]?

    /// The facts.
    public init(
        requested: String? = nil, preferred: String? = nil, development: Development = Development(),
        overlays: [OverlayDescription], noOverlay: HostError = OverlayCatalog().noOverlay,
        installed: [InstalledApp]?
    ) {
        self.requested = requested
        self.preferred = preferred
        self.development = development
        self.overlays = overlays
        self.noOverlay = noOverlay
        self.installed = installed
    }
}
