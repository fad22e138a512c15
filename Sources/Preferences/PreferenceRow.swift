import JSON

/// One line of `prefs list`.
public struct PreferenceRow: Sendable {
    /// The key.
    public let key: String
    /// What the schema says; nil for an unknown key.
    public let preference: Preference?
    /// The stored value; nil if not set.
    public let stored: JSONValue?
    /// Why the stored value cannot be used; nil if it can.
    public let problem: String?

    /// The value that counts.
    public var value: JSONValue? {
        if let stored, stored != .null { stored } else { preference?.fallback }
    }

    /// False for an obsolete key, because its value has no effect.
    public var hasEffect: Bool { preference?.owner != .obsolete }
}

extension PreferenceValues {
    /// All known keys in the schema's order, obsolete ones included, then the unknown ones of the file in its order.
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
