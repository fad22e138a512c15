import HostErrors
import JSON

/// The preferences file: a flat JSON object that people, the host, overlays and other programs edit.
///
/// Every change re-reads the file under a lock and replaces it whole, so that two writers lose nothing and a reader
/// never sees half a file. All functions block for file operations; any thread.
///
/// ```swift
/// let preferences = Preferences(file: HostPaths.current().preferencesFile)
/// try preferences.store(.string("Kindle"), for: "preferred_reader_app")
/// print(try preferences.read().text("preferred_reader_app") ?? "not set")
/// ```
public struct Preferences: Sendable {
    /// Path of the file; it need not exist, an absent file is an empty one.
    public let file: String
    /// The known keys.
    public var schema: PreferenceSchema

    /// The preferences in `file`, which defaults to `HostPaths.preferencesFile` in the command line program.
    public init(file: String, schema: PreferenceSchema = .builtIn) {
        self.file = file
        self.schema = schema
    }

    /// Reads the file. Throws `prefsDamaged` with line and column, or `prefsUnreadable`.
    public func read() throws(HostError) -> PreferenceValues {
        PreferenceValues(file: file, schema: schema, stored: try PreferenceFile(file).read())
    }

    /// Sets a key to a value that a person wrote; returns the stored value.
    ///
    /// `folder`: the absolute path of the folder that relative paths start from, usually the working directory;
    ///   nil: relative paths are refused, for the file means the same wherever a program is started.
    /// `isDryRun`: only check the value, and leave the file as it is.
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

    /// Sets a key to a JSON value, as overlays ask for it.
    public func store(_ value: JSONValue, for key: String) throws(HostError) {
        let preference = try settable(key)
        guard preference.acceptsNew(value) else { throw preference.invalid(value) }
        try PreferenceFile(file).update { $0[key] = value }
    }

    /// Removes a key, known or not; tells whether it was there. Throws `prefsUnknownKey` if it is neither known nor there.
    ///
    /// `isDryRun`: only look whether it is there.
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
