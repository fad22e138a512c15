import ArgumentParser
import JSON
import OverlayHost

/// `apps`: the reader apps on the device and what iOS grants.
struct AppsCommand: DeviceVerb {
    static let configuration = CommandConfiguration(
        commandName: "apps", abstract: "Show the reader apps on the device, and the access iOS grants.",
        usage: "overlayhost apps [<options>]")

    @OptionGroup var global: GlobalOptions

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        let survey = try ReaderAppSurvey.run(invocation.request(), overlays: overlays(invocation))
        invocation.progress.clear()
        invocation.console.result(
            .document([
                "device": .string(survey.device.udid), "apps": .array(survey.apps.map(document)),
            ])
        ) { text(survey, width: invocation.console.width) }
        return .done
    }

    /// The usable overlays with what they say about themselves, the one under development first.
    private func overlays(_ invocation: Invocation) throws(HostError) -> [(
        descriptor: OverlayDescriptor, overlay: LoadedOverlay
    )] {
        let found = try invocation.setup.overlays()
        var overlays = found.catalog.overlays.map { (descriptor: $0.descriptor, overlay: $0) }
        if let development = try DevelopmentOverlay(found), let loaded = development.overlay {
            var descriptor = loaded.descriptor
            if let app = development.appID {
                descriptor.appIDs = [app]
                overlays.insert((descriptor, loaded), at: 0)
            }
        }
        guard overlays.isEmpty else { return overlays }
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
            "missing": .array(
                app.missing.map {
                    .document([
                        "ability": .string($0.ability), "reason": .string($0.reason),
                        "hint": .optional($0.hint),
                    ])
                }),
        ])
    }

    static let columns: [TextTable.Column] = [
        .init(title: "APP", minimum: 8), .init(title: "VERSION", minimum: 7),
        .init(title: "OVERLAY", minimum: 8), .init(title: "ACCESS", minimum: 20),
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
            text += Self.missingText(app)
        }
        return text
    }

    /// What cannot be done with an app; abilities that are missing for one reason are named together.
    private static func missingText(_ app: ReaderAppSurvey.App) -> String {
        var reasons: [(missing: MissingAbility, abilities: [String])] = []
        for missing in app.missing {
            if let place = reasons.firstIndex(where: {
                $0.missing.reason == missing.reason && $0.missing.hint == missing.hint
            }) {
                reasons[place].abilities.append(missing.ability)
            } else {
                reasons.append((missing, [missing.ability]))
            }
        }
        return reasons.map { missing, abilities in
            let what = TerminalText.sanitized("\(app.name): no \(abilities.joined(separator: ", "))")
            let hint = missing.hint.map { "\n  " + TerminalText.sanitized($0) } ?? ""
            return "\n\n\(what): \(TerminalText.sanitized(missing.reason))\(hint)"
        }.joined()
    }
}
