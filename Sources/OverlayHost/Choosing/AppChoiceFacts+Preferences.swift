import DeviceTransport

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
        "\(unused) not used because \(reason). To change this: overlayhost prefs set \(setting)."
    }
}
