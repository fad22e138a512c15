import JSON

/// A row of `prefs list`.
///
/// ```swift
/// let preferences = Preferences(file: HostPaths.current().preferencesFile)
/// for row in try preferences.read().rows where row.hasEffect {
///     print(row.key, row.value?.text() ?? "not set", row.problem ?? "")
/// }
/// ```
public struct PreferenceRow: Sendable {
    /// The key.
    public let key: String
    /// The preference in the schema; nil for an unknown key.
    public let preference: Preference?
    /// The stored value; nil if it is not set.
    public let stored: JSONValue?
    /// The reason why the stored value cannot be used; nil if it can.
    public let problem: String?

    /// The effective value.
    public var value: JSONValue? {
        if let stored, stored != .null { stored } else { preference?.fallback }
    }

    /// Whether the value has an effect, which is false for an obsolete key.
    public var hasEffect: Bool { preference?.owner != .obsolete }
}

extension PreferenceValues {
    /// All known keys in the schema's order, including obsolete ones, followed by the unknown keys in the file's
    /// order.
    public var rows: [PreferenceRow] {
        var rows: [PreferenceRow] = []
        for preference in schema.preferences {
            let value = stored[preference.key]
            let fits =
                value.map { $0 == .null || preference.owner == .obsolete || preference.accepts($0) } ?? true
            rows.append(
                PreferenceRow(
                    key: preference.key, preference: preference, stored: value,
                    problem: fits ? nil : "it must be \(preference.expectation)"))
        }
        for member in stored.members where schema[member.name] == nil {
            rows.append(PreferenceRow(key: member.name, preference: nil, stored: member.value, problem: nil))
        }
        return rows
    }
}
