import ArgumentParser
import OverlayHost

/// `apps`: the reader apps on the device and what iOS grants.
struct AppsCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "apps", abstract: "Show the reader apps on the device, and the access iOS grants.")

    @OptionGroup var global: GlobalOptions

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        let overlays = try invocation.overlays().catalog.overlays.map(\.descriptor)
        let survey = try ReaderAppSurvey.run(
            device: global.device, overlays: overlays, cancellation: invocation.cancellation)
        invocation.console.result(
            .document([
                "device": .string(survey.device.udid), "apps": .array(survey.apps.map(document)),
            ])
        ) { text(survey, width: invocation.console.width) }
        return .done
    }

    private func document(_ app: ReaderAppSurvey.App) -> JSONValue {
        let refused = app.refused.map { refusal in
            JSONValue.document([
                "root": .string(refusal.root), "reason": .string(refusal.reason),
                "hint": .optional(refusal.hint),
            ])
        }
        return .document([
            "bundle_id": .string(app.bundleID), "name": .string(app.name), "version": .optional(app.version),
            "overlay": .string(app.overlay), "access": .texts(app.access), "refused": .array(refused),
        ])
    }

    private func text(_ survey: ReaderAppSurvey, width: Int?) -> String {
        guard !survey.apps.isEmpty else { return "No reader app that an overlay serves is on the device." }
        var table = TextTable([
            .init(title: "APP", minimum: 8), .init(title: "VERSION"), .init(title: "OVERLAY"),
            .init(title: "ACCESS", minimum: 8), .init(title: "BUNDLE ID", minimum: 16),
        ])
        for app in survey.apps {
            table.add([
                app.name, app.version ?? "-", app.overlay,
                app.access.isEmpty ? "none" : app.access.joined(separator: ", "),
                app.bundleID,
            ])
        }
        var text = table.render(width: width)
        for app in survey.apps {
            for refusal in app.refused {
                text += "\n\n\(TerminalText.sanitized(app.name)): no access to its \(refusal.root): "
                text += TerminalText.sanitized(refusal.reason)
                if let hint = refusal.hint { text += "\n  \(TerminalText.sanitized(hint))" }
            }
        }
        return text
    }
}
