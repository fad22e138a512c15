import Platform

/// The keys that the preferences file can have: the built-in ones and those that overlays declare.
public struct PreferenceSchema: Sendable {
    /// All preferences, in the order they are listed.
    public private(set) var preferences: [Preference]
    private var positions: [String: Int]

    /// A schema of these preferences; of two with one key the first counts.
    public init(_ preferences: [Preference]) {
        self.preferences = []
        positions = [:]
        for preference in preferences { _ = add(preference) }
    }

    /// The preference with this key.
    public subscript(key: String) -> Preference? { positions[key].map { preferences[$0] } }

    /// Adds a preference unless its key is taken; tells whether it did.
    public mutating func add(_ preference: Preference) -> Bool {
        guard positions[preference.key] == nil else { return false }
        positions[preference.key] = preferences.count
        preferences.append(preference)
        return true
    }

    /// This schema with the options and the app name of an overlay.
    ///
    /// A historical key of the overlay's app keeps its built-in type, default and limits; the overlay says what it means there.
    public func merging(_ overlay: OverlayDescriptor) -> PreferenceSchema {
        var merged = self
        for option in overlay.options where !merged.add(option) {
            guard let index = merged.positions[option.key],
                merged.preferences[index].owner == .readerApp(overlay.appName)
            else { continue }
            merged.preferences[index].describe(option)
        }
        if let index = merged.positions["web_overlays"] { merged.preferences[index].name(overlay.id) }
        if let index = merged.positions["preferred_reader_app"] {
            if overlay.traits.contains(.anyFileSharingApp) {
                // Any app of any device may be meant; which there are only the device knows.
                let names = merged.preferences[index].allowed
                (merged.preferences[index].allowed, merged.preferences[index].known) = (nil, names)
            } else {
                merged.preferences[index].name(overlay.appName)
            }
        }
        return merged
    }

    /// The error for a key that nobody knows, with the nearest known one.
    func unknown(_ key: String) -> HostError {
        let nearest = NearestName.find(key, in: preferences.map(\.key))
        return HostError(
            .prefsUnknownKey, "No such preference.", subject: key,
            hint: nearest.map { "Did you mean \($0)?" }
                ?? "List the preferences with: overlayhost prefs list.")
    }
}
