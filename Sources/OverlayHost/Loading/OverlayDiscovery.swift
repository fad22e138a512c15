/// Searches the plugins folders and loads what it finds.
public struct OverlayDiscovery: Sendable {
    /// The folders, in order of precedence.
    public let folders: [PluginFolder]
    private let paths: HostPaths

    /// A search of the `--plugins` folders, `$OVERLAYHOST_PLUGINS`, the preference `plugin_directories`, the user's folder,
    /// the installed folder, and the build folder while developing.
    public init(options: [String] = [], preferences: [String] = [], paths: HostPaths) {
        self.paths = paths
        folders = []
    }

    /// Looks at every file of the folders and loads each good overlay. Blocks for file operations and runs the libraries'
    /// constructors; any thread.
    public func discover() -> OverlayCatalog { OverlayCatalog() }

    /// Loads the overlay in `file`, which may lie anywhere; for `development_overlay`.
    public func load(_ file: String) throws(HostError) -> LoadedOverlay {
        throw HostError(.overlayRefused, "It cannot be loaded yet.", subject: file)
    }
}
