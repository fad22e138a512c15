import ArgumentParser
import JSON
import OverlayHost
import Tracing

/// `replay FILE OVERLAY.so`: checks whether an overlay still behaves as it did when the calls were recorded.
struct ReplayCommand: OverlayCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Run an overlay against a recording, without a device.",
        usage: "overlayhost replay <file> <overlay> [<options>]",
        discussion: """
            Calls the recorded methods with the recorded arguments and answers the overlay's calls from \
            the recording. Shows the first difference and then exits with status 1. If a method reads \
            books or covers, make the recording with --trace-contents.
            """)

    @Argument(help: ArgumentHelp("A recording.", valueName: "file"), completion: .file())
    var file: String
    @Argument(help: ArgumentHelp("The overlay's library.", valueName: "overlay"), completion: .file())
    var overlay: String
    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Ignore differences in this function, such as storage.put, or argument, such as "
                + "storage.put.value. Repeatable.",
            valueName: "function"))
    var ignore: [String] = []
    @OptionGroup var global: GlobalOptions<ReplayCommand>

    static let takes: Set<CommonOption> = [.prefs, .inProcess, .watch, .trace, .traceContents]

    var overlayFile: String? { overlay }

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        let discovery = try invocation.setup.discovery(
            try invocation.setup.preferences.read(), endsWorkersAtOnce: true)
        // Read first, because "not a recording" is more helpful than an overlay that cannot be loaded.
        _ = try RecordingFile(file)
        let loaded = try discovery.load(overlay)
        let (console, isOwn) = (invocation.console, global.inProcess)
        let replay = try OverlayReplay(
            file: file, overlay: loaded, ignoring: Set(ignore), cancellation: invocation.cancellation,
            unfinished: { call in
                // A worker can be ended at once; an overlay in this process cannot.
                if isOwn { console.note(InterruptionText.waiting(for: call)) }
            })
        let report = replay.report
        invocation.console.result(document(report, loaded)) { text(report, loaded) }
        if report.difference != nil { return .someFailed }
        return report.obstacle == nil ? .done : .noInput
    }

    private func document(_ report: ReplayReport, _ loaded: LoadedOverlay) -> JSONValue {
        var document = report.json.object ?? JSONObject()
        document["overlay"] = .string(loaded.descriptor.id)
        document["version"] = .string(loaded.descriptor.version)
        document["file"] = .string(file)
        return .object(document)
    }

    private func text(_ report: ReplayReport, _ loaded: LoadedOverlay) -> String {
        let name = "\(loaded.descriptor.name) \(loaded.descriptor.version)"
        let amount =
            "\(report.methods) \(report.methods == 1 ? "method" : "methods"), "
            + "\(report.calls) \(report.calls == 1 ? "call" : "calls") compared"
        var lines: [String] = []
        if let difference = report.difference {
            lines.append(
                "\(name) differs from the recording in \(difference.method), at call \(difference.call).")
            lines.append("  where:    \(difference.function)" + (difference.place.map { ", \($0)" } ?? ""))
            lines.append("  recorded: \(difference.expected)")
            lines.append("  now:      \(difference.seen)")
            lines.append("Before that: \(amount).")
        } else if let obstacle = report.obstacle {
            lines.append("\(name) matched the recording as far as it could be replayed (\(amount)).")
            lines.append(obstacle + (report.hint.map { " " + $0 } ?? ""))
        } else {
            lines.append("\(name) matches the recording: \(amount).")
        }
        return (lines + report.notes).map { TerminalText.sanitized($0) }.joined(separator: "\n")
    }
}
