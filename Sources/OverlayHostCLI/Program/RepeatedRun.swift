import OverlayHost

/// `--watch`: runs a verb, and again with each new build of its overlay, until interrupted. The session with the device goes on.
struct RepeatedRun {
    private let verb: any Verb
    private let invocation: Invocation

    /// Throws for a verb that has nothing to do with overlays.
    init(_ verb: any Verb, _ invocation: Invocation) throws(HostError) {
        self.verb = verb
        self.invocation = invocation
        let isAboutDevices = (verb as? any DeviceVerb)?.isAboutDevices == true
        guard isAboutDevices || verb is any OverlayVerb else {
            throw HostError(
                .usage, "--watch waits for new builds of an overlay, and this command uses none.",
                hint: "Leave out --watch.")
        }
        guard !DeviceChoice(verb.global.device).isMany else {
            throw HostError(
                .usage, "--watch serves one device.", hint: "Name one device with --device.")
        }
    }

    /// The status of the last run.
    func run() throws(HostError) -> ExitStatus {
        var status = runOnce()
        var watch: OverlayWatch?
        while !invocation.cancellation.isCancelled, invocation.console.outputError() == nil {
            let file = try overlayFile()
            let current = watch?.file == file ? watch : nil
            let next = current ?? OverlayWatch(file: file)
            if current == nil {
                invocation.console.note("Waiting for new builds of \(TerminalText.sanitized(file)).")
            }
            watch = next
            guard next.wait(invocation.cancellation) else { break }
            if takeNewBuild() { status = runOnce() }
        }
        return status
    }

    private func runOnce() -> ExitStatus {
        do throws(HostError) {
            return try verb.run(invocation)
        } catch {
            invocation.progress.clear()
            invocation.console.report(error)
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
        if let refused = try invocation.setup.refusedByName().first { return refused.file }
        let values = try invocation.setup.preferences.read()
        if try values.bool("development_mode"), let file = try values.text("development_overlay") {
            return invocation.setup.paths.expandingHome(file)
        }
        throw HostError(
            .configuration, "There is no overlay under development to wait for.",
            subject: "development_overlay",
            hint:
                "Set development_mode, development_app_id and development_overlay; see: overlayhost prefs list."
        )
    }
}
