import ArgumentParser
import OverlayHost

/// `overlays`: lists the overlays in the plugins folders and the one under development, and why a file is not used.
struct OverlaysCommand: OverlayCommand {
    static let configuration = CommandConfiguration(
        commandName: "overlays", abstract: "List the overlays, and why any were refused.",
        usage: "overlayhost overlays [<name>] [<options>]",
        discussion: "With NAME, shows what the overlay can do, its options, and its help.")

    @Argument(
        help: ArgumentHelp("An overlay's id or name, or its reader app's name.", valueName: "name"),
        completion: .custom(KnownNames.overlays))
    var name: String?
    @OptionGroup var global: GlobalOptions<OverlaysCommand>

    static let takes: Set<CommonOption> = [.plugins, .prefs, .inProcess, .watch]

    var overlayFile: String? { nil }

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        let found = try invocation.setup.overlays()
        let listing = try OverlayListing(found)
        invocation.setup.known?.keep(
            listing.rows.compactMap { $0.descriptor?.id }, .overlays, replacing: true)
        invocation.setup.known?.keep(
            listing.rows.compactMap { $0.descriptor?.appName }, .served, replacing: true)
        if let name {
            show(try listing.row(named: name), found.preferences, invocation.console)
            return .done
        }
        invocation.console.result(listing.json) {
            listing.rows.isEmpty ? "No overlays found." : text(listing.rows, width: invocation.console.width)
        }
        return .done
    }

    private func show(_ row: OverlayListing.Row, _ values: PreferenceValues, _ console: Console) {
        guard let descriptor = row.descriptor else { return }
        console.result(row.details(values)) {
            OverlayText(
                descriptor: descriptor, file: row.file, problem: row.reason, abilities: row.abilities,
                options: row.options(values), isStyled: console.isStyled
            ).render(width: console.width)
        }
    }

    static let columns: [TextTable.Column] = [
        .init(title: "NAME", minimum: 8), .init(title: "VERSION", minimum: 7),
        .init(title: "STATE", minimum: 7), .init(title: "APP", minimum: 6),
        .init(title: "FORMATS", minimum: 6), .init(title: "FILE", isKey: true),
    ]

    private func text(_ rows: [OverlayListing.Row], width: Int?) -> String {
        var table = TextTable(Self.columns)
        for row in rows {
            let descriptor = row.descriptor
            table.add([
                descriptor?.name ?? "-", descriptor?.version ?? "-",
                row.state + (row.isDevelopment ? " (development)" : ""),
                descriptor?.appName ?? "-", descriptor?.formats.joined(separator: ", ") ?? "-", row.file,
            ])
        }
        var text = table.render(width: width)
        // Reasons are sentences; below the table they need not be cut.
        for row in rows {
            guard let reason = row.reason else { continue }
            text += "\n\n\(TerminalText.sanitized(row.file)): \(TerminalText.sanitized(reason))"
            if let hint = row.hint { text += "\n  \(TerminalText.sanitized(hint))" }
        }
        return text
    }
}
