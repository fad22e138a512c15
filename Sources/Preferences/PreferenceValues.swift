import HostErrors
import JSON

/// The preferences as read from the file, with the schema's defaults.
///
/// ```swift
/// let values = try Preferences(file: HostPaths.current().preferencesFile).read()
/// print(try values.text("preferred_reader_app") ?? "not set", try values.bool("development_mode"))
/// for folder in try values.texts("plugin_directories") { print(folder) }
/// ```
public struct PreferenceValues: Sendable {
    /// The path of the file, which need not exist.
    public let file: String
    /// The known keys.
    public let schema: PreferenceSchema
    /// The values in the file, including those of unknown keys.
    public let stored: JSONObject

    /// Creates values for a schema.
    public init(file: String, schema: PreferenceSchema, stored: JSONObject) {
        self.file = file
        self.schema = schema
        self.stored = stored
    }

    /// These values with a larger schema.
    public func with(_ schema: PreferenceSchema) -> PreferenceValues {
        PreferenceValues(file: file, schema: schema, stored: stored)
    }

    /// The value of a key: the stored one, or else the default value; nil if there is neither. A stored `null` counts
    /// as not set.
    ///
    /// Throws `prefsInvalidValue` for a stored value of the wrong type, and `prefsUnknownKey` for a key that is
    /// neither known nor stored.
    public func value(_ key: String) throws(HostError) -> JSONValue? {
        let value = stored[key]
        guard let preference = schema[key] else {
            guard let value else { throw schema.unknown(key) }
            return value
        }
        guard let value, value != .null else { return preference.fallback }
        if preference.owner != .obsolete, !preference.accepts(value) {
            throw preference.invalid(value, in: file)
        }
        return value
    }

    /// The boolean for a key; false if it is not set and has no default.
    public func bool(_ key: String) throws(HostError) -> Bool { try value(key)?.bool ?? false }

    /// The integer for a key.
    public func integer(_ key: String) throws(HostError) -> Int64? { try value(key)?.integer }

    /// The number for a key.
    public func number(_ key: String) throws(HostError) -> Double? { try value(key)?.double }

    /// The text for a key; nil if it is not set or empty, which have the same meaning for every text preference.
    public func text(_ key: String) throws(HostError) -> String? {
        guard let text = try value(key)?.string, !text.isEmpty else { return nil }
        return text
    }

    /// The list of texts for a key; empty if it is not set and has no default.
    public func texts(_ key: String) throws(HostError) -> [String] { try value(key)?.strings ?? [] }
}
