import ArgumentParser
import OverlayHost

/// `sync SOURCE`: updates the reader app to contain the books of a folder or a calibre library.
struct SyncCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Send what is new or changed in a folder or calibre library.",
        usage: "overlayhost sync [--delete] [--dry-run] [<source>] [<options>]",
        discussion: """
            Books in subfolders are sent, too, but the subfolders are not created on the device. Books that are on the \
            device already are not sent again. Nothing is removed without --delete, and then only \
            books that came from the same source. A book that both the app and the source changed is left as it is, unless \
            --prefer decides. If a sync is interrupted, run it again to finish it.
            """)

    @OptionGroup var sourceOptions: SourceOptions
    @Flag(help: "Show what would be done without changing anything.") var dryRun = false
    @Flag(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Replace or remove books even if highlights, notes, bookmarks or reading positions are lost, and accept an empty source and, "
                + "without --max-delete, any number of removals."))
    var yes = false
    @OptionGroup var global: GlobalOptions<SyncCommand>

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        var request = sourceOptions.request
        request.isDryRun = dryRun
        request.mayLoseMarks = yes
        let session = try invocation.openSession(namesTarget: true)
        defer { session.close() }
        let result = try session.sync(request)
        invocation.progress.clear()
        SyncDocument(result, session, isDryRun: dryRun, preference: request.prefers)
            .print(on: invocation.console)
        // A dry run has the exit status that the sync would have according to the plan.
        let status = result.results?.exitStatus ?? .done
        let needsAttention = result.plan.contains { $0.action == .conflict || $0.fails }
        return status == .done && needsAttention ? .someFailed : status
    }
}

/// `diff SOURCE`: shows what `sync` would do, and which books only the device has.
struct DiffCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Show what sync would do, and which books are only on the device.",
        usage: "overlayhost diff [--delete] [<source>] [<options>]",
        discussion: """
            Changes nothing.
            """)

    @OptionGroup var sourceOptions: SourceOptions
    @OptionGroup var global: GlobalOptions<DiffCommand>

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        var request = sourceOptions.request
        request.isDryRun = true
        request.listsOthers = true
        let session = try invocation.openSession(namesTarget: true)
        defer { session.close() }
        let result = try session.sync(request)
        invocation.progress.clear()
        SyncDocument(result, session, isDryRun: true, preference: request.prefers)
            .print(on: invocation.console)
        return .done
    }
}

/// The options of `sync` and `diff` about the source.
struct SourceOptions: ParsableArguments, Sendable {
    @Argument(
        help: ArgumentHelp(
            "A folder of books, or the folder of a calibre library. Defaults to the folder set in the app's "
                + "preferences, such as bibdesk_folder.", valueName: "source"),
        completion: .directory)
    var source: String?
    @Flag(help: "Remove books that came from the source and are no longer in it.") var delete = false
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "With --delete: remove nothing if more than this many books are gone. By default 20, or if that is more, a "
                + "quarter of the books that came from the source; 0 if the source is empty or was moved.",
            valueName: "number"))
    var maxDelete: UInt32?
    @Option(
        help: ArgumentHelp(
            "How to resolve a book that changed on both sides: source replaces the app's copy, device keeps it.",
            valueName: "side"))
    var prefer: SyncPreference?
    @Flag(help: "Treat the source as a plain folder, even if it is or was a calibre library.")
    var asFolder = false
    @Option(
        help: ArgumentHelp(
            "Only these books of a calibre library: tag:TEXT, author:TEXT, series:TEXT, or ids:FILE for a file with "
                + "book numbers. Repeatable: all must match.", valueName: "query"))
    var search: [String] = []
    @Option(
        help: ArgumentHelp(
            "The calibre library's name in cc_mappings, if it is not the name of its folder.",
            valueName: "name"))
    var library: String?
    @Option(
        help: ArgumentHelp(
            "For apps that sync both ways: sync this item first, even if no preference selects it. Repeatable.",
            valueName: "name"))
    var wanted: [String] = []

    var request: SyncRequest {
        SyncRequest(
            source: source, deletes: delete, mostRemovals: maxDelete.map { Int($0) }, prefers: prefer,
            asFolder: asFolder, search: search, library: library, wanted: wanted)
    }
}

extension SyncPreference: ExpressibleByArgument {}
