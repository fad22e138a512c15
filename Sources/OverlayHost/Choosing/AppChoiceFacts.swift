/// The facts on which the choice of a reader app depends.
///
/// ```swift
/// let kindle = AppChoiceFacts.InstalledApp(bundleID: "com.amazon.Lassen", name: "Kindle")
/// let overlay = OverlayDescription(
///     id: "kindle", name: "Kindle", version: "1.0.0", appName: "Kindle", appIDs: [kindle.bundleID])
/// let facts = AppChoiceFacts(overlays: [overlay], installed: [kindle])
/// print(try AppChoice.choose(facts).reason)  // onlyServedApp
/// ```
public struct AppChoiceFacts: Sendable {
    /// An app on the device.
    public struct InstalledApp: Sendable, Equatable {
        /// The bundle identifier.
        public var bundleID: String
        /// The name on the home screen.
        public var name: String
        /// Whether the app shares its Documents folder.
        public var sharesFiles: Bool

        /// Creates an installed app.
        public init(bundleID: String, name: String, sharesFiles: Bool = false) {
            self.bundleID = bundleID
            self.name = name
            self.sharesFiles = sharesFiles
        }
    }

    /// The three development settings.
    public struct Development: Sendable, Equatable {
        /// `development_mode`.
        public var isOn: Bool
        /// `development_app_id`.
        public var appID: String?
        /// `development_overlay`.
        public var overlay: String?

        /// Creates the settings; all are off by default.
        public init(isOn: Bool = false, appID: String? = nil, overlay: String? = nil) {
            self.isOn = isOn
            self.appID = appID
            self.overlay = overlay
        }
    }

    /// The value of `--app`: a name or bundle identifier.
    public var requested: String?
    /// The value of `preferred_reader_app`.
    public var preferred: String?
    /// The development settings.
    public var development: Development
    /// The usable overlays in order of precedence.
    public var overlays: [OverlayDescription]
    /// The error if there are no overlays.
    public var noOverlay: HostError
    /// The apps on the device; nil if the device was not asked, which skips the checks that need it.
    public var installed: [InstalledApp]?

    /// Creates the facts.
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

extension AppChoiceFacts {
    /// Collects the facts from the command line, the preferences, a catalog and a device.
    public init(
        requested: String?, preferences: PreferenceValues, catalog: OverlayCatalog, installed: [InstalledApp]?
    ) throws(HostError) {
        self.init(
            requested: requested, preferred: try preferences.text("preferred_reader_app"),
            development: try Development(preferences), overlays: catalog.overlays.map(\.descriptor),
            installed: installed)
    }
}

extension AppChoiceFacts.Development {
    /// Reads the development settings from the preferences.
    public init(_ preferences: PreferenceValues) throws(HostError) {
        self.init(
            isOn: try preferences.bool("development_mode"), appID: try preferences.text("development_app_id"),
            overlay: try preferences.text("development_overlay"))
    }

    /// A sentence that explains why the settings for an overlay under development have no effect, and what to type;
    /// nil if none or all of them are set.
    public var note: String? {
        let all = [("development_app_id", "BUNDLE-ID", appID), ("development_overlay", "FILE", overlay)]
        let set = all.filter { $0.2?.isEmpty == false }.map(\.0)
        guard !set.isEmpty else { return nil }
        let unused = set.joined(separator: " and ") + (set.count == 1 ? " is" : " are")
        if !isOn { return Self.note(unused, "development_mode is off", "development_mode true") }
        guard let missing = all.first(where: { !set.contains($0.0) }) else { return nil }
        return Self.note(unused, "\(missing.0) is missing", "\(missing.0) \(missing.1)")
    }

    private static func note(_ unused: String, _ reason: String, _ setting: String) -> String {
        "\(unused) not used because \(reason). To change this, run 'overlayhost prefs set \(setting)'."
    }
}
