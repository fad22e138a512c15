import ArgumentParser
import OverlayHost

/// `eject`: ends the connection with the reader app.
struct EjectCommand: DeviceVerb {
    static let configuration = CommandConfiguration(
        commandName: "eject", abstract: "Disconnect from the reader app.",
        usage: "overlayhost eject [<options>]")

    @OptionGroup var global: GlobalOptions<EjectCommand>

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        let session = try invocation.openSession()
        defer { session.close() }
        try session.eject()
        invocation.progress.clear()
        invocation.console.result(
            .document(["ejected": .bool(true), "device": .string(session.device.udid)])
        ) { "You can now unplug \(TerminalText.sanitized(session.device.name ?? session.device.udid))." }
        return .done
    }
}
