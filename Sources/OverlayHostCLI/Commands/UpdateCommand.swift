import ArgumentParser
import OverlayHost

/// `update BOOK`: changes the reader app's metadata of a book.
struct UpdateCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Change a book's metadata in the reader app.",
        usage: "overlayhost update <book> [--title <text> ...] [<options>]",
        discussion: """
            Changes only the fields you give; an empty value, as in --series '', clears a field. \
            'overlayhost overlays NAME' lists the fields that a reader app can change. To change \
            collections, use 'overlayhost collections'.
            """)

    @Argument(
        help: ArgumentHelp("A book's path, uuid, unique title or cite key.", valueName: "book"),
        completion: .custom(KnownNames.books))
    var book: String
    @OptionGroup(title: "Fields") var fields: BookFieldOptions
    @Option(
        help: ArgumentHelp(
            "Read the fields from this file, such as calibre's metadata.opf. Field options override it.",
            valueName: "file.opf"), completion: .file())
    var fromSidecar: String?
    @Flag(help: DryRun.help) var dryRun = false
    @OptionGroup var global: GlobalOptions<UpdateCommand>

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        // Not in `validate`, which would run before an unknown option is reported.
        guard !fields.isEmpty || fromSidecar != nil else {
            throw HostError(
                .usage, "Nothing to update. Give at least one field, such as --title.",
                hint: "'overlayhost update --help' lists the fields.")
        }
        // Errors of the command line and its files are reported before the device is used.
        let named = try fields.changes()
        var sidecar: BookChanges?
        if let fromSidecar {
            sidecar = try BookChanges(sidecar: fromSidecar) { text in
                invocation.console.note(TerminalText.sanitized(text))
            }
        }
        let session = try invocation.openSession(namesTarget: true)
        defer { session.close() }
        var changes = named
        if let sidecar {
            changes = try fitting(sidecar, session, invocation.console).overridden(by: named)
        }
        let result = session.update([book], changes, isDryRun: dryRun)
        invocation.progress.clear()
        BatchDocument.print(
            result, at: BookOrigin(session), isDryRun: dryRun, on: invocation.console)
        return result.exitStatus
    }

    /// The part of a sidecar that the reader app can store. The rest is left out without an error, because the user
    /// named the file and not individual fields.
    private func fitting(
        _ sidecar: BookChanges, _ session: HostSession, _ console: Console
    ) throws(HostError) -> BookChanges {
        let settable = try session.settings().settableMetadata
        let left = sidecar.settableWords.filter { !settable.contains($0) }
        if !left.isEmpty {
            console.note(
                "\(TerminalText.sanitized(session.app.name)) cannot change "
                    + "\(left.joined(separator: ", ")); using the rest of the sidecar.")
        }
        return sidecar.limited(toSettable: settable)
    }
}
