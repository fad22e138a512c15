import HostErrors
import JSON

/// The preferences as one reading of the file found them, with the schema's defaults.
public struct PreferenceValues: Sendable {
    /// The file they were read from; it need not exist.
    public let file: String
    /// The known keys.
    public let schema: PreferenceSchema
    /// What the file holds, unknown keys included.
    public let stored: JSONObject

    /// The values of `stored` under a schema.
    public init(file: String, schema: PreferenceSchema, stored: JSONObject) {
        self.file = file
        self.schema = schema
        self.stored = stored
    }

    /// The same values under a larger schema.
    public func with(_ schema: PreferenceSchema) -> PreferenceValues {
        PreferenceValues(file: file, schema: schema, stored: stored)
    }

    /// The value of a key: the stored one, else the default, else nil. A stored `null` counts as not set.
    ///
    /// Throws `prefsInvalidValue` for a stored value of the wrong type, `prefsUnknownKey` for a key that is neither known
    /// nor stored.
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

    /// A boolean; false if unset without default.
    public func bool(_ key: String) throws(HostError) -> Bool { try value(key)?.bool ?? false }

    /// A whole number.
    public func integer(_ key: String) throws(HostError) -> Int64? { try value(key)?.integer }

    /// A number.
    public func number(_ key: String) throws(HostError) -> Double? { try value(key)?.double }

    /// A text; nil if unset or empty, which mean the same for every text preference.
    public func text(_ key: String) throws(HostError) -> String? {
        guard let text = try value(key)?.string, !text.isEmpty else { return nil }
        return text
    }

    /// A list of texts; empty if unset without default.
    public func texts(_ key: String) throws(HostError) -> [String] { try value(key)?.strings ?? [] }
}
