import HostErrors
import JSON

/// The preferences file: a flat JSON object that users, the host, overlays and other programs edit.
///
/// Every change reads the file again under a lock and replaces it completely, so that changes of two writers are both
/// kept, and a reader never sees an incomplete file. All functions block for file operations. Any thread.
///
/// ```swift
/// let preferences = Preferences(file: HostPaths.current().preferencesFile)
/// try preferences.store(.string("Kindle"), for: "preferred_reader_app")
/// print(try preferences.read().text("preferred_reader_app") ?? "not set")
/// ```
public struct Preferences: Sendable {
    /// The path of the file. A missing file counts as empty.
    public let file: String
    /// The known keys.
    public var schema: PreferenceSchema

    /// Creates preferences for `file`. The command line program uses `HostPaths.preferencesFile`.
    public init(file: String, schema: PreferenceSchema = .builtIn) {
        self.file = file
        self.schema = schema
    }

    /// Reads the file. Throws `prefsDamaged` with line and column, or `prefsUnreadable`.
    public func read() throws(HostError) -> PreferenceValues {
        PreferenceValues(file: file, schema: schema, stored: try PreferenceFile(file).read())
    }

    /// Sets a key to a value in the user's notation, and returns the stored value.
    ///
    /// `folder`: the absolute path of the folder for relative paths, usually the working directory; nil to refuse
    /// relative paths, because the file must not depend on the working directory of a program. `isDryRun`: whether to
    /// only check the value, without changing the file.
    @discardableResult
    public func set(
        _ key: String, to text: String, relativeTo folder: String? = nil, isDryRun: Bool = false
    ) throws(HostError) -> JSONValue {
        let value = try settable(key).value(fromText: text, relativeTo: folder)
        guard !isDryRun else {
            _ = try PreferenceFile(file).read()
            return value
        }
        try PreferenceFile(file).update { $0[key] = value }
        return value
    }

    /// Sets a key to a JSON value, for requests of overlays.
    public func store(_ value: JSONValue, for key: String) throws(HostError) {
        let preference = try settable(key)
        guard preference.acceptsNew(value) else { throw preference.invalid(value) }
        try PreferenceFile(file).update { $0[key] = value }
    }

    /// Removes a known or unknown key, and returns whether it was set. Throws `prefsUnknownKey` if the key is neither
    /// known nor set.
    ///
    /// `isDryRun`: whether to only check that the key is set.
    @discardableResult
    public func unset(_ key: String, isDryRun: Bool = false) throws(HostError) -> Bool {
        let file = PreferenceFile(file)
        let before = isDryRun ? try file.read() : try file.update { $0[key] = nil }
        if before[key] == nil, schema[key] == nil { throw schema.unknown(key) }
        return before[key] != nil
    }

    private func settable(_ key: String) throws(HostError) -> Preference {
        guard let preference = schema[key] else { throw schema.unknown(key) }
        if preference.owner == .obsolete {
            throw HostError(
                .prefsUnknownKey, "This preference is obsolete and has no effect.", subject: key,
                hint: preference.meaning)
        }
        return preference
    }
}
