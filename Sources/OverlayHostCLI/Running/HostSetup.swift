import DeviceTransport
import Logging
import OverlayHost
import Synchronization

/// The host's settings from the command line and the preferences, shared by all devices of a run. Any thread.
final class HostSetup: Sendable {
    /// The overlays, and the preferences including the overlays' options.
    struct Found: Sendable {
        var catalog: OverlayCatalog
        var preferences: PreferenceValues
        var discovery: OverlayDiscovery
        var paths: HostPaths
        /// The overlay under development; nil if there is none, or only the other overlays were looked for.
        var development: DevelopmentOverlay?
    }

    let options: RunOptions
    let paths: HostPaths
    let names: DeviceNames
    private let cancellation: Cancellation
    private let recording: CallRecording?
    /// Observes the calls of all overlays. All searches share it, so that the calls of a recording are numbered
    /// consecutively.
    private let observer = Mutex<OverlayObserver??>(nil)
    /// A search loads every overlay, so it is done once for all devices.
    private let found = Mutex<Found?>(nil)
    /// The last loaded version of the overlay under development.
    let developmentCache = DevelopmentCache()
    /// Prints what overlays write and what is logged.
    let notePrinter: NotePrinter
    /// A worker that is started before it is known which overlay will run in it.
    private let reserve = SpareWorker()
    /// The work that was begun before the command line was parsed.
    private let begun: Mutex<BegunWork>
    /// Whether the warning about less confined workers has been printed.
    private let hasWarned = Once()

    /// Starts a recording if requested.
    init(
        _ options: RunOptions, _ paths: HostPaths, _ console: Console, _ cancellation: Cancellation,
        begun: BegunWork = BegunWork()
    ) throws(HostError) {
        self.begun = Mutex(begun)
        if let file = options.trace {
            recording = try CallRecording(
                file: file, keepsContents: options.traceContents, notice: { console.note($0) })
            if options.inProcess { recording?.noteCrashes() }
        } else {
            recording = nil
        }
        self.options = options
        self.paths = paths
        self.cancellation = cancellation
        notePrinter = NotePrinter(console)
        names = DeviceNames(cancellation)
    }

    /// The store of names for completion; nil with a simulated device, because its names are not needed later.
    var known: KnownNames? {
        options.simulated || options.simulatedFolder != nil ? nil : KnownNames(paths)
    }

    /// The preferences file of this run.
    var preferences: Preferences { Preferences(file: options.prefs ?? paths.preferencesFile) }

    /// The overlays, and the preferences including the overlays' options. The first call notes problems of the
    /// folders, and whether an overlay under development is not used.
    func overlays() throws(HostError) -> Found {
        try found.withLock { (found) throws(HostError) in
            if let found { return found }
            let values = try preferences.read()
            let new = try overlays(values, discovery(values), isNoting: true)
            found = new
            if let note = developmentNote(new.preferences) { notePrinter.note(note) }
            return new
        }
    }

    /// Makes the next call of `overlays` search again, because a preference about overlays has changed.
    func forgetOverlays() { found.withLock { $0 = nil } }

    /// A session request; the caller adds the device, the app and the listeners.
    func sessionRequest(_ cancellation: Cancellation) throws(HostError) -> SessionRequest {
        let found = try overlays()
        var request = SessionRequest(
            overlays: found.catalog, discovery: found.discovery, preferences: preferences,
            loggers: loggers(try DiagnosticSwitches(found.preferences, verbose: options.verbose)),
            cancellation: cancellation, paths: paths)
        // The simulated devices of this command do not exist after it.
        request.searchFolder = known == nil ? nil : paths.caches + "/search"
        return request
    }

    /// Why an overlay under development is not used. Nil if it is used, none is set, or a value is wrong; commands that
    /// need it report wrong values.
    private func developmentNote(_ values: PreferenceValues) -> String? {
        do throws(HostError) { return try AppChoiceFacts.Development(values).note } catch { return nil }
    }

    /// Messages of a session that were not printed when the overlays were found.
    func news(of session: HostSession) throws(HostError) -> [String] {
        let said = developmentNote(try overlays().preferences)
        return session.notes.filter { $0 != said }
    }

