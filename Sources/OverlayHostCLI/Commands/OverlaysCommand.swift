import ArgumentParser
import JSON
import OverlayHost
import Platform

/// `overlays`: what was found in the plugins folders, what is under development, and why a file is not used.
struct OverlaysCommand: OverlayVerb {
    static let configuration = CommandConfiguration(
        commandName: "overlays", abstract: "List the overlays, and why any were refused.",
        usage: "overlayhost overlays [<name>] [<options>]",
        discussion: "With NAME, shows what the overlay can do, its options, and its help.")

    @Argument(help: ArgumentHelp("An overlay's id or name, or its reader app's name.", valueName: "name"))
    var name: String?
    @OptionGroup var global: GlobalOptions<OverlaysCommand>

    static let takes: Set<CommonOption> = [.plugins, .prefs, .inProcess, .watch]

    var overlayFile: String? { nil }

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

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        let found = try invocation.setup.overlays()
        var rows = found.catalog.found.map(Self.row)
        if let development = try DevelopmentOverlay(found) {
            rows.insert(Self.row(development), at: 0)
        }
        if let name {
            show(try Self.find(name, in: rows), found.preferences, invocation.console)
            return .done
        }
        invocation.console.result(.document(["overlays": .array(rows.map(document))])) {
            rows.isEmpty ? "No overlays found." : text(rows, width: invocation.console.width)
        }
        return .done
    }

    private static func row(_ found: DiscoveredOverlay) -> Row {
        Row(
            file: found.file, descriptor: found.descriptor, overlay: found.overlay,
            reason: found.refusal?.message, hint: found.refusal?.hint, code: found.refusal?.code.rawValue)
    }

    private static func row(_ development: DevelopmentOverlay) -> Row {
        var row = Row(
            file: development.file, descriptor: development.overlay?.descriptor, overlay: development.overlay,
            isDevelopment: true)
        if let app = development.appID { row.descriptor?.appIDs = [app] }
        if let problem = development.problem {
            (row.reason, row.hint) = (problem.message, problem.hint)
            row.code = (problem.underlying as? OverlayRefusal)?.code.rawValue ?? problem.code.rawValue
        }
        return row
    }

    private func document(_ row: Row) -> JSONValue { .object(members(row)) }

    /// What the list shows of a file.
    private func members(_ row: Row) -> JSONObject {
        let descriptor = row.descriptor
        let document = JSONValue.document([
            "name": .optional(descriptor?.name), "version": .optional(descriptor?.version),
            "file": .string(row.file), "state": .string(state(row)), "reason": .optional(row.reason),
            "hint": .optional(row.hint), "code": .optional(row.code),
            "id": .optional(descriptor?.id), "app": .optional(descriptor?.appName),
            "bundle_ids": .texts(descriptor?.appIDs ?? []), "formats": .texts(descriptor?.formats ?? []),
            "methods": .texts(row.overlay?.implementedMethods ?? []), "development": .bool(row.isDevelopment),
        ])
        return document.object ?? JSONObject()
    }

    // MARK: one overlay

    /// The overlay that a name means; a usable one is preferred to a refused one.
    private static func find(_ name: String, in rows: [Row]) throws(HostError) -> Row {
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
                    ? "List them with: overlayhost overlays." : "Available: \(ids.joined(separator: ", "))."))
    }

    private func show(_ row: Row, _ values: PreferenceValues, _ console: Console) {
        guard let descriptor = row.descriptor else { return }
        let preferences = PreferenceDocument(overlays: [descriptor])
        let options = preferences.rows(values.with(values.schema.merging(descriptor)).rows, of: descriptor)
        let abilities = OverlayAbilities.words(descriptor, methods: row.overlay?.implementedMethods ?? [])
        var document = members(row)
        document["summary"] = .string(descriptor.summary)
        document["abilities"] = .texts(abilities)
        document["settable_metadata"] = .texts(descriptor.settableMetadata)
        document["options"] = .array(options.map(preferences.json))
        document["help"] = .optional(descriptor.help)
        console.result(.object(document)) {
            OverlayText(
                descriptor: descriptor, file: row.file, problem: row.reason, abilities: abilities,
                options: options
            ).render(width: console.width)
        }
    }

    private func state(_ row: Row) -> String { row.reason == nil ? "ready" : "refused" }

    static let columns: [TextTable.Column] = [
        .init(title: "NAME", minimum: 8), .init(title: "VERSION", minimum: 7),
        .init(title: "STATE", minimum: 7), .init(title: "APP", minimum: 6),
        .init(title: "FORMATS", minimum: 6), .init(title: "FILE", isKey: true),
    ]

    private func text(_ rows: [Row], width: Int?) -> String {
        var table = TextTable(Self.columns)
        for row in rows {
            let descriptor = row.descriptor
            table.add([
                descriptor?.name ?? "-", descriptor?.version ?? "-",
                state(row) + (row.isDevelopment ? " (development)" : ""),
                descriptor?.appName ?? "-", descriptor?.formats.joined(separator: ", ") ?? "-", row.file,
            ])
        }
        var text = table.render(width: width)
        // Reasons are sentences, which need not be cut below the table.
        for row in rows {
            guard let reason = row.reason else { continue }
            text += "\n\n\(TerminalText.sanitized(row.file)): \(TerminalText.sanitized(reason))"
            if let hint = row.hint { text += "\n  \(TerminalText.sanitized(hint))" }
        }
        return text
    }
}
