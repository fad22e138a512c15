import ArgumentParser
import JSON
import OverlayHost

/// `apps`: the reader apps on the device and what iOS grants.
struct AppsCommand: DeviceVerb {
    static let configuration = CommandConfiguration(
        commandName: "apps", abstract: "Show the reader apps on the device, and the access iOS grants.")

    @OptionGroup var global: GlobalOptions

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        let overlays = try self.overlays(invocation)
        let survey = try ReaderAppSurvey.run(
            device: invocation.options.device, overlays: overlays, loggers: invocation.setup.loggers(),
            cancellation: invocation.cancellation)
        invocation.console.result(
            .document([
                "device": .string(survey.device.udid), "apps": .array(survey.apps.map(document)),
            ])
        ) { text(survey, width: invocation.console.width) }
        return .done
    }

    /// What the usable overlays say about themselves, the one under development first.
    private func overlays(_ invocation: Invocation) throws(HostError) -> [OverlayDescriptor] {
        let found = try invocation.setup.overlays()
        var descriptors = found.catalog.overlays.map(\.descriptor)
        if let development = try DevelopmentOverlay(found), let loaded = development.overlay {
            var descriptor = loaded.descriptor
            if let app = development.appID { descriptor.appIDs = [app] }
            if development.appID != nil { descriptors.insert(descriptor, at: 0) }
        }
        guard descriptors.isEmpty else { return descriptors }
        throw HostError(
            .noOverlay, "No overlay can be used.",
            hint:
                "Put one into a plugins folder; overlayhost overlays shows what is there and what was refused."
        )
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

    static let columns: [TextTable.Column] = [
        .init(title: "APP", minimum: 8), .init(title: "VERSION", minimum: 5),
        .init(title: "OVERLAY", minimum: 8), .init(title: "ACCESS", minimum: 8),
        .init(title: "BUNDLE ID", isKey: true),
    ]

    private func text(_ survey: ReaderAppSurvey, width: Int?) -> String {
        guard !survey.apps.isEmpty else { return "No reader app that an overlay serves is on the device." }
        var table = TextTable(Self.columns)
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
