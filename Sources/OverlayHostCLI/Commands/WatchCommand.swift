import ArgumentParser
import OverlayHost

/// `watch`: connection events as they happen, until interrupted.
struct WatchCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show devices and reader apps as they come and go.",
        usage: "overlayhost watch [<options>]")

    static let takes = Set(CommonOption.allCases)

    @OptionGroup var global: GlobalOptions<WatchCommand>

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        let watch = DeviceWatch(try invocation.request())
        // An endless stream ends with its reader.
        while invocation.console.outputError() == nil, let event = try watch.next() {
            invocation.console.element(
                .document([
                    "event": .string(event.event), "udid": .string(event.udid),
                    "connection": .string(event.connection), "name": .optional(event.name),
                    "message": .optional(event.message),
                    "time": .string(BookDocument.timestamp(event.time / 1_000_000_000)),
                ])
            ) {
                var line =
                    "\(event.event)  \(TerminalText.sanitized(event.name ?? event.udid))  \(event.connection)"
                if let message = event.message { line += "  (\(TerminalText.sanitized(message)))" }
                return line
            }
        }
        return .done
    }
}
