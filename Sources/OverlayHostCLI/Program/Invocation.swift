import DeviceTransport
import OverlayHost

/// What one run of the program works with.
struct Invocation {
    let options: GlobalOptions
    let console: Console
    /// Set by Ctrl-C.
    let cancellation: Cancellation
    let paths: HostPaths

    init(
        _ options: GlobalOptions, console: Console, cancellation: Cancellation, paths: HostPaths
    ) throws(HostError) {
        self.options = options
        self.console = console
        self.cancellation = cancellation
        self.paths = paths
    }

    /// Ends what the run began, such as a simulated device.
    func finish() {}

    /// The preferences file that this run uses.
    var preferences: Preferences { Preferences(file: options.prefs ?? paths.preferencesFile) }

    /// The overlays found, and the preferences with the options they declare.
    func overlays() throws(HostError) -> (catalog: OverlayCatalog, preferences: PreferenceValues) {
        let values = try preferences.read()
        let discovery = OverlayDiscovery(
            options: options.plugins, preferences: try values.texts("plugin_directories"), paths: paths)
        let catalog = discovery.discover()
        for problem in catalog.problems { console.note(ErrorReport.text(problem)) }
        return (catalog, values.with(catalog.schema))
    }
}
