import ArgumentParser
import OverlayHost

/// `upload FILE…`: adds books.
struct UploadCommand: DeviceCommand, ItemOptionCommand {
    /// The policies, named as in the host.
    enum Conflict: String, ExpressibleByArgument, CaseIterable {
        case protect, update, replace

        static let allValueDescriptions = [
            "protect": "Skip it.", "update": "Update its metadata.", "replace": "Replace it.",
        ]
    }

    static let configuration = CommandConfiguration(
        commandName: "upload", abstract: "Add books to the reader app.",
        usage: "overlayhost upload [--collection <name>] [-r] <file> ... [<options>]",
        discussion: """
            FILE can also be - for standard input, a folder with -r, or an http or https URL of a book or of an OPDS feed \
            or entry. From a feed or entry, the best format for the app is downloaded.
            """)

    @Argument(
        help: ArgumentHelp("The files to add: paths, URLs, or - for standard input.", valueName: "file"),
        completion: .file())
    var files: [String]
    @Flag(
        name: .shortAndLong,
        help: "Add the books in folders and the folders in them. Symbolic links in them are not followed.")
    var recursive = false
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The file name of the book in standard input, such as book.epub.", valueName: "name"))
    var name: String?
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Add the new books to this collection. Repeatable.", valueName: "name"),
        completion: .custom(KnownNames.collections))
    var collection: [String] = []
    @Option(
        help: ArgumentHelp(
            "What to do with a book that is already on the device. The reader app's preferences "
                + "set the default.", valueName: "policy"))
    var onConflict: Conflict?
    @Option(
        help: ArgumentHelp(
            "The calibre library of the books, as named in cc_mappings.", valueName: "name"))
    var library: String?
    @Option(
        help: ArgumentHelp(
            "The book's uuid in calibre. Repeatable: one for each file, in the same order.",
            valueName: "uuid"))
    var uuid: [String] = []
    @Flag(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Replace books without asking, even if highlights, notes, bookmarks or reading "
                + "positions are lost.")
    )
    var yes = false
    @Flag(help: DryRun.help) var dryRun = false
    @OptionGroup var global: GlobalOptions<UploadCommand>

    var items: [String] {
        get { files }
        set { files = newValue }
    }

    static let itemOption = "--uuid"

    var itemOptionValues: [String] {
        get { uuid }
        set { uuid = newValue }
    }

    func validate() throws {
        if collection.contains(where: { $0.allSatisfy(\.isWhitespace) }) {
            throw ValidationError("A collection needs a name.")
        }
        let inputs = files.count { $0 == "-" }
        if inputs > 1 { throw ValidationError("Standard input can be given only once.") }
        if name != nil, inputs == 0 { throw ValidationError("--name requires - for standard input.") }
    }

    func checkForMany() throws(HostError) {
        guard files.contains("-") else { return }
        throw HostError(
            .usage, "Standard input can be added to one device only.",
            hint: "Choose one device with --device.")
    }

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        var options = UploadRequest(
            onConflict: onConflict.flatMap { UploadRequest.Conflict(rawValue: $0.rawValue) },
            collections: collection, library: library, uuids: uuid, mayLoseMarks: yes)
        options.isDryRun = dryRun
        // Not while the words are parsed, because most files are still placeholders then.
        guard uuid.isEmpty || !recursive && !files.contains(where: { $0.contains("://") }) else {
            throw HostError(.usage, "--uuid names local files one by one; it cannot be used with -r or URLs.")
        }
        try options.checkUUIDs(of: files)
        let session = try invocation.openSession(namesTarget: true)
        defer { session.close() }
        let gathered = try session.gather(files, isRecursive: recursive, inputName: name)
        let found = gathered.files
        try options.checkUUIDs(of: found)
        var result = session.upload(found, options)
        invocation.progress.clear()
        let isRefused = askAgain(&result, found, options, session, invocation)
        result = gathered.result(result)
        BatchDocument.print(
            result, at: BookOrigin(session), isDryRun: dryRun, on: invocation.console)
        return isRefused && result.exitStatus == .done ? .someFailed : result.exitStatus
    }

    /// Asks about books that were not replaced because something would be lost, and sends them if the user agrees.
    /// Returns true if the user declines.
    private func askAgain(
        _ result: inout BatchResult, _ files: [String], _ options: UploadRequest, _ session: HostSession,
        _ invocation: Invocation
    ) -> Bool {
        let places = result.rows.indices.filter { result.rows[$0].code == .needsConsent }
        guard !places.isEmpty, result.failure == nil, result.rows.count == files.count,
            StandardStreams.canAsk
        else { return false }
        let replacement = Replacement(app: session.app.name, rows: places.map { result.rows[$0] })
        do throws(HostError) {
            guard try invocation.question.confirm(replacement) else {
                for place in places {
                    result.rows[place] = ItemRow(
                        item: result.rows[place].item, path: result.rows[place].path, status: .skipped,
                        message: "Nothing was changed.")
                }
                return true
            }
        } catch {
            result.failure = error
            return false
        }
        var options = options
        options.mayLoseMarks = true
        if !options.uuids.isEmpty { options.uuids = places.map { options.uuids[$0] } }
        let again = session.upload(places.map { files[$0] }, options)
        invocation.progress.clear()
        result.failure = again.failure
        for (place, row) in zip(places, again.rows) { result.rows[place] = row }
        return false
    }
}
