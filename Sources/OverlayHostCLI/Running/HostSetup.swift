import DeviceTransport
import Logging
import OverlayHost
import Synchronization

/// What the command line and the preferences say about the host: the same for every device of a run. Any thread.
final class HostSetup: Sendable {
    /// The overlays found, and the preferences with the options they declare.
    struct Found: Sendable {
        var catalog: OverlayCatalog
        var preferences: PreferenceValues
        var discovery: OverlayDiscovery
    }

    let options: RunOptions
    let paths: HostPaths
    let names: DeviceNames
    private let console: Console
    private let cancellation: Cancellation
    private let recording: CallRecording?
    /// Hears the calls of all overlays; one for all searches, so that the calls of a recording are numbered through.
    private let observer = Mutex<OverlayObserver??>(nil)
    /// Searching loads every overlay, so that it is done once for all devices.
    private let found = Mutex<Found?>(nil)
    /// Says what overlays write, and what is logged.
    let notePrinter: NotePrinter
    /// The worker that is started before it is known which overlay serves.
    private let reserve = SpareWorker()
    /// Whether it has been said that workers are confined less than they could be.
    private let hasWarned = Once()

    /// Begins the recording, if one is asked for.
    init(
        _ options: RunOptions, _ paths: HostPaths, _ console: Console, _ cancellation: Cancellation
    ) throws(HostError) {
        if let file = options.trace {
            recording = try CallRecording(
                file: file, keepsContents: options.traceContents, notice: { console.note($0) })
            if options.inProcess { recording?.noteCrashes() }
        } else {
            recording = nil
        }
        self.options = options
        self.paths = paths
        self.console = console
        self.cancellation = cancellation
        notePrinter = NotePrinter(console)
        names = DeviceNames(cancellation)
    }

    /// Where names are kept for completion; nil with a simulated device, because its names are not needed later.
    var known: KnownNames? {
        options.simulated || options.simulatedFolder != nil ? nil : KnownNames(paths)
    }

    /// The preferences file that this run uses.
    var preferences: Preferences { Preferences(file: options.prefs ?? paths.preferencesFile) }

    /// The overlays found, and the preferences with the options they declare. What is wrong with the folders is said the
    /// first time, and that an overlay under development is not used.
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

    /// Looks for overlays anew the next time they are asked for, because a preference about them has changed.
    func forgetOverlays() { found.withLock { $0 = nil } }

    /// What a session is built from; the caller adds which device and app are meant, and who listens.
    func sessionRequest(_ cancellation: Cancellation) throws(HostError) -> SessionRequest {
        let found = try overlays()
        var request = SessionRequest(
            overlays: found.catalog, discovery: found.discovery, preferences: preferences,
            loggers: loggers(try DiagnosticSwitches(found.preferences, verbose: options.verbose)),
            cancellation: cancellation, storage: StorageFolders(paths))
        request.state = paths.state
        request.trash = paths.trash
        request.paths = paths
        // Simulated devices of this command are gone after it.
        request.searchFolder = known == nil ? nil : paths.caches + "/search"
        return request
    }

    /// Why an overlay under development is not used; nil if it is, none is set, or a value is wrong: the verbs that need it say
    /// what is wrong with it.
    private func developmentNote(_ values: PreferenceValues) -> String? {
        do throws(HostError) { return try AppChoiceFacts.Development(values).note } catch { return nil }
    }

    /// What a session says that has not been said when the overlays were found.
    func news(of session: HostSession) throws(HostError) -> [String] {
        let said = developmentNote(try overlays().preferences)
        return session.notes.filter { $0 != said }
    }

    /// The files in the folders of `--plugins` that cannot be used.
    func refusedByName() throws(HostError) -> [DiscoveredOverlay] {
        try overlays().catalog.found.filter { $0.folder.origin == .option && $0.refusal != nil }
    }

    /// Throws if the new build of an overlay that a command with `--watch` runs for cannot be used: another overlay must not
    /// serve in its place.
    func checkRebuilt(_ file: String) throws(HostError) {
        guard let refusal = try overlays().catalog.found.first(where: { $0.file == file })?.refusal else {
            return
        }
        throw HostError(
            .overlayRefused, refusal.message, subject: file, hint: refusal.hint, underlying: refusal)
    }

