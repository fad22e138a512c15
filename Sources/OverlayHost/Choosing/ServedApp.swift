/// A reader app that an overlay serves. Some overlays serve several apps of a family.
struct ServedApp: Equatable {
    /// The name in the preferences.
    let name: String
    /// The id of the overlay.
    let overlayID: String
    /// The bundle identifiers in order of preference; never empty.
    var bundleIDs: [String]

    /// Whether the app is part of iOS.
    var isPartOfIOS: Bool { bundleIDs.allSatisfy { KnownReaderApp.partOfIOS($0) != nil } }

    /// The apps of all overlays, in order of precedence.
    static func all(_ overlays: [OverlayDescription]) -> [ServedApp] {
        var apps: [ServedApp] = []
        for overlay in overlays {
            var own: [ServedApp] = []
            for bundleID in overlay.appIDs {
                let name = name(of: bundleID, in: overlay)
                if let index = own.firstIndex(where: { $0.name == name }) {
                    own[index].bundleIDs.append(bundleID)
                } else {
                    own.append(ServedApp(name: name, overlayID: overlay.id, bundleIDs: [bundleID]))
                }
            }
            apps += own
        }
        return apps
    }

    /// The name of an app. An overlay of a known family uses separate names (GoodReader, GoodReader 4); other
    /// overlays have one name.
    private static func name(of bundleID: String, in overlay: OverlayDescription) -> String {
        let isFamily = KnownReaderApp.all.contains { $0.name == overlay.appName }
        let known = KnownReaderApp.all.first { $0.bundleIDs.contains(bundleID) }
        return isFamily ? known?.name ?? overlay.appName : overlay.appName
    }

    /// This app, reduced to the bundle identifiers on the device; nil if there are none.
    func on(_ installed: [AppChoiceFacts.InstalledApp]?) -> ServedApp? {
        guard let installed else { return self }
        var copy = self
        copy.bundleIDs = bundleIDs.filter { id in installed.contains { $0.bundleID == id } }
        return copy.bundleIDs.isEmpty ? nil : copy
    }
}
