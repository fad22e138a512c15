import HostErrors
import Preferences

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
