import Platform
import ArgumentParser
import Formats
import JSON
import OverlayHost

/// `sniff PATH|URL…`: shows the format of each.
struct SniffCommand: ListCommand {
    static let configuration = CommandConfiguration(
        commandName: "sniff", abstract: "Identify the format of files and URLs.",
        usage: "overlayhost sniff [--explain] <path|url> ... [<options>]",
        discussion: """
            sniff first uses hints: the file extension, the type a server sends, --extension and \
            --media-type. If they name no format, sniff reads as much of the content as it needs. A hint \
            of a generic type (ZIP, XML, JSON, plain text) counts only if the content has no known \
            format. For a URL, the server is asked once, unless a cached copy is still valid; a URL \
            that does not exist is an error. --explain also prints the format of the content, which reveals a wrong name.
            """)

    /// The available sets of formats.
    enum Sniffers: String, CaseIterable, ExpressibleByArgument {
        /// The 18 formats of the Readium proposal.
        case `default`
        /// Those and later formats.
        case extended
    }

    @Argument(
        help: ArgumentHelp("Files, http or https URLs, or - for standard input.", valueName: "path|url"),
        completion: .file())
    var inputs: [String]
    @Option(
        name: .customLong("extension"),
        help: ArgumentHelp("A file extension, without the dot, as a hint. Repeatable.", valueName: "ext"))
    var extensions: [String] = []
    @Option(help: ArgumentHelp("A media type as a hint. Repeatable.", valueName: "type")) var mediaType:
        [String] = []
    @Option(help: "Which formats to recognise: only those of the Readium proposal, or later ones too.")
    var sniffers = Sniffers.extended
    @Flag(help: "Show which rule matched, why, and how many bytes were read.") var explain = false
    @Flag(help: "Download a URL again, and keep no copy.") var noCache = false
    @OptionGroup var global: GlobalOptions<SniffCommand>

    var items: [String] {
        get { inputs }
        set { inputs = newValue }
    }

    static let takes: Set<CommonOption> = []

    func validate() throws {
        guard inputs.count(where: { $0 == "-" }) < 2 else {
            throw ValidationError("Standard input can be read only once.")
        }
    }

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        var hints = FormatHints()
        hints.fileExtensions = extensions
        hints.mediaTypes = mediaType.filter { type in
            if MediaType(type) != nil { return true }
            let shown = TerminalText.sanitized(FieldText.limited(type))
            invocation.console.note("'\(shown)' is not a media type; sniff ignores it.")
            return false
        }
        hints.defaultFormatsOnly = sniffers == .default
        let rows = inputs.map { row($0, hints, invocation) }
        if invocation.cancellation.isCancelled { throw HostError(.cancelled, "Interrupted.") }
        invocation.console.result(.document(["results": .array(rows.map(\.json))])) {
            explain
                ? rows.map(\.explanation).joined(separator: "\n\n") : table(rows, invocation.console.width)
        }
        if !explain, !global.json {
            for error in rows.compactMap(\.error) { invocation.console.report(error) }
        }
        return rows.contains { $0.error != nil } ? .someFailed : .done
    }

    private func row(_ input: String, _ hints: FormatHints, _ invocation: Invocation) -> Row {
        var byContent: GuessReport?
        let result = Result { () throws(HostError) in
            let content = try invocation.content(input, usesCache: !noCache)
            defer { content.close() }
            let report = try content.explainFormat(hints)
            if explain, report.round == .light { byContent = content.explainContent(hints) }
            return report
        }.mapError { (error: HostError) -> HostError in
            var error = error
            if error.subject == nil { error.subject = input }
            return error
        }
        return Row(input: input, result: result, byContent: byContent)
    }

    private func table(_ rows: [Row], _ width: Int?) -> String {
        var table = TextTable([
            .init(title: "INPUT", minimum: 12), .init(title: "FORMAT", minimum: 8),
            .init(title: "MEDIA TYPE", minimum: 12),
        ])
        for row in rows {
            switch row.result {
            case .success(let report):
                let name = report.format?.name ?? "unknown"
                table.add([
                    row.input, row.damage == nil ? name : name + ", damaged",
                    report.format?.mediaType.string ?? "-",
                ])
            case .failure: table.add([row.input, "cannot be read", "-"])
            }
        }
        return table.render(width: width)
    }

    /// An input and its result.
    struct Row {
        var input: String
        var result: Result<GuessReport, HostError>
        /// The format judged by the content alone, if requested.
        var byContent: GuessReport?

        var error: HostError? {
            if case .failure(let error) = result { error } else { nil }
        }

        /// The damage of an archive, if it was examined.
        var damage: String? {
            guard case .success(let report) = result else { return nil }
            return (report.damage ?? byContent?.damage).map { HostError($0).message }
        }

        var json: JSONValue {
            switch result {
            case .success(let report):
                return .document([
                    "input": .string(input), "media_type": .optional(report.format?.mediaType.string),
                    "name": .optional(report.format?.name),
                    "extension": .optional(report.format?.fileExtension),
                    "sniffer": .optional(report.sniffer), "round": .optional(report.round?.rawValue),
                    "evidence": .optional(report.evidence), "bytes_read": .integer(report.bytesRead),
                    "content_media_type": byContent.map { .optional($0.format?.mediaType.string) },
                    "damage": .optional(damage),
                    "error": .null,
                ])
            case .failure(let error):
                return .document([
                    "input": .string(input), "media_type": .null, "name": .null, "extension": .null,
                    "sniffer": .null, "round": .null, "evidence": .null, "bytes_read": .integer(0),
                    "damage": .null,
                    "error": ErrorReport.body(error),
                ])
            }
        }

        /// An explanation of several lines.
        var explanation: String {
            let head = TerminalText.sanitized(input)
            switch result {
            case .failure(let error):
                let lines = [head, "  cannot be read: " + TerminalText.sanitized(error.message)]
                let hint = error.hint.map { ["  " + TerminalText.sanitized($0)] } ?? []
                return (lines + hint).joined(separator: "\n")
            case .success(let report):
                var lines = [head]
                if let format = report.format {
                    lines.append(
                        "  format      \(TerminalText.sanitized(format.name)), \(format.mediaType.string)")
                    lines.append("  extension   \(format.fileExtension)")
                } else {
                    lines.append("  format      unknown")
                }
                if let sniffer = report.sniffer, let round = report.round {
                    let basis = round == .light ? "its name or type" : "its content"
                    lines.append("  sniffer     \(TerminalText.sanitized(sniffer)), from \(basis)")
                }
                if let evidence = report.evidence {
                    lines.append("  because of  \(TerminalText.sanitized(evidence))")
                }
                lines.append("  bytes read  \(report.bytesRead)")
                if let byContent { lines.append("  by content  " + contentText(byContent, report)) }
                if let damage { lines.append("  damage      " + TerminalText.sanitized(damage)) }
                return lines.joined(separator: "\n")
            }
        }

        /// The result from the content, besides the result from the hints.
        private func contentText(_ byContent: GuessReport, _ report: GuessReport) -> String {
            if let format = byContent.format {
                return format.mediaType == report.format?.mediaType
                    ? "the same"
                    : "\(TerminalText.sanitized(format.name)), \(format.mediaType.string)"
            }
            guard let error = byContent.readError else { return "unknown" }
            return "cannot be read: \(TerminalText.sanitized(HostError(error).message))"
        }
    }
}
