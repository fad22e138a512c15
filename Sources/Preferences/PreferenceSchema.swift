import HostErrors
import Platform

/// The possible keys of the preferences file: the built-in ones and those that overlays declare.
///
/// ```swift
/// var schema = PreferenceSchema.builtIn
/// _ = schema.add(Preference("paperboat_folder", .text, "The folder of new books."))
/// for preference in schema.preferences { print(preference.key, preference.meaning) }
/// ```
public struct PreferenceSchema: Sendable {
    /// All preferences in display order.
    public private(set) var preferences: [Preference]
    private var positions: [String: Int]

    /// Creates a schema. If two preferences have the same key, the first is used.
    public init(_ preferences: [Preference]) {
        self.preferences = []
        positions = [:]
        for preference in preferences { _ = add(preference) }
    }

    /// The preference with this key.
    public subscript(key: String) -> Preference? { positions[key].map { preferences[$0] } }

    /// Adds a preference unless its key is already used. Returns whether it was added.
    public mutating func add(_ preference: Preference) -> Bool {
        guard positions[preference.key] == nil else { return false }
        positions[preference.key] = preferences.count
        preferences.append(preference)
        return true
    }

    /// This schema with the options of an overlay and the name of its reader app.
    ///
    /// A historical key of that app keeps its built-in type, default and limits, and gets the overlay's explanation.
    ///
    /// - Parameters:
    ///   - overlay: the id of the overlay.
    ///   - servesAnyApp: whether the overlay serves apps that it does not name.
    package func merging(
        options: [Preference], of overlay: String, for app: String, servesAnyApp: Bool
    ) -> PreferenceSchema {
        var merged = self
        for option in options where !merged.add(option) {
            guard let index = merged.positions[option.key],
                merged.preferences[index].owner == .readerApp(app)
            else { continue }
            merged.preferences[index].describe(option)
        }
        if let index = merged.positions["web_overlays"] { merged.preferences[index].name(overlay) }
        if let index = merged.positions["preferred_reader_app"] {
            if servesAnyApp {
                // Any app of any device may be named, and only the device knows its apps.
                if let names = merged.preferences[index].allowed {
                    (merged.preferences[index].allowed, merged.preferences[index].known) = (nil, names)
                }
            } else {
                merged.preferences[index].name(app)
            }
        }
        return merged
    }

    /// The error for an unknown key, with the most similar known one.
    package func unknown(_ key: String) -> HostError {
        let nearest = NearestName.find(key, in: preferences.map(\.key))
        return HostError(
            .prefsUnknownKey, "No such preference.", subject: key,
            hint: nearest.map { "Did you mean \($0)?" }
                ?? "List the preferences with: overlayhost prefs list",
            hintCode: nearest == nil ? .list : nil)
    }
}
