import OverlayHost

/// The overlay in `development_overlay`, if `development_mode` is on.
struct DevelopmentOverlay {
    /// The path as given in the preference.
    let file: String
    /// The bundle id in `development_app_id`; nil if it is missing. Without it, sessions do not use the overlay.
    let appID: String?
    /// The loaded overlay; nil if it was refused.
    private(set) var overlay: LoadedOverlay?
    /// Why it was refused; nil if it was not.
    private(set) var problem: HostError?

    /// Loads the overlay; nil if no development overlay is set or `development_mode` is off.
    init?(_ found: HostSetup.Found) throws(HostError) {
        let values = found.preferences
        guard try values.bool("development_mode"), let file = try values.text("development_overlay") else {
            return nil
        }
        self.file = file
        appID = try values.text("development_app_id")
        do throws(HostError) {
            overlay = try found.discovery.load(file)
        } catch {
            problem = error
        }
    }
}

extension HostSetup.Found {
    /// These overlays with the one under development, whose options the preferences then include.
    ///
    /// An overlay that cannot be loaded has no options. If a preference about it is wrong, there is none, so that the
    /// preference can be corrected.
    func withDevelopment() -> HostSetup.Found {
        var found = self
        do throws(HostError) {
            found.development = try DevelopmentOverlay(self)
        } catch {
            return self
        }
        guard let overlay = found.development?.overlay else { return found }
        found.preferences = preferences.with(catalog.schema(using: overlay.descriptor))
        return found
    }

    /// The descriptions of the overlays whose options the preferences include.
    var descriptors: [OverlayDescription] {
        [development?.overlay?.descriptor].compactMap { $0 } + catalog.overlays.map(\.descriptor)
    }

    /// Runs `body`, which uses a key of the preferences. If the key is unknown, and may be an option of an overlay
    /// under development that cannot be loaded, the error has the reason.
    func usingKey<Value>(_ body: () throws(HostError) -> Value) throws(HostError) -> Value {
        do throws(HostError) {
            return try body()
        } catch {
            guard error.code == .prefsUnknownKey, let development, let problem = development.problem else {
                throw error
            }
            var explained = error
            explained.hint =
                "The options of '\(development.file)' are unknown because it cannot be used. \(problem.message)"
            explained.hintCode = nil
            throw explained
        }
    }
}

extension HostSetup {
    /// The usable overlays with their descriptors, the one under development first. Throws if there is none.
    func usableOverlays() throws(HostError) -> [(descriptor: OverlayDescription, overlay: LoadedOverlay)] {
        let found = try overlays()
        var overlays = found.catalog.overlays.map { (descriptor: $0.descriptor, overlay: $0) }
        if let development = try DevelopmentOverlay(found), let loaded = development.overlay {
            var descriptor = loaded.descriptor
            if let app = development.appID {
                descriptor.appIDs = [app]
                overlays.insert((descriptor, loaded), at: 0)
            }
        }
        guard overlays.isEmpty else { return overlays }
        throw found.catalog.noOverlay
    }
}
