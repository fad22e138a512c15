import DeviceTransport
import Foundation
import OverlayHost
import SimulatedDevice

/// What one run of the program works with.
final class Invocation {
    let options: GlobalOptions
    let console: Console
    /// Set by Ctrl-C.
    let cancellation: Cancellation
    let paths: HostPaths
    /// Draws what the session reports.
    let progress: ProgressDisplay
    private var simulation: Simulation?

    /// Starts the simulated device, if one is asked for.
    init(
        _ options: GlobalOptions, console: Console, cancellation: Cancellation, paths: HostPaths
    ) throws(HostError) {
        self.options = options
        self.console = console
        self.cancellation = cancellation
        self.paths = paths
        progress = ProgressDisplay(console: console, writesLines: options.verbose)
        guard options.simulated || options.simulatedFolder != nil else { return }
        // An empty variable in a script must not turn the current folder into a device.
        guard options.simulatedFolder != "" else {
            throw HostError(
                .usage, "--simulated= needs a folder", hint: "Leave out the = for a temporary one.")
        }
        let books = Simulation.realBooks()
        if books.isEmpty {
            console.note(
                "No EPUBs of Debian's documentation are installed, so the simulated library is empty.")
        }
        let folder = options.simulatedFolder.map { URL(fileURLWithPath: $0) }
        let simulation = try Simulation(folder: folder, books: books, changes: SimulatedDeviceFile())
        // libusbmuxd reads its address from the environment at each connection, and no thread has read it yet.
        setenv("USBMUXD_SOCKET_ADDRESS", simulation.usbmuxd.address, 1)
        self.simulation = simulation
    }

    /// Ends what the run began, such as a simulated device.
    func finish() {
        progress.clear()
        simulation?.stop()
        simulation = nil
    }

    /// The preferences file that this run uses.
    var preferences: Preferences { Preferences(file: options.prefs ?? paths.preferencesFile) }

    /// The overlays found, and the preferences with the options they declare.
    func overlays() throws(HostError) -> (catalog: OverlayCatalog, preferences: PreferenceValues) {
        let values = try preferences.read()
        return try overlays(values, discovery(values))
    }

    /// The same for looking at the preferences and mending them: without the folders of `plugin_directories` when its value
    /// is what needs to be mended.
    func overlaysForMending() throws(HostError) -> (catalog: OverlayCatalog, preferences: PreferenceValues) {
        let values = try preferences.read()
        let search: OverlayDiscovery
        do throws(HostError) {
            search = try discovery(values)
        } catch {
            guard error.code == .prefsInvalidValue else { throw error }
            search = OverlayDiscovery(options: options.plugins, paths: paths)
        }
        return try overlays(values, search)
    }

    private func overlays(
        _ values: PreferenceValues, _ search: OverlayDiscovery
    ) throws(HostError) -> (catalog: OverlayCatalog, preferences: PreferenceValues) {
        let catalog = search.discover()
        for problem in catalog.problems {
            // The code that only the folders of --plugins get: what this command line asks for must be there.
            if problem.code == .inputUnreadable { throw problem }
            console.note(ErrorReport.text(problem))
        }
        return (catalog, values.with(catalog.schema))
    }

    /// Who hears of the calls to the device, for commands that need nothing else of the preferences: nobody when these cannot
    /// be read, because that keeps no such command from its work.
    func loggers() -> SessionLoggers? {
        do throws(HostError) {
            return SessionLoggers(try DiagnosticSwitches(try preferences.read(), verbose: options.verbose))
        } catch {
            return nil
        }
    }

    /// What a session is built from.
    func request() throws(HostError) -> SessionRequest {
        let (catalog, values) = try overlays()
        let progress = self.progress
        return SessionRequest(
            device: options.device, app: options.app, overlays: catalog, discovery: try discovery(values),
            preferences: preferences,
            loggers: SessionLoggers(try DiagnosticSwitches(values, verbose: options.verbose)),
            cancellation: cancellation,
            progress: { update in
                progress.update(
                    ProgressLine(
                        phase: update.phase, itemsDone: update.itemsDone, itemsTotal: update.itemsTotal,
                        bytesDone: update.bytesDone, bytesTotal: update.bytesTotal))
            })
    }

    /// Connects to the reader app and says what the person should know.
    func openSession() throws(HostError) -> HostSession {
        let session = try HostSession(request())
        for note in session.notes { console.note(TerminalText.sanitized(note)) }
        return session
    }

    /// The search that these preferences ask for.
    func discovery(_ values: PreferenceValues) throws(HostError) -> OverlayDiscovery {
        OverlayDiscovery(
            options: options.plugins, preferences: try values.texts("plugin_directories"), paths: paths)
    }
}
