/// A folder that is searched for overlays.
///
/// ```swift
/// let discovery = OverlayDiscovery(options: ["/home/reader/plugins"], paths: .current())
/// for folder in discovery.folders { print(folder.path, folder.origin.rawValue) }
/// ```
public struct PluginFolder: Sendable, Equatable {
    /// The origin of a folder.
    public enum Origin: String, Sendable {
        /// The `--plugins` option.
        case option
        /// `$OVERLAYHOST_PLUGINS`.
        case environment
        /// The preference `plugin_directories`.
        case preference
        /// `$XDG_DATA_HOME/overlayhost/plugins`.
        case user
        /// `../lib/overlayhost/plugins` beside the executable.
        case installed
        /// The build folder of the executable.
        case build
    }

    /// The path of the folder.
    public let path: String
    /// The origin of the folder.
    public let origin: Origin

    /// Creates a folder.
    public init(path: String, origin: Origin) {
        self.path = path
        self.origin = origin
    }

    /// Whether the user named the folder, so that its absence is reported.
    public var isExplicit: Bool { origin == .option || origin == .environment || origin == .preference }
}
