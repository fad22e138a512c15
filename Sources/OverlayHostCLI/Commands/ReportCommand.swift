import ArgumentParser
import JSON
import OverlayHost

/// `report`: collects what a user who tries a real device can send to the project.
struct ReportCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Make a report that you can send after trying a real device.",
        usage: "overlayhost report [--output <file>] [<options>]",
        discussion: """
            Runs the checks of 'overlayhost doctor' and shows versions, the device's model and iOS, and every \
            request to the device with its status and duration. The report contains no names, titles, identifiers or \
            paths. With -o, it is saved after you have seen it; nothing is ever sent.
            """)

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Save the report to this file. It must not exist yet.", valueName: "file"),
        completion: .file())
    var output: String?
    @Flag(name: .shortAndLong, help: "Save without asking.") var yes = false
    @OptionGroup var global: GlobalOptions<ReportCommand>

    func checkForMany() throws(HostError) {
        guard output == nil else {
            throw HostError(
                .usage, "-o can save the report about one device only.",
                hint: "Choose one device with --device.")
        }
    }

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        guard output == nil || yes || StandardStreams.canAsk else {
            throw HostError(
                .usage, "Cannot ask whether to save the report: standard input is not a terminal.",
                hint: "Use --yes to save it without being asked.")
        }
        let report = ReportDocument(DeviceReport.run(try invocation.request()))
        invocation.progress.clear()
        let console = invocation.console
        console.result(report.json) { report.text(width: console.width) }
        guard let output else { return .done }
        if !yes {
            let agreed = try DirectQuestion.ask(
                [], "Save this report to \(TerminalText.sanitized(output))?",
                refusal: "The report was not saved.",
                console, invocation.cancellation)
            guard agreed else {
                console.note("The report was not saved.")
                return .someFailed
            }
        }
        let shown = console.isJSON ? report.json.text(.indented) : report.text(width: nil)
        try NewFile.write(Array((shown + "\n").utf8), to: output, what: "report")
        console.note("Saved as \(TerminalText.sanitized(output)).")
        return .done
    }
}

/// A report as JSON and as text.
private struct ReportDocument {
    let report: DeviceReport

    init(_ report: DeviceReport) { self.report = report }

    var json: JSONValue {
        .document([
            "host": .string(report.host), "system": .string(report.system),
            "libraries": .texts(report.libraries), "overlays": .texts(report.overlays),
            "device": report.device.map { device in
                .document([
                    "model": .optional(device.model), "ios": .optional(device.ios),
                    "connection": .string(device.connection),
                ])
            } ?? .null,
            "checks": .array(
                report.checks.map { .document(["check": .string($0.name), "code": .optional($0.code)]) }),
            "requests": .array(
                report.requests.map { request in
                    .document([
                        "request": .string(request.name), "subject": .optional(request.subject),
                        "status": .string(request.status), "native": .optional(request.native),
                        "milliseconds": .integer(Int64(request.milliseconds)),
                        "count": .integer(Int64(request.count)),
                    ])
                }),
        ])
    }

    /// The text; on a terminal `width` cells wide, long values are wrapped.
    func text(width: Int?) -> String {
        let device = report.device.map { device in
            [device.model, device.ios.map { "iOS \($0)" }, device.connection].compactMap { $0 }
                .joined(separator: ", ")
        }
        let facts = FieldText.lines(
            [
                ("Host", report.host), ("System", report.system),
                ("Libraries", report.libraries.joined(separator: ", ")),
                ("Overlays", report.overlays.joined(separator: ", ")), ("Device", device ?? "none"),
            ], width: min(width ?? 80, 80))
        var checks = TextTable([
            .init(title: "CHECK", minimum: 12, wraps: true), .init(title: "STATUS", minimum: 12, wraps: true),
        ])
        for check in report.checks { checks.add([check.name, check.code ?? "ok"]) }
        var requests = TextTable([
            .init(title: "MS", alignment: .right), .init(title: "TIMES", alignment: .right),
            .init(title: "REQUEST", wraps: true), .init(title: "SUBJECT", minimum: 8, wraps: true),
            .init(title: "STATUS", minimum: 16, wraps: true),
        ])
        for request in report.requests {
            requests.add([
                "\(request.milliseconds)", "\(request.count)", request.name, request.subject ?? "-",
                request.status + (request.native.map { " (\($0))" } ?? ""),
            ])
        }
        return [facts, checks.render(width: width), requests.render(width: width)].joined(separator: "\n\n")
    }
}
