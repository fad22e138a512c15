import ArgumentParser
import OverlayHost

/// `apps`: the reader apps on the device, and what access iOS grants.
struct AppsCommand: DeviceVerb {
    static let configuration = CommandConfiguration(
        commandName: "apps", abstract: "Show the reader apps on the device, and the access iOS grants.",
        usage: "overlayhost apps [<options>]")

    @OptionGroup var global: GlobalOptions<AppsCommand>

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        let opening = invocation.beginOpening()
        defer { opening.giveUp() }
        let overlays = try invocation.setup.usableOverlays()
        var request = try invocation.request()
        request.opening = opening
        let survey = try ReaderAppSurvey.run(request, overlays: overlays)
        invocation.progress.clear()
        invocation.setup.known?.keep(survey.apps.map(\.name), .apps, replacing: true)
        invocation.console.result(DeviceDocument.json(survey)) {
            AppsText(survey.apps, overlays: overlays.map(\.descriptor)).render(
                width: invocation.console.width)
        }
        return .done
    }
}