    /// The files in the folders of `--plugins` that cannot be used.
    func refusedByName() throws(HostError) -> [DiscoveredOverlay] {
        try overlays().catalog.found.filter { $0.folder.origin == .option && $0.refusal != nil }
    }

    /// Throws if the new build of the overlay for which `--watch` repeats a command cannot be used, because another
    /// overlay must not take its place.
    func checkRebuilt(_ file: String) throws(HostError) {
        guard let refusal = try overlays().catalog.found.first(where: { $0.file == file })?.refusal else {
            return
        }
        throw HostError(
            .overlayRefused, refusal.message, subject: file, hint: refusal.hint, underlying: refusal)
    }

    /// The file to watch for a new build if no overlay served the command: one that was refused, or the one under
    /// development.
    func fileToWatch() throws(HostError) -> String {
        if let refused = try refusedByName().first { return refused.file }
        let values = try preferences.read()
        if try values.bool("development_mode"), let file = try values.text("development_overlay") {
            return paths.expandingHome(file)
        }
        throw HostError(
            .configuration, "No overlay under development is configured.",
            subject: "development_overlay",
            hint:
                "Set development_mode, development_app_id and development_overlay. See "
                + "'overlayhost prefs list'."
        )
    }

    /// Reports overlays of the command line that cannot be used, so that another overlay is never used silently.
    ///
    /// - Throws: `overlayRefused` with the first reason if none can be used.
    func checkNamedOverlays() throws(HostError) {
        let refused = try refusedByName()
        let isUseful = try overlays().catalog.found.contains {
            $0.folder.origin == .option && $0.overlay != nil
        }
        for overlay in refused {
            guard let refusal = overlay.refusal else { continue }
            let error = HostError(
                .overlayRefused, "Cannot use this overlay: \(refusal.message)", subject: overlay.file,
                hint: refusal.hint, underlying: refusal)
            guard isUseful else { throw error }
            notePrinter.note(ErrorReport.text(error))
        }
    }

    /// The overlays for commands that show or repair the preferences, with the one under development. If the value of
    /// `plugin_directories` is wrong, its folders are left out. Folders do not cause messages.
    ///
    /// - Parameter key: the only preference that is used; nil for all.
    func overlaysForMending(for key: String? = nil) throws(HostError) -> Found {
        let values = try preferences.read()
        let search: OverlayDiscovery
        do throws(HostError) {
            search = try discovery(values)
        } catch {
            guard error.code == .prefsInvalidValue else { throw error }
            search = OverlayDiscovery(
                options: options.plugins, paths: paths, isolation: try isolation(values),
                observer: observer(nil))
        }
        let found = try overlays(values, search, isNoting: false)
            .withDevelopment(developmentCache, for: key)
        try checkCancelled()
        return found
    }

    private func overlays(
        _ values: PreferenceValues, _ search: OverlayDiscovery, isNoting: Bool
    ) throws(HostError) -> Found {
        let catalog = search.discover()
        try checkCancelled()
        for problem in catalog.problems {
            // Only folders of --plugins give this code, and what the command line requests must exist.
            if problem.code == .inputUnreadable { throw problem }
            if isNoting { notePrinter.note(ErrorReport.text(problem)) }
        }
        return Found(
            catalog: catalog, preferences: values.with(catalog.schema), discovery: search, paths: paths)
    }

    /// Throws if the command was cancelled: the overlay that was being loaded is missing, and so are its options.
    private func checkCancelled() throws(HostError) {
        if cancellation.isCancelled { throw HostError(.cancelled, "The command was cancelled.") }
    }

    /// Loggers for commands that need nothing else from the preferences; nil if the preferences cannot be read,
    /// because that should not stop such a command.
    func loggers() -> SessionLoggers? {
        do throws(HostError) {
            return loggers(try DiagnosticSwitches(try preferences.read(), verbose: options.verbose))
        } catch {
            return nil
        }
    }

    /// Loggers that print their lines above drawn progress.
    func loggers(_ switches: DiagnosticSwitches) -> SessionLoggers { SessionLoggers(switches, to: log) }

