extension HostSession {
    /// The file of the overlay that serves the session.
    public var overlayFile: String { link.target.overlay.file }

    /// Loads the overlay's file again and continues with the new build, on the same connection to the device.
    ///
    /// The new build gets its own instance, in a fresh worker or as a fresh copy in this process. Once that instance is
    /// ready for the reader app, the previous one is ended. Call it between commands only.
    ///
    /// Throws why the new build cannot be used: it cannot be loaded, or fails before it is ready. The previous build then stays.
    public func reload() throws(HostError) {
        try link.reload()
        forgetFormerBuild()
    }

    /// Reloads if there is a new build and `SessionRequest.watchesOverlay` is set. Says to `notice` whether that succeeded.
    func reloadIfChanged() {
        guard let (isTaken, message) = link.reloadIfChanged() else { return }
        if isTaken { forgetFormerBuild() }
        request.notice?(message)
    }

    /// Forgets what the former build has answered.
    private func forgetFormerBuild() {
        forgetBooks()
        knownSettings = nil
    }

    /// The message when a new build is used.
    public static func taken(_ overlay: OverlayDescription) -> String {
        "Now using the new build of \(overlay.name) \(overlay.version)."
    }

    /// The message when a new build cannot be used, and why.
    public static func refused(_ error: HostError) -> String {
        "Cannot use the new build; keeping the previous one. \(error)"
    }
}
