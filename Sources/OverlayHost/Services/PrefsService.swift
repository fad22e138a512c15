import JSON
import OverlayABI

extension InstanceCore {
    /// The prefs service over the overlay's view of the preferences.
    func prefsService() -> ovl_prefs_service {
        var table = ovl_prefs_service.sized()
        table.ctx = context
        table.get_bool = { context, key, fallback, value, error in
            InstanceCore.serve(context, "prefs.get_bool", error) { core throws(HostError) in
                let found = try core.preference("prefs.get_bool", key) { $0.bool }
                try core.write("prefs.get_bool", found.map { $0 ? 1 : 0 } ?? fallback, to: value)
            }
        }
        table.get_integer = { context, key, fallback, value, error in
            InstanceCore.serve(context, "prefs.get_integer", error) { core throws(HostError) in
                let found = try core.preference("prefs.get_integer", key) { $0.integer }
                try core.write("prefs.get_integer", found ?? fallback, to: value)
            }
        }
        table.get_number = { context, key, fallback, value, error in
            InstanceCore.serve(context, "prefs.get_number", error) { core throws(HostError) in
                let found = try core.preference("prefs.get_number", key) { $0.double }
                try core.write("prefs.get_number", found ?? fallback, to: value)
            }
        }
        table.get_texts = { context, key, values, error in
            InstanceCore.serve(context, "prefs.get_texts", error) { core throws(HostError) in
                let found = try core.preference("prefs.get_texts", key) {
                    $0.string.map { [$0] } ?? $0.strings
                }
                try core.put(found ?? [], "prefs.get_texts", into: values)
            }
        }
        table.get_json = { context, key, value, error in
            InstanceCore.serve(context, "prefs.get_json", error) { core throws(HostError) in
                let found = try core.preference("prefs.get_json", key) { $0.text() }
                try core.put(found.map { [$0] } ?? [], "prefs.get_json", into: value)
            }
        }
        table.request_set = { context, key, json, error in
            InstanceCore.serve(context, "prefs.request_set", error) { core throws(HostError) in
                try core.store("prefs.request_set", key, json)
            }
        }
        return table
    }

    /// The value of a key in the asked type; nil if it is not set.
    private func preference<Value>(
        _ name: StaticString, _ key: UnsafePointer<ovl_text>, _ convert: (JSONValue) -> Value?
    ) throws(HostError) -> Value? {
        let key = try text(name, key, limit: 256)
        guard let stored = try preferences.value(key), stored != .null else { return nil }
        guard let value = convert(stored) else {
            throw HostError(
                .invalidArgument, "The preference does not have the type that \(name) returns.", subject: key)
        }
        return value
    }

    func put(_ texts: [String], _ name: StaticString, into pointer: UnsafePointer<ovl_text_sink>)
        throws(HostError)
    {
        let sink = try sink(name, pointer)
        guard let put = sink.put else { return }
        let memory = CallMemory()
        for text in texts {
            let view = memory.text(text)
            let status = withExtendedLifetime(memory) { withUnsafePointer(to: view) { put(sink.ctx, $0) } }
            guard status == OVL_OK else { throw Self.receiverStopped }
        }
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
        try preferences.store(value, for: key)
    }
}
