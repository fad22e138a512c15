import ArgumentParser
import OverlayHost

/// `collections`: lists the collections and their books, or changes them.
struct CollectionsCommand: DeviceCommand, ListCommand {
    static let configuration = CommandConfiguration(
        commandName: "collections",
        abstract: "List collections, or add books to them and remove books from them.",
        usage: "overlayhost collections [--add|--remove <name>] [<book> ...] [<options>]",
        discussion: """
            Without options, lists the collections and how many books each has. Adding the first book \
            creates a collection; removing the last book deletes it.

            To move a book, use both options: collections --add NEW --remove OLD BOOK. Each --add and \
            --remove takes one name; all other arguments are books.
            """)

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Add the books to this collection. Repeatable.", valueName: "name"),
        completion: .custom(KnownNames.collections))
    var add: [String] = []
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Remove the books from this collection. Repeatable.", valueName: "name"),
        completion: .custom(KnownNames.collections))
    var remove: [String] = []
    @Argument(
        help: ArgumentHelp("A book's path, uuid, unique title or cite key.", valueName: "book"),
        completion: .custom(KnownNames.books))
    var books: [String] = []
    @Flag(help: DryRun.help) var dryRun = false
    @OptionGroup var global: GlobalOptions<CollectionsCommand>

    var items: [String] {
        get { books }
        set { books = newValue }
    }

    private var isEditing: Bool { !add.isEmpty || !remove.isEmpty }

    func validate() throws {
        guard isEditing else {
            if !books.isEmpty {
                throw ValidationError(
                    "Add --add NAME or --remove NAME to say what to do "
                        + "with the books.")
            }
            return
        }
        if books.isEmpty {
            let option = add.isEmpty ? "--remove" : "--add"
            throw ValidationError(
                "No book given. Put the books after the collection: collections \(option) NAME BOOK.")
        }
        for name in add + remove where name.allSatisfy(\.isWhitespace) {
            throw ValidationError("A collection needs a name.")
        }
        if let both = add.first(where: remove.contains) {
            throw ValidationError("Cannot both add to and remove from '\(both)'.")
        }
    }

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        let session = try invocation.openSession(namesTarget: true)
        defer { session.close() }
        guard isEditing else {
            let collections = try CollectionsDocument(session)
            invocation.progress.clear()
            invocation.setup.known?.keep(
                (collections.collections ?? []).map(\.name), .collections, replacing: true)
            invocation.console.result(collections.json) { collections.text(width: invocation.console.width) }
            return .done
        }
        let result = session.editCollections(books, add: add, remove: remove, isDryRun: dryRun)
        invocation.progress.clear()
        BatchDocument.print(
            result, at: BookOrigin(session), isDryRun: dryRun, on: invocation.console)
        return result.exitStatus
    }
}
