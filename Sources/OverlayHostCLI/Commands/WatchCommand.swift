import ArgumentParser
import OverlayHost

/// `watch`: prints connection events as they happen, until interrupted.
struct WatchCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show devices and reader apps as they come and go.",
        usage: "overlayhost watch [--exec <command>] [<options>]",
        discussion: """
            With --exec, COMMAND is run by the shell for each device that is plugged in, and for those that are there already. \
            It finds the device in the variables OVERLAYHOST_DEVICE (its UDID), OVERLAYHOST_DEVICE_NAME and \
            OVERLAYHOST_CONNECTION (usb or network).
            """)

    static let takes = Set(CommonOption.allCases)

    @Option(
        help: ArgumentHelp("Run this shell command for each device that is plugged in.", valueName: "command")
    )
    var exec: String?
    @OptionGroup var global: GlobalOptions<WatchCommand>

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        let watch = DeviceWatch(try invocation.request())
        let (console, progress) = (invocation.console, invocation.progress)
        let commands = exec.map { ShellCommands($0) { console.note($0, above: progress) } }
        defer { commands?.stop() }
        if let commands { invocation.interruption?.beforeEndingAtOnce { commands.stop() } }
        // An endless stream stops when its reader closes the output.
        while invocation.console.outputError() == nil, let event = try watch.next() {
            commands?.take(event)
            invocation.console.element(DeviceDocument.json(event)) {
                var line =
                    "\(event.event)  \(TerminalText.sanitized(event.name ?? event.udid))  \(event.connection)"
                if let message = event.message { line += "  (\(TerminalText.sanitized(message)))" }
                return line
            }
        }
        return .done
    }
}
