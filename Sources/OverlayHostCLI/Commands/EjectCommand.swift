import JSON
import ArgumentParser
import OverlayHost

/// `eject`: ends the connection with the reader app.
struct EjectCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "eject", abstract: "Disconnect from the reader app.",
        usage: "overlayhost eject [<options>]")

    @Flag(help: DryRun.help) var dryRun = false
    @OptionGroup var global: GlobalOptions<EjectCommand>

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        let session = try invocation.openSession()
        defer { session.close() }
        if !dryRun { try session.eject() }
        invocation.progress.clear()
        let name = TerminalText.sanitized(session.device.name ?? session.device.udid)
        invocation.console.result(
            .document([
                "ejected": .bool(!dryRun), "device": .string(session.device.udid),
                "dry_run": dryRun ? .bool(true) : nil,
            ])
        ) { dryRun ? "would be ejected  \(name)" : "You can now unplug \(name)." }
        if dryRun { DryRun.note(invocation.console) }
        return .done
    }
}
