/// The access that an overlay has during `sync_source`. Device thread only.
final class GrantedSource {
    /// The folder.
    let folder: GrantedFolder
    /// The overlay's state for the folder.
    let state: OverlayStorage
    /// Whether changes are forbidden.
    let isDryRun: Bool
    /// The prefix of unfinished files from this device and app.
    let partialPrefix: String

    init(_ folder: GrantedFolder, state: OverlayStorage, isDryRun: Bool, partialPrefix: String) {
        (self.folder, self.state, self.isDryRun) = (folder, state, isDryRun)
        self.partialPrefix = partialPrefix
    }
}
