import JSON
import ArgumentParser
import OverlayHost

/// `devices`: lists the attached devices.
struct DevicesCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "List the attached devices.",
        usage: "overlayhost devices [<options>]")

    @OptionGroup var global: GlobalOptions<DevicesCommand>

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        let attached = try DeviceSurvey.run(
            loggers: invocation.setup.loggers(), cancellation: invocation.cancellation)
        let (devices, problems) = DeviceChoice(invocation.options.device).select(attached)
        // A name that matches no attached device is an error.
        if devices.isEmpty, let problem = problems.first { throw problem }
        invocation.console.result(.document(["devices": .array(devices.map(DeviceDocument.json))])) {
            guard !devices.isEmpty else { return "No device is attached." }
            var table = TextTable(Self.columns)
            for device in devices {
                table.add([
                    device.name ?? "-", device.model ?? "-", device.ios ?? "-", device.connection,
                    device.pairing ?? "-", device.udid,
                ])
            }
            return table.render(width: invocation.console.width)
        }
        invocation.setup.known?.keep(devices.map { $0.name ?? $0.udid }, .devices)
        for problem in problems { invocation.console.explain(problem) }
        for device in devices {
            invocation.setup.names.note(device.udid, device.name)
            if let problem = device.problem, !invocation.console.isQuiet {
                invocation.console.explain(problem)
            }
        }
        return problems.isEmpty ? .done : .someFailed
    }

    static let takes: Set<CommonOption> = [.device, .simulated, .profile, .prefs]

    static let columns: [TextTable.Column] = [
        .init(title: "NAME", minimum: 8), .init(title: "MODEL", minimum: 7), .init(title: "IOS"),
        .init(title: "CONNECTION", minimum: 4), .init(title: "PAIRING", minimum: 7),
        .init(title: "UDID", isKey: true),
    ]
}
