extension HostSession {
    /// The file of the overlay that serves the session.
    public var overlayFile: String { link.target.overlay.file }

    /// Takes the code that is in the overlay's file now, without losing the device.
    ///
    /// The new build gets an instance of its own (a fresh worker, or a fresh copy in this process); once that is ready for the
    /// reader app it takes the place of the old one, which is then ended. Between commands only.
    ///
    /// Throws why the new build is not taken: it cannot be loaded, or breaks down before it is ready. The old one goes on then.
    public func reload() throws(HostError) {
        try link.reload(try request.discovery.load(overlayFile))
        forgetBooks()
        knownSettings = nil
    }

    /// Takes a new build, if there is one and `SessionRequest.watchesOverlay` is set. What comes of it goes to `notice`.
    func reloadIfChanged() {
        guard request.watchesOverlay else { return }
        let watch = overlayWatch ?? OverlayWatch(link.target.overlay)
        overlayWatch = watch
        guard watch.hasChanged, watch.wait(request.cancellation, within: OverlayWatch.patience * 2) else {
            return
        }
        do throws(HostError) {
            try reload()
            request.notice?(Self.taken(overlay))
        } catch {
            request.notice?(Self.refused(error))
        }
    }

    /// The sentence about a build that was taken.
    public static func taken(_ overlay: OverlayDescriptor) -> String {
        "Now using the new build of \(overlay.name) \(overlay.version)."
    }

    /// The sentences about a build that was not taken.
    public static func refused(_ error: HostError) -> String {
        "Cannot use the new build; keeping the previous one. \(error)"
    }
}
