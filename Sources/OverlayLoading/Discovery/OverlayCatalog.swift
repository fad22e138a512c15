import HostErrors
import Preferences

/// The result of a search, in order of precedence.
///
/// ```swift
/// func firstOverlay() throws -> LoadedOverlay {
///     let catalog = OverlayDiscovery(paths: .current()).discover()
///     guard let overlay = catalog.overlays.first else { throw catalog.noOverlay }
///     return overlay
/// }
/// ```
public struct OverlayCatalog: Sendable {
    /// The files that were found.
    public var found: [DiscoveredOverlay]
    /// The errors of explicitly named folders that could not be searched, and of those of `--plugins` without overlays.
    public var problems: [HostError]

    /// Creates a catalog.
    public init(found: [DiscoveredOverlay] = [], problems: [HostError] = []) {
        self.found = found
        self.problems = problems
    }

    /// The usable overlays.
    public var overlays: [LoadedOverlay] { found.compactMap(\.overlay) }

    /// The error for a command that needs an overlay if none is usable. Contains a refused overlay and the reason: the
    /// first one that could not be copied, because this is not due to the overlay, or otherwise the first.
    public var noOverlay: HostError {
        let all = found.compactMap { candidate in candidate.refusal.map { (candidate.file, $0) } }
        let uncopied = all.first { $0.1.code == .copyFailed }
        if let (file, refusal) = uncopied {
            return HostError(
                .noOverlay, "The overlay '\(file)' could not be loaded. \(refusal.message)",
                hint: refusal.hint, native: refusal.native, underlying: refusal)
        }
        let refused = all.first
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

    /// `schema` with the options of the overlay in use, which may be in no plugins folder. If several overlays declare
    /// an option, its declaration counts.
    package func schema(using overlay: OverlayDescription) -> PreferenceSchema {
        // The first declaration of an option counts, but the last one gives keys of earlier versions their meaning.
        overlays.reduce(PreferenceSchema.builtIn.merging(overlay)) { $0.merging($1.descriptor) }
            .merging(overlay)
    }
}
