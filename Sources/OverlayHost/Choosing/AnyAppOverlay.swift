/// The overlay that serves every app with file sharing that other overlays do not name.
struct AnyAppOverlay {
    /// The overlay.
    let descriptor: OverlayDescription
    private let named: Set<String>

    /// Finds the first overlay with the trait; nil if there is none.
    init?(_ overlays: [OverlayDescription]) {
        guard let first = overlays.first(where: { $0.traits.contains(.anyFileSharingApp) }) else {
            return nil
        }
        descriptor = first
        named = Set(overlays.flatMap(\.appIDs))
    }

    /// Whether this overlay serves an app.
    func serves(bundleID: String, sharesFiles: Bool) -> Bool { sharesFiles && !named.contains(bundleID) }

    /// The apps of a device that this overlay serves, sorted by name.
    func apps(_ installed: [AppChoiceFacts.InstalledApp]?) -> [ServedApp] {
        (installed ?? []).filter { serves(bundleID: $0.bundleID, sharesFiles: $0.sharesFiles) }
            .sorted { ($0.name.lowercased(), $0.bundleID) < ($1.name.lowercased(), $1.bundleID) }
            .map { ServedApp(name: $0.name, overlayID: descriptor.id, bundleIDs: [$0.bundleID]) }
    }
}
