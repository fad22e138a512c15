import ArgumentParser
import OverlayHost

/// `apps`: the reader apps on the device, and what access iOS grants.
struct AppsCommand: DeviceCommand {
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

/// The reader apps of a device as text: a table, and below it what is not possible with them.
struct AppsText {
    private let apps: [ReaderAppSurvey.App]
    private let overlays: [OverlayDescription]

    /// - Parameter overlays: the overlays; each app names its own by id.
    init(_ apps: [ReaderAppSurvey.App], overlays: [OverlayDescription]) {
        (self.apps, self.overlays) = (apps, overlays)
    }

    static let columns: [TextTable.Column] = [
        .init(title: "APP", minimum: 8), .init(title: "VERSION", minimum: 7),
        .init(title: "OVERLAY", minimum: 8), .init(title: "ACCESS", minimum: 20),
        .init(title: "BUNDLE ID", isKey: true),
    ]

    /// The text; on a terminal `width` cells wide, lines are wrapped.
    func render(width: Int?) -> String {
        guard !apps.isEmpty else { return "The device has no reader app that an overlay supports." }
        var table = TextTable(Self.columns)
        for app in apps {
            table.add([
                app.name, app.version ?? "-", overlays.first { $0.id == app.overlay }?.name ?? app.overlay,
                app.access.isEmpty ? "none" : app.access.joined(separator: ", "),
                app.bundleID,
            ])
        }
        let obstacles = ObstacleText(apps).render(width: width)
        return ([table.render(width: width)] + (obstacles.isEmpty ? [] : [""]) + obstacles)
            .joined(separator: "\n")
    }
}
