import OverlayABI
import OverlayBridge

/// The preferences that an overlay may read by key: its own options and the host's common switches. [any thread]
///
/// Each function throws `invalidArgument` if the value has a different type. If the host does not have preferences,
/// all keys are unset, and setting one throws `notSupported`.
///
/// ```swift
/// let showsDrafts = try host.prefs.bool("paperboat_drafts", default: false)
/// ```
public struct PrefsService: @unchecked Sendable {
    // `@unchecked`: a constant copy of a table. Its functions may be called from any thread.
    private let table: ovl_prefs_service

    /// Creates the service for a table of the host. The table need not contain all functions.
    package init(_ table: ovl_prefs_service) { self.table = table }

    /// The switch for a key, or `fallback` if the key is unset.
    public func bool(_ key: String, default fallback: Bool) throws(OverlayError) -> Bool {
        guard table.get_bool != nil else { return fallback }
        let arena = Arena()
        var key = arena.text(key)
        var value: Int32 = fallback ? 1 : 0
        try ServiceCall.perform(table.get_bool, "prefs.get_bool") { get, error in
            get(table.ctx, &key, fallback ? 1 : 0, &value, error)
        }
        return withExtendedLifetime(arena) { value != 0 }
    }

    /// The integer for a key, or `fallback` if the key is unset.
    public func integer(_ key: String, default fallback: Int) throws(OverlayError) -> Int {
        guard table.get_integer != nil else { return fallback }
        let arena = Arena()
        var key = arena.text(key)
        var value = Int64(fallback)
        try ServiceCall.perform(table.get_integer, "prefs.get_integer") { get, error in
            get(table.ctx, &key, Int64(fallback), &value, error)
        }
        return withExtendedLifetime(arena) { Int(value) }
    }

    /// The number for a key, or `fallback` if the key is unset.
    public func number(_ key: String, default fallback: Double) throws(OverlayError) -> Double {
        guard table.get_number != nil else { return fallback }
        let arena = Arena()
        var key = arena.text(key)
        var value = fallback
        try ServiceCall.perform(table.get_number, "prefs.get_number") { get, error in
            get(table.ctx, &key, fallback, &value, error)
        }
        return withExtendedLifetime(arena) { value }
    }

    /// The text for a key; nil if the key is unset.
    public func text(_ key: String) throws(OverlayError) -> String? {
        let values = try texts(key)
        guard values.count <= 1 else {
            throw OverlayError(.invalidArgument, "The preference is a list, not text.", subject: key)
        }
        return values.first
    }

    /// The list of texts for a key; empty if the key is unset.
    public func texts(_ key: String) throws(OverlayError) -> [String] {
        guard table.get_texts != nil else { return [] }
        return try collect(table.get_texts, "prefs.get_texts", key)
    }

    /// The value as JSON text; nil if the key is unset. For objects.
    public func json(_ key: String) throws(OverlayError) -> String? {
        guard table.get_json != nil else { return nil }
        return try collect(table.get_json, "prefs.get_json", key).first
    }

    /// Asks the host to store a value, passed as JSON text. The host refuses keys of other overlays and of the host.
    public func requestSet(_ key: String, json: String) throws(OverlayError) {
        let arena = Arena()
        var key = arena.text(key)
        var json = arena.text(json)
        try ServiceCall.perform(table.request_set, "prefs.request_set") { set, error in
            set(table.ctx, &key, &json, error)
        }
        withExtendedLifetime(arena) {}
    }

    private typealias GetTexts =
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<ovl_text>, UnsafePointer<ovl_text_sink>,
            UnsafePointer<ovl_error_sink>?
        ) -> ovl_status

    private func collect(
        _ function: GetTexts?, _ name: StaticString, _ key: String
    ) throws(OverlayError) -> [String] {
        let arena = Arena()
        var key = arena.text(key)
        let receiver = RowReceiver<String>()
        var sink = receiver.textSink()
        try receiver.finish {
            () throws(OverlayError) in
            try ServiceCall.perform(function, name) { get, error in get(table.ctx, &key, &sink, error) }
        }
        return withExtendedLifetime(arena) { receiver.rows }
    }
}
