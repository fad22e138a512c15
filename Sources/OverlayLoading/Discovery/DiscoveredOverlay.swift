import Diagnostics

/// One file found in a plugins folder, ready for use or refused with the reason.
public struct DiscoveredOverlay: Sendable {
    /// Path of the file.
    public let file: String
    /// The folder it was found in.
    public let folder: PluginFolder
    /// Ready, or why not.
    public let state: State
    /// What the overlay says about itself. Also known for a refused overlay whose descriptor was good (`id_taken`).
    public let descriptor: OverlayDescription?

    /// Whether a file can be used.
    public enum State: Sendable {
        /// Loaded.
        case ready(LoadedOverlay)
        /// Not used.
        case refused(OverlayRefusal)
    }

    /// The loaded overlay, nil if it was refused.
    public var overlay: LoadedOverlay? {
        if case .ready(let overlay) = state { overlay } else { nil }
    }

    /// The reason, nil if it is ready.
    public var refusal: OverlayRefusal? {
        if case .refused(let refusal) = state { refusal } else { nil }
    }
}
