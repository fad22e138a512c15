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

    /// The error of what needs an overlay when none can be used; names the first that was refused, and why.
    public var noOverlay: HostError {
        let refused = found.lazy.compactMap { candidate in candidate.refusal.map { (candidate.file, $0) } }
            .first
        return HostError(
            .noOverlay,
            "No usable overlay was found."
                + (refused.map { " '\($0)' was refused: \($1.message)" } ?? ""),
            hint:
                "Put one into a plugins folder. 'overlayhost overlays' lists the overlays found and why any "
                + "were refused.",
            underlying: refused?.1)
    }

    /// The built-in preferences with the options of all usable overlays.
    public var schema: PreferenceSchema {
        overlays.reduce(.builtIn) { $0.merging($1.descriptor) }
    }
}
