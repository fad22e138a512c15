import DeviceTransport
import OverlayHost

/// `--watch`: runs a verb, and again with each new build of its overlay, until interrupted. The session with the device goes on.
/// A build that comes during a run ends it.
struct RepeatedRun {
    private let verb: any Verb
    private let invocation: Invocation
    private let rebuildMonitor: RebuildMonitor

    /// Throws for a verb that has nothing to do with overlays.
    ///
    /// - Parameter hotReload: what the sessions of the invocation, and the workers that load overlays, listen to.
    init(_ verb: any Verb, _ invocation: Invocation, _ hotReload: HotReload) throws(HostError) {
        self.verb = verb
        self.invocation = invocation
        guard (verb as? any DeviceVerb)?.isAboutDevices != false else {
            throw HostError(
                .usage, "--watch waits for new builds of an overlay, but this command uses none.",
                hint: "Leave out --watch.")
        }
        guard !DeviceChoice(verb.options.device).isMany else {
            throw HostError(
                .usage, "--watch works with one device only.", hint: "Choose one device with --device.")
        }
        let (console, progress) = (invocation.console, invocation.progress)
        let isOwn = verb.options.inProcess
        rebuildMonitor = RebuildMonitor(ending: isOwn ? nil : hotReload) {
            console.note(
                isOwn
                    ? "A new build is available. It will be used after this run, because "
                        + "--in-process cannot stop an overlay."
                    : "A new build is available; stopping this run.", above: progress)
        }
        hotReload.whenChosen { [weak rebuildMonitor] in rebuildMonitor?.follow($0) }
    }

    /// The status of the last run.
    func run() throws(HostError) -> ExitStatus {
        if let file = (verb as? any OverlayVerb)?.overlayFile {
            rebuildMonitor.watch = OverlayWatch(file: file)
        }
        var status = attended(runOnce)
        var announced: String?
        while !invocation.cancellation.isCancelled, invocation.console.outputError() == nil {
            let file = try overlayFile()
            if rebuildMonitor.watch?.file != file {
                rebuildMonitor.watch =
                    invocation.kept.map { OverlayWatch($0.loadedOverlay) } ?? OverlayWatch(file: file)
            }
            if announced != file {
                invocation.console.note("Waiting for new builds of \(TerminalText.sanitized(file)).")
            }
            announced = file
            guard rebuildMonitor.watch?.wait(invocation.cancellation) == true else { break }
            // A build that hangs before it serves the device is ended by the next one, too.
            if attended(takeNewBuild), !rebuildMonitor.hasEndedRun { status = attended(runOnce) }
        }
        return status
    }

    /// Runs something of the overlay that the next build may end.
    private func attended<Result>(_ body: () -> Result) -> Result {
        let attempt = rebuildMonitor.begin()
        invocation.attempt = attempt
        let interruption = invocation.cancellation.whenCancelled { attempt.cancel() }
        defer {
            rebuildMonitor.end()
            withExtendedLifetime(interruption) {}
        }
        return body()
    }

    private func runOnce() -> ExitStatus {
        do throws(HostError) {
            return try verb.run(invocation)
        } catch {
            invocation.progress.clear()
            // Why it was cancelled has been said.
            if !rebuildMonitor.hasEndedRun || ![.cancelled, .stopped].contains(error.code) {
                invocation.console.report(error)
            }
            // What is gone is looked for anew next time.
            if invocation.kept?.isOnline == false { invocation.dropSession() }
            return error.exitStatus
        }
    }

    /// False if the build cannot be used: then the one before it stays.
    private func takeNewBuild() -> Bool {
        invocation.setup.forget()
        if invocation.kept?.isOnline == false { invocation.dropSession() }
        guard let session = invocation.kept else { return true }
        do throws(HostError) {
            try session.reload()
            invocation.console.note(TerminalText.sanitized(HostSession.taken(session.overlay)))
            return true
        } catch {
            invocation.console.note(TerminalText.sanitized(HostSession.refused(error)))
            return false
        }
    }

    private func overlayFile() throws(HostError) -> String {
        if let session = invocation.kept { return session.overlayFile }
        if let file = (verb as? any OverlayVerb)?.overlayFile { return file }
        // Its new build has been seen, whatever the run knew of it.
        if rebuildMonitor.hasEndedRun, let file = rebuildMonitor.watch?.file { return file }
        if let refused = try invocation.setup.refusedByName().first { return refused.file }
        // A session that came no further than its overlay.
        if let file = rebuildMonitor.watch?.file { return file }
        let values = try invocation.setup.preferences.read()
        if try values.bool("development_mode"), let file = try values.text("development_overlay") {
            return invocation.setup.paths.expandingHome(file)
        }
        throw HostError(
            .configuration, "No overlay under development is configured.",
            subject: "development_overlay",
            hint:
                "Set development_mode, development_app_id and development_overlay. See: overlayhost "
                + "prefs list."
        )
    }
}
