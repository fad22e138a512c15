import OverlayHost
import Synchronization

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
    ///
    /// - Parameter cache: the last loaded version; nil to load the overlay in any case.
    init?(_ found: HostSetup.Found, _ cache: DevelopmentCache? = nil) throws(HostError) {
        let values = found.preferences
        guard try values.bool("development_mode"), let file = try values.text("development_overlay") else {
            return nil
        }
        self.file = file
        appID = try values.text("development_app_id")
        do throws(HostError) {
            overlay = if let cache { try cache.load(file, found) } else { try found.discovery.load(file) }
        } catch {
            problem = error
        }
    }
}

/// Keeps the last loaded version of an overlay under development, because each load stays in memory. Any thread.
final class DevelopmentCache: Sendable {
    private typealias Loaded = (file: String, version: FileVersion, overlay: LoadedOverlay)

    private let last = Mutex<Loaded?>(nil)

    /// Loads the overlay, unless its file is the same as last time.
    fileprivate func load(_ file: String, _ found: HostSetup.Found) throws(HostError) -> LoadedOverlay {
        let version = FileVersion(found.paths.expandingHome(file))
        let known = last.withLock { last in
            last.flatMap { $0.file == file && $0.version == version ? $0.overlay : nil }
        }
        if let known { return known }
        // A refusal is not kept, because its cause may end without a change of the file.
        let overlay = try found.discovery.load(file)
        last.withLock { $0 = (file, version, overlay) }
        return overlay
    }
}

extension HostSetup.Found {
    /// These overlays with the one under development, whose options the preferences then include.
    ///
    /// An overlay that cannot be loaded has no options. If a preference about it is wrong, there is none, so that the
    /// preference can be corrected.
    ///
    /// - Parameters:
    ///   - cache: the last loaded version.
    ///   - key: the only key that is used; nil for all. The overlay is not loaded for one whose values do not depend on
    ///     overlays.
    func withDevelopment(_ cache: DevelopmentCache, for key: String?) -> HostSetup.Found {
        if let preference = key.flatMap({ preferences.schema[$0] }), preference.owner == .host,
            preference.allowed == nil, preference.known == nil
        {
            return self
        }
        var found = self
        do throws(HostError) {
            found.development = try DevelopmentOverlay(self, cache)
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
