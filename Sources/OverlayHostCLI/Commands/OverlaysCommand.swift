import ArgumentParser
import OverlayHost

/// `overlays`: what was found in the plugins folders, and why a file is not used.
struct OverlaysCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "overlays", abstract: "Show the overlays found, and why a file is refused.")

    @OptionGroup var global: GlobalOptions

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        let found = try invocation.overlays().catalog.found
        invocation.console.result(.document(["overlays": .array(found.map(document))])) {
            found.isEmpty ? "No overlays found." : text(found, width: invocation.console.width)
        }
        return .done
    }

    private func document(_ overlay: DiscoveredOverlay) -> JSONValue {
        let descriptor = overlay.descriptor
        return .document([
            "name": .optional(descriptor?.name), "version": .optional(descriptor?.version),
            "file": .string(overlay.file), "state": .string(overlay.refusal == nil ? "ready" : "refused"),
            "reason": .optional(overlay.refusal?.message), "hint": .optional(overlay.refusal?.hint),
            "code": .optional(overlay.refusal?.code.rawValue),
            "id": .optional(descriptor?.id), "app": .optional(descriptor?.appName),
            "bundle_ids": .texts(descriptor?.appIDs ?? []), "formats": .texts(descriptor?.formats ?? []),
            "methods": .texts(overlay.overlay?.implementedMethods ?? []),
        ])
    }

    private func text(_ found: [DiscoveredOverlay], width: Int?) -> String {
        var table = TextTable([
            .init(title: "NAME", minimum: 8), .init(title: "VERSION"), .init(title: "STATE"),
            .init(title: "APP", minimum: 8), .init(title: "FORMATS", minimum: 8),
            .init(title: "FILE", minimum: 12),
        ])
        for overlay in found {
            let descriptor = overlay.descriptor
            table.add([
                descriptor?.name ?? "-", descriptor?.version ?? "-",
                overlay.refusal == nil ? "ready" : "refused",
                descriptor?.appName ?? "-", descriptor?.formats.joined(separator: ", ") ?? "-", overlay.file,
            ])
        }
        var text = table.render(width: width)
        // Reasons are sentences: below the table they need not be cut.
        for overlay in found {
            guard let refusal = overlay.refusal else { continue }
            text += "\n\n\(TerminalText.sanitized(overlay.file)): \(TerminalText.sanitized(refusal.message))"
            if let hint = refusal.hint { text += "\n  \(TerminalText.sanitized(hint))" }
        }
        return text
    }
}
