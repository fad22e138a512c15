import OverlayBridge
import HostContract
import HostErrors
import JSON
import OverlayABI

final class HostPrefsService: HostService {
    let context: InstanceContext

    init(_ context: InstanceContext) { self.context = context }

    /// The service for the overlay's view of the preferences.
    var table: ovl_prefs_service {
        var table = ovl_prefs_service.sized()
        table.ctx = pointer
        table.get_bool = { context, key, fallback, value, error in
            HostPrefsService.serve(context, "prefs.get_bool", error) { service throws(HostError) in
                let found = try service.preference("prefs.get_bool", key) { $0.bool }
                try service.write("prefs.get_bool", found.map { $0 ? 1 : 0 } ?? fallback, to: value)
            }
        }
        table.get_integer = { context, key, fallback, value, error in
            HostPrefsService.serve(context, "prefs.get_integer", error) { service throws(HostError) in
                let found = try service.preference("prefs.get_integer", key) { $0.integer }
                try service.write("prefs.get_integer", found ?? fallback, to: value)
            }
        }
        table.get_number = { context, key, fallback, value, error in
            HostPrefsService.serve(context, "prefs.get_number", error) { service throws(HostError) in
                let found = try service.preference("prefs.get_number", key) { $0.double }
                try service.write("prefs.get_number", found ?? fallback, to: value)
            }
        }
        table.get_texts = { context, key, values, error in
            HostPrefsService.serve(context, "prefs.get_texts", error) { service throws(HostError) in
                let found = try service.preference("prefs.get_texts", key) {
                    $0.string.map { [$0] } ?? $0.strings
                }
                try service.put(found ?? [], "prefs.get_texts", into: values)
            }
        }
        table.get_json = { context, key, value, error in
            HostPrefsService.serve(context, "prefs.get_json", error) { service throws(HostError) in
                let found = try service.preference("prefs.get_json", key) { $0.text() }
                try service.put(found.map { [$0] } ?? [], "prefs.get_json", into: value)
            }
        }
        table.request_set = { context, key, json, error in
            HostPrefsService.serve(context, "prefs.request_set", error) { service throws(HostError) in
                try service.store("prefs.request_set", key, json)
            }
        }
        return table
    }

    /// The value of a key in the requested type; nil if it is not set.
    private func preference<Value>(
        _ name: StaticString, _ key: UnsafePointer<ovl_text>, _ convert: (JSONValue) -> Value?
    ) throws(HostError) -> Value? {
        let key = try text(name, key, limit: 256)
        guard let stored = try environment.preferences.value(key), stored != .null else { return nil }
        guard let value = convert(stored) else {
            throw HostError(
                .invalidArgument, "The preference does not have the type that \(name) returns.", subject: key)
        }
        return value
    }

    private func store(_ name: StaticString, _ key: UnsafePointer<ovl_text>, _ json: UnsafePointer<ovl_text>)
        throws(HostError)
    {
        let key = try text(name, key, limit: 256)
        let content = try text(name, json, limit: BoundaryLimits.json)
        let value: JSONValue
        do {
            value = try JSONValue(parsing: Array(content.utf8))
        } catch {
            throw HostError(.invalidArgument, "The value is not JSON: \(error)", subject: key)
        }
        try environment.preferences.store(value, for: key)
    }
}