    /// The file that a command with `--watch` watches for a new build when no overlay served it: one that was refused, or the
    /// one under development.
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
                "Set development_mode, development_app_id and development_overlay. See: overlayhost "
                + "prefs list."
        )
    }

    /// Reports overlays of the command line that cannot be used, so that another overlay is never used silently.
    ///
    /// - Throws: `overlayRefused` with the first reason when none of it can be used.
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

    /// The overlays for commands that show or repair the preferences: without the folders of `plugin_directories` if its
    /// value is wrong, and without messages about folders.
    func overlaysForMending() throws(HostError) -> Found {
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
        return try overlays(values, search, isNoting: false)
    }

    private func overlays(
        _ values: PreferenceValues, _ search: OverlayDiscovery, isNoting: Bool
    ) throws(HostError) -> Found {
        let catalog = search.discover()
        // What was being loaded is missing, and with it its options.
        guard !cancellation.isCancelled else {
            throw HostError(.cancelled, "The command was cancelled.")
        }
        for problem in catalog.problems {
            // The code that only the folders of --plugins get: what this command line asks for must be there.
            if problem.code == .inputUnreadable { throw problem }
            if isNoting { notePrinter.note(ErrorReport.text(problem)) }
        }
        return Found(catalog: catalog, preferences: values.with(catalog.schema), discovery: search)
    }

    /// Loggers for commands that need nothing else of the preferences; nil when these cannot be read, which must not keep such
    /// a command from its work.
    func loggers() -> SessionLoggers? {
        do throws(HostError) {
            return loggers(try DiagnosticSwitches(try preferences.read(), verbose: options.verbose))
        } catch {
            return nil
        }
    }

    /// Loggers that write their lines above drawn progress.
    func loggers(_ switches: DiagnosticSwitches) -> SessionLoggers { SessionLoggers(switches, to: log) }

    private var log: StandardErrorLogHandler.Output {
        StandardErrorLogHandler.Output { [notePrinter] in notePrinter.say($0) }
    }

    /// The search that these preferences ask for.
    ///
    /// - Parameter attempt: ends workers at once, also within a method; nil: only while they load their overlay.
    func discovery(
        _ values: PreferenceValues, endsWorkersAtOnce: Bool = false
    ) throws(HostError) -> OverlayDiscovery {
        OverlayDiscovery(
            options: options.plugins, preferences: try values.texts("plugin_directories"), paths: paths,
            isolation: try isolation(values, endsWorkersAtOnce: endsWorkersAtOnce), observer: observer(values)
        )
    }

    /// What records the calls of overlays: the recording, and in `development_mode` the log. Errors in the
    /// preferences are reported by the commands that read them.
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

    /// Starts a worker for the overlay that will be chosen, unless overlays run in this process. Returns at once. Errors in the
    /// preferences are reported by the commands that read them.
    func startWorker() {
        do throws(HostError) {
            if case .worker(let worker) = try isolation(try preferences.read()) {
                worker.startReserve(temporary: paths.temporary)
            }
        } catch {
            return
        }
    }

    /// Ends what the run has begun for all its devices.
    func finish() {
        reserve.dismiss()
        recording?.close()
    }

    /// Where overlays run: each in its own process, unless `--in-process` asks for this one.
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
        return .worker(worker)
    }

    /// Says that workers are confined less than they could be, once in a run.
    var warnOnce: @Sendable (_ sentence: String) -> Void {
        { [notePrinter, hasWarned] sentence in
            if hasWarned.first() { notePrinter.note(sentence) }
        }
    }

    /// Says what overlays write, if that is wanted.
    var words: (@Sendable (_ overlay: String, _ line: String) -> Void)? {
        guard options.verbose else { return nil }
        return { [notePrinter] overlay, line in
            notePrinter.note("\(TerminalText.sanitized(overlay)): \(TerminalText.sanitized(line))")
        }
    }
}

/// Whether something has been done before.
private final class Once: Sendable {
    private let isDone = Atomic(false)

    /// True the first time.
    func first() -> Bool { !isDone.exchange(true, ordering: .relaxed) }
}
