import OverlayKit

/// What a claim is about, and where on the device it lies.
package struct ClaimPlace {
    /// The services of the running method.
    package var host: HostServices
    /// The root that all paths are below.
    package var root: Root
    /// The folder that holds the claim; it must be there.
    package var folder: String
    /// What is claimed, such as `Marvin`, for sentences.
    package var name: String
    /// How long a claim of another program is waited for.
    package var patience: Duration
    /// A clock that does not go back.
    package var now: () -> Duration
    /// The paths of files that the holder of a claim changes while it is at work.
    package var activity: () throws(OverlayError) -> [String]

    /// A place.
    package init(
        host: HostServices, root: Root, folder: String, name: String, patience: Duration,
        now: @escaping () -> Duration, activity: @escaping () throws(OverlayError) -> [String]
    ) {
        (self.host, self.root, self.folder, self.name) = (host, root, folder, name)
        (self.patience, self.now, self.activity) = (patience, now, activity)
    }

    /// The claim itself.
    var claim: String { folder + "/" + FolderClaim.name }

    /// Another program has the claim.
    var busy: OverlayError {
        OverlayError(
            .busy, "Another program is using \(name).", subject: claim,
            hint: "Wait until it has finished, and run the same command again.", retryable: true)
    }

    /// A failure with the claim in a person's words: which file it was says nothing to anybody.
    func plain(_ error: OverlayError) -> OverlayError {
        guard error.status == .noSpace else { return error }
        return OverlayError(
            .noSpace, "The device has no space left for a command to \(name).",
            hint: "Free some space on the device, and run the same command again.", domain: error.domain,
            nativeCode: error.nativeCode)
    }
}
