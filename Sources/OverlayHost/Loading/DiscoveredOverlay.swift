/// One file found in a plugins folder, ready for use or refused with the reason.
public struct DiscoveredOverlay: Sendable {
    /// Path of the file.
    public let file: String
    /// The folder it was found in.
    public let folder: PluginFolder
    /// Ready, or why not.
    public let state: State
    /// What the overlay says about itself. Also known for a refused overlay whose descriptor was good (`id_taken`).
    public let descriptor: OverlayDescriptor?

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
        /// The build folder the executable lies in.
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

/// All that a search found, in order of precedence.
public struct OverlayCatalog: Sendable {
    /// Each file found.
    public var found: [DiscoveredOverlay]
    /// Explicitly named folders that could not be searched, with the reason.
    public var problems: [HostError]

    /// A catalog.
    public init(found: [DiscoveredOverlay] = [], problems: [HostError] = []) {
        self.found = found
        self.problems = problems
    }

    /// The overlays that can be used.
    public var overlays: [LoadedOverlay] { found.compactMap(\.overlay) }

    /// The built-in preferences with the options of all usable overlays.
    public var schema: PreferenceSchema {
        overlays.reduce(.builtIn) { $0.merging($1.descriptor) }
    }
}
