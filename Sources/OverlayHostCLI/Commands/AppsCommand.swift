import ArgumentParser
import JSON
import OverlayHost

/// `apps`: the reader apps on the device and what iOS grants.
struct AppsCommand: DeviceVerb {
    static let configuration = CommandConfiguration(
        commandName: "apps", abstract: "Show the reader apps on the device, and the access iOS grants.",
        usage: "overlayhost apps [<options>]")

    @OptionGroup var global: GlobalOptions<AppsCommand>

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        let overlays = try overlays(invocation)
        let survey = try ReaderAppSurvey.run(invocation.request(), overlays: overlays)
        invocation.progress.clear()
        invocation.console.result(
            .document([
                "device": .string(survey.device.udid), "apps": .array(survey.apps.map(document)),
            ])
        ) {
            AppsText(survey.apps, overlays: overlays.map(\.descriptor)).render(
                width: invocation.console.width)
        }
        return .done
    }

    /// The usable overlays with what they say about themselves, the one under development first.
    private func overlays(_ invocation: Invocation) throws(HostError) -> [(
        descriptor: OverlayDescription, overlay: LoadedOverlay
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
            .noOverlay, "No usable overlay was found.",
            hint:
                "Put one into a plugins folder. 'overlayhost overlays' lists the overlays found and "
                + "why any were refused."
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
            "missing": .array(app.missing.map(\.document)),
        ])
    }
}
