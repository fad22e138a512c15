import JSON
import OverlayHost

/// Methods about the preferences, with the information that a client needs to show a form.
enum PreferenceMethods {
    static let all: [ServedMethod] = [
        .host("prefs.list", ["overlay"], asksDevices: false, list),
        .host("prefs.get", ["key"], asksDevices: false, get),
        .host("prefs.set", ["key", "value"], asksDevices: false, set),
        .host("prefs.unset", ["key"], asksDevices: false, unset),
    ]

    @Sendable private static func list(
        _ serving: ServingHost, _ request: PendingRequest
    ) throws(HostError) -> JSONValue? {
        let found = try current(serving)
        let values = found.preferences
        if let name = try request.parameters.text("overlay") {
            let row = try OverlayListing(found).row(named: name)
            guard let descriptor = row.descriptor else { return nil }
            let document = PreferenceDocument(overlays: [descriptor])
            return .document([
                "file": .string(values.file), "prefs": .array(row.options(values).map(document.json)),
            ])
        }
        let document = PreferenceDocument(overlays: found.descriptors)
        return .document(["file": .string(values.file), "prefs": .array(values.rows.map(document.json))])
    }

    @Sendable private static func get(
        _ serving: ServingHost, _ request: PendingRequest
    ) throws(HostError) -> JSONValue? {
        let key = try request.parameters.requiredText("key")
        let found = try current(serving, for: key)
        let value = try found.usingKey { () throws(HostError) in try found.preferences.value(key) }
        return .document(["key": .string(key), "value": value ?? .null])
    }

    @Sendable private static func set(
        _ serving: ServingHost, _ request: PendingRequest
    ) throws(HostError) -> JSONValue? {
        let key = try request.parameters.requiredText("key")
        guard let value = request.parameters.value("value") else {
            throw HostError(
                .parameter, "This parameter is missing.", subject: "value",
                hint: "Use prefs.unset to return to the default.")
        }
        var preferences = serving.setup.preferences
        let found = try current(serving, for: key)
        preferences.schema = found.preferences.schema
        try found.usingKey { () throws(HostError) in try preferences.store(value, for: key) }
        let preference = preferences.schema[key]
        if preference?.owner == .host { serving.setup.forgetOverlays() }
        return .document([
            "key": .string(key), "value": value, "remarks": .texts(preference?.remarks(on: value) ?? []),
        ])
    }

    @Sendable private static func unset(
        _ serving: ServingHost, _ request: PendingRequest
    ) throws(HostError) -> JSONValue? {
        let key = try request.parameters.requiredText("key")
        var preferences = serving.setup.preferences
        let found = try current(serving, for: key)
        preferences.schema = found.preferences.schema
        let removed = try found.usingKey { () throws(HostError) in try preferences.unset(key) }
        if preferences.schema[key]?.owner == .host { serving.setup.forgetOverlays() }
        return .document(["key": .string(key), "removed": .bool(removed)])
    }

    /// The overlays in use and the one under development, with the present preferences of the file. If a preference
    /// about overlays is wrong, those that can be found.
    ///
    /// - Parameter key: the only preference that is used; nil for all.
    private static func current(
        _ serving: ServingHost, for key: String? = nil
    ) throws(HostError) -> HostSetup.Found {
        var found: HostSetup.Found
        do throws(HostError) {
            found = try serving.setup.overlays()
        } catch {
            return try serving.setup.overlaysForMending(for: key)
        }
        found.preferences = try serving.setup.preferences.read().with(found.catalog.schema)
        return found.withDevelopment(serving.setup.developmentCache, for: key)
    }
}
