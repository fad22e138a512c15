/// A folder that is searched for overlays.
public struct PluginFolder: Sendable, Equatable {
    /// Who named the folder.
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

    /// Path of the folder.
    public let path: String
    /// Who named it.
    public let origin: Origin

    /// A folder.
    public init(path: String, origin: Origin) {
        self.path = path
        self.origin = origin
    }

    /// True when a person named the folder, so that its absence is worth a word.
    public var isExplicit: Bool { origin == .option || origin == .environment || origin == .preference }
}
