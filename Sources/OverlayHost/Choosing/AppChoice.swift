/// Which reader app a command works on, and with which overlay. Pure: decided from values alone.
public struct AppChoice: Sendable, Equatable {
    /// Where the overlay comes from.
    public enum Source: Sendable, Equatable {
        /// An overlay found in a plugins folder, by its id.
        case discovered(id: String)
        /// The overlay under development, by its path.
        case development(file: String)
    }

    /// Why it was chosen.
    public enum Reason: String, Sendable {
        /// `--app`.
        case option
        /// `preferred_reader_app`.
        case preference
        /// The only served app on the device.
        case onlyServedApp
        /// `development_mode` with its two companions.
        case development
    }

    /// The overlay to use.
    public var overlay: Source
    /// Bundle ids to open, in order of preference; never empty. The first that can be opened wins.
    public var bundleIDs: [String]
    /// The app's name, for people.
    public var appName: String
    /// Why it was chosen.
    public var reason: Reason
    /// Sentences a person should see, such as what is missing of a half-made development setting.
    public var notes: [String]
}

/// What the choice of a reader app depends on.
public struct AppChoiceFacts: Sendable {
    /// An app on the device.
    public struct InstalledApp: Sendable, Equatable {
        /// Its bundle id.
        public var bundleID: String
        /// Its name on the home screen.
        public var name: String

        /// An installed app.
        public init(bundleID: String, name: String) {
            self.bundleID = bundleID
            self.name = name
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
    public var overlays: [OverlayDescriptor]
    /// The apps on the device; nil when no device has been asked, which skips the questions about the device.
    public var installed: [InstalledApp]?

    /// The facts.
    public init(
        requested: String? = nil, preferred: String? = nil, development: Development = Development(),
        overlays: [OverlayDescriptor], installed: [InstalledApp]?
    ) {
        self.requested = requested
        self.preferred = preferred
        self.development = development
        self.overlays = overlays
        self.installed = installed
    }
}
