import ArgumentParser
import OverlayHost

/// `upload FILE…`: adds books.
struct UploadCommand: DeviceVerb {
    /// The policies, in the words of the host.
    enum Conflict: String, ExpressibleByArgument, CaseIterable {
        case protect, update, replace
    }

    static let configuration = CommandConfiguration(
        commandName: "upload", abstract: "Add books to the reader app.",
        usage: "overlayhost upload [--collection <name>] <file> ... [<options>]")

    @Argument(help: ArgumentHelp("The files to add.", valueName: "file"), completion: .file()) var files:
        [String]
    @Option(help: ArgumentHelp("A collection the new books shall be in. Repeatable.", valueName: "name"))
    var collection: [String] = []
    @Option(help: "What to do with a book that is already there.") var onConflict: Conflict?
    @Option(
        help: ArgumentHelp(
            "The calibre library that the books come from, as cc_mappings names it.", valueName: "name"))
    var library: String?
    @Option(
        help: ArgumentHelp(
            "The uuid of the book in the library it comes from. Repeatable: one for each file, in their order.",
            valueName: "uuid"))
    var uuid: [String] = []
    @OptionGroup var global: GlobalOptions<UploadCommand>

    func validate() throws {
        if collection.contains(where: { $0.allSatisfy(\.isWhitespace) }) {
            throw ValidationError("A collection needs a name.")
        }
    }

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        var options = UploadOptions(
            onConflict: onConflict.flatMap { UploadOptions.Conflict(rawValue: $0.rawValue) },
            collections: collection, library: library, uuids: uuid)
        try options.checkUUIDs(of: files)
        let session = try invocation.openSession()
        defer { session.close() }
        let result = session.upload(files, options)
        invocation.progress.clear()
        BatchDocument.print(result, on: invocation.console)
        return result.exitStatus
    }
}
