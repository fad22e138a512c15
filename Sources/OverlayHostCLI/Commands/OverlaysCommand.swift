import ArgumentParser
import JSON
import OverlayHost

/// `overlays`: what was found in the plugins folders, what is under development, and why a file is not used.
struct OverlaysCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "overlays", abstract: "Show the overlays found, and why a file is refused.")

    @OptionGroup var global: GlobalOptions

    /// One file.
    struct Row {
        var file: String
        var descriptor: OverlayDescriptor?
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
            if let note = development.note { invocation.console.note(note) }
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

    private func document(_ row: Row) -> JSONValue {
        let descriptor = row.descriptor
        return .document([
            "name": .optional(descriptor?.name), "version": .optional(descriptor?.version),
            "file": .string(row.file), "state": .string(state(row)), "reason": .optional(row.reason),
            "hint": .optional(row.hint), "code": .optional(row.code),
            "id": .optional(descriptor?.id), "app": .optional(descriptor?.appName),
            "bundle_ids": .texts(descriptor?.appIDs ?? []), "formats": .texts(descriptor?.formats ?? []),
            "methods": .texts(row.overlay?.implementedMethods ?? []), "development": .bool(row.isDevelopment),
        ])
    }

    private func state(_ row: Row) -> String { row.reason == nil ? "ready" : "refused" }

    static let columns: [TextTable.Column] = [
        .init(title: "NAME", minimum: 8), .init(title: "VERSION", minimum: 5),
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
        // Reasons are sentences: below the table they need not be cut.
        for row in rows {
            guard let reason = row.reason else { continue }
            text += "\n\n\(TerminalText.sanitized(row.file)): \(TerminalText.sanitized(reason))"
            if let hint = row.hint { text += "\n  \(TerminalText.sanitized(hint))" }
        }
        return text
    }
}
