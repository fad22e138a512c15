extension AppChoiceFacts {
    /// The facts from the command line, the preferences, a catalog and a device.
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
    /// The switches in the preferences.
    public init(_ preferences: PreferenceValues) throws(HostError) {
        self.init(
            isOn: try preferences.bool("development_mode"), appID: try preferences.text("development_app_id"),
            overlay: try preferences.text("development_overlay"))
    }
}
