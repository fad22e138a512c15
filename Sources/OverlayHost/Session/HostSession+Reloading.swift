extension HostSession {
    /// The file of the overlay that serves the session.
    public var overlayFile: String { link.target.overlay.file }

    /// Loads the overlay's file again and continues with the new build, on the same connection to the device.
    ///
    /// The new build gets its own instance, in a new worker or as a new copy in this process. When that instance is
    /// ready for the reader app, the previous one is ended. Call this only between commands.
    ///
    /// Throws an error if the new build cannot be loaded, or fails before it is ready. The previous build is then
    /// kept.
    public func reload() throws(HostError) {
        try link.reload()
        forgetFormerBuild()
    }

    /// Reloads if there is a new build and `SessionRequest.watchesOverlay` is set. Calls `notice` with the result.
    func reloadIfChanged() {
        guard let (isTaken, message) = link.reloadIfChanged() else { return }
        if isTaken { forgetFormerBuild() }
        request.notice?(message)
    }

    /// Discards the answers of the previous build.
    private func forgetFormerBuild() {
        forgetBooks()
        knownSettings = nil
    }

    /// The message after a new build was loaded.
    public static func taken(_ overlay: OverlayDescription) -> String { ReaderLink.taken(overlay) }
}
