import Diagnostics

/// A file in a plugins folder, which is ready for use or was refused.
///
/// ```swift
/// func describe(_ found: DiscoveredOverlay) -> String {
///     switch found.state {
///     case .ready(let overlay): "\(overlay.descriptor.name) \(overlay.descriptor.version)"
///     case .refused(let refusal): "\(found.file): \(refusal.message)"
///     }
/// }
/// ```
public struct DiscoveredOverlay: Sendable {
    /// The path of the file.
    public let file: String
    /// The folder that contains the file.
    public let folder: PluginFolder
    /// Whether the file is ready, or the reason for its refusal.
    public let state: State
    /// The description of the overlay. Also known for a refused overlay whose descriptor is valid (`id_taken`).
    public let descriptor: OverlayDescription?

    /// Whether a file can be used.
    public enum State: Sendable {
        /// The overlay is loaded.
        case ready(LoadedOverlay)
        /// The file is not used.
        case refused(OverlayRefusal)
    }

    /// The loaded overlay; nil if it was refused.
    public var overlay: LoadedOverlay? {
        if case .ready(let overlay) = state { overlay } else { nil }
    }

    /// The reason for the refusal; nil if the overlay is ready.
    public var refusal: OverlayRefusal? {
        if case .refused(let refusal) = state { refusal } else { nil }
    }
}
