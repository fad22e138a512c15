import JSON
import OverlayHost
import Platform

/// The overlays that were found, the one under development first, and why some are not used.
struct OverlayListing {
    /// One file.
    struct Row {
        var file: String
        var descriptor: OverlayDescription?
        var overlay: LoadedOverlay?
        /// Why it is not used; nil if it is.
        var reason: String?
        var hint: String?
        var code: String?
        var isDevelopment = false
    }

    /// The files, by precedence.
    private(set) var rows: [Row]

    /// Lists the overlays found. Loads the overlay under development, if there is one.
    init(_ found: HostSetup.Found) throws(HostError) {
        rows = found.catalog.found.map(Row.init)
        if let development = try DevelopmentOverlay(found) { rows.insert(Row(development), at: 0) }
    }

    /// The overlay with a name; a usable one takes precedence over a refused one.
    func row(named name: String) throws(HostError) -> Row {
        let wanted = name.lowercased()
        let known = rows.filter { $0.descriptor != nil }
        let fitting = known.filter { row in
            let names = [row.descriptor?.id, row.descriptor?.name, row.descriptor?.appName].compactMap { $0 }
            return names.contains { $0.lowercased() == wanted }
                || KnownReaderApp.all.contains { names.contains($0.name) && $0.isCalled(name) }
        }
        if let row = fitting.first(where: { $0.reason == nil }) ?? fitting.first { return row }
        let ids = known.compactMap(\.descriptor?.id)
        let nearest = NearestName.find(wanted, in: ids)
        throw HostError(
            .noOverlay, "No overlay has this name.", subject: name,
            hint: nearest.map { "Did you mean \($0)?" }
                ?? (ids.isEmpty
                    ? "List them with: overlayhost overlays" : "Available: \(ids.joined(separator: ", "))."))
    }

    /// `{"overlays": […]}`.
    var json: JSONValue { .document(["overlays": .array(rows.map { .object($0.members) })]) }
}

extension OverlayListing.Row {
    fileprivate init(_ found: DiscoveredOverlay) {
        self.init(
            file: found.file, descriptor: found.descriptor, overlay: found.overlay,
            reason: found.refusal?.message, hint: found.refusal?.hint, code: found.refusal?.code.rawValue)
    }

    fileprivate init(_ development: DevelopmentOverlay) {
        self.init(
            file: development.file, descriptor: development.overlay?.descriptor, overlay: development.overlay,
            isDevelopment: true)
        if let app = development.appID { descriptor?.appIDs = [app] }
        if let problem = development.problem {
            (reason, hint) = (problem.message, problem.hint)
            code = (problem.underlying as? OverlayRefusal)?.code.rawValue ?? problem.code.rawValue
        }
    }

    /// `ready` or `refused`.
    var state: String { reason == nil ? "ready" : "refused" }

    /// The words for the overlay's abilities.
    var abilities: [String] {
        descriptor.map { OverlayAbilities.words($0, methods: overlay?.implementedMethods ?? []) } ?? []
    }

    /// The preferences that the overlay declares, and earlier ones of its app.
    func options(_ values: PreferenceValues) -> [PreferenceRow] {
        guard let descriptor else { return [] }
        return PreferenceDocument(overlays: [descriptor]).rows(
            values.with(PreferenceSchema.builtIn.merging(descriptor)).rows, of: descriptor)
    }

    /// The members of a file in the list.
    fileprivate var members: JSONObject {
        let document = JSONValue.document([
            "name": .optional(descriptor?.name), "version": .optional(descriptor?.version),
            "file": .string(file), "state": .string(state), "reason": .optional(reason),
            "hint": .optional(hint), "code": .optional(code),
            "id": .optional(descriptor?.id), "app": .optional(descriptor?.appName),
            "bundle_ids": .texts(descriptor?.appIDs ?? []), "formats": .texts(descriptor?.formats ?? []),
            "methods": .texts(overlay?.implementedMethods ?? []), "development": .bool(isDevelopment),
        ])
        return document.object ?? JSONObject()
    }

    /// The overlay with all details.
    func details(_ values: PreferenceValues) -> JSONValue {
        guard let descriptor else { return .object(members) }
        let preferences = PreferenceDocument(overlays: [descriptor])
        var document = members
        document["summary"] = .string(descriptor.summary)
        document["abilities"] = .texts(abilities)
        document["settable_metadata"] = .texts(descriptor.settableMetadata)
        document["options"] = .array(options(values).map(preferences.json))
        document["help"] = .optional(descriptor.help)
        return .object(document)
    }
}