    private var log: StandardErrorLogHandler.Output {
        StandardErrorLogHandler.Output { [notePrinter] in notePrinter.say($0) }
    }

    /// The search for overlays with these preferences.
    ///
    /// - Parameter endsWorkersAtOnce: whether a cancellation ends workers during a method as well. If false, it ends
    ///   them only while they load their overlay.
    func discovery(
        _ values: PreferenceValues, endsWorkersAtOnce: Bool = false
    ) throws(HostError) -> OverlayDiscovery {
        OverlayDiscovery(
            options: options.plugins, preferences: try values.texts("plugin_directories"), paths: paths,
            isolation: try isolation(values, endsWorkersAtOnce: endsWorkersAtOnce), observer: observer(values)
        )
    }

    /// The observer of overlay calls: the recording, and in `development_mode` the log. Commands that read the
    /// preferences report errors in them.
    private func observer(_ values: PreferenceValues?) -> OverlayObserver? {
        observer.withLock { observer in
            if let observer { return observer }
            var log: Logger?
            do throws(HostError) {
                if let values { log = try DiagnosticSwitches(values).logger(.calls, to: self.log) }
            } catch {
                log = nil
            }
            let new = OverlayObserver(recording: recording, log: log)
            observer = .some(new)
            return new
        }
    }

    /// Starts a worker for the overlay that will be selected, unless overlays run in this process. Returns at once.
    /// Commands that read the preferences report errors in them.
    func startWorker() {
        do throws(HostError) {
            if case .worker(let worker) = try isolation(try preferences.read()) {
                worker.startReserve(temporary: paths.temporary)
            }
        } catch {
            return
        }
    }

    /// Begins to open a device, or continues if that was begun before the command line was parsed.
    func opening(_ device: String?, _ cancellation: Cancellation) -> DeviceOpening {
        let loggers = loggers()
        let begun = begun.withLock { begun in
            defer { begun.opening = nil }
            return begun.opening
        }
        guard let begun else { return DeviceOpening(device, loggers: loggers, cancellation) }
        // Its requests were not logged.
        guard device == nil, loggers?.deviceTrace == nil else {
            begun.giveUp()
            return DeviceOpening(device, loggers: loggers, cancellation)
        }
        return begun
    }

    /// Ends what the run started for all its devices.
    func finish() {
        begun.withLock { $0.opening }?.giveUp()
        reserve.dismiss()
        recording?.close()
    }

    /// Where overlays run: each in its own process, unless `--in-process` requests this one.
    func isolation(
        _ values: PreferenceValues, endsWorkersAtOnce: Bool = false
    ) throws(HostError) -> OverlayIsolation {
        if options.inProcess { return .inProcess }
        var worker = WorkerOptions(program: paths.workerProgram)
        worker.allowsWeakerIsolation = try values.bool("allow_weaker_isolation")
        worker.warn = warnOnce
        worker.cancellation = cancellation
        worker.endsAtOnce = endsWorkersAtOnce
        worker.words = words
        worker.reserve = reserve
        worker.standby = begun.withLock { $0.standby }
        return .worker(worker)
    }

    /// Warns once in a run that workers are less confined than possible.
    var warnOnce: @Sendable (_ sentence: String) -> Void {
        { [notePrinter, hasWarned] sentence in
            if hasWarned.first() { notePrinter.note(sentence) }
        }
    }

    /// Prints what overlays write, if requested.
    var words: (@Sendable (_ overlay: String, _ line: String) -> Void)? {
        guard options.verbose else { return nil }
        return { [notePrinter] overlay, line in
            notePrinter.note("\(TerminalText.sanitized(overlay)): \(TerminalText.sanitized(line))")
        }
    }
}

/// The work that a program begins before it parses its command line.
struct BegunWork: Sendable {
    /// Copies of this process that become workers; nil if there are none.
    var standby: StandbyWorkers?
    /// The opening of the only device; nil if it was not begun, or was taken.
    var opening: DeviceOpening?
}

/// A flag that remembers whether something has been done.
private final class Once: Sendable {
    private let isDone = Atomic(false)

    /// Returns true the first time.
    func first() -> Bool { !isDone.exchange(true, ordering: .relaxed) }
}
