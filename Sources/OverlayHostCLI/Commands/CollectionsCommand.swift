import ArgumentParser
import OverlayHost

/// `collections`: what collections there are, and which books are in them.
struct CollectionsCommand: DeviceVerb {
    static let configuration = CommandConfiguration(
        commandName: "collections",
        abstract: "List the reader app's collections; add books to one, or remove them.",
        usage: "overlayhost collections [--add|--remove <name>] [<book> ...] [<options>]",
        discussion: """
            Without options the collections are listed with the number of their books. A collection that gets its first \
            book is made, and one that loses its last is gone.

            To move a book, name both: collections --add NEW --remove OLD BOOK. Each --add and --remove takes one name; all \
            other words are books.
            """)

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Put the books into this collection. Repeatable.", valueName: "name"))
    var add: [String] = []
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Take the books out of this collection. Repeatable.", valueName: "name"))
    var remove: [String] = []
    @Argument(help: ArgumentHelp("A path, a uuid, or a unique title.", valueName: "book")) var books:
        [String] = []
    @OptionGroup var global: GlobalOptions<CollectionsCommand>

    private var isEditing: Bool { !add.isEmpty || !remove.isEmpty }

    func validate() throws {
        guard isEditing else {
            if !books.isEmpty { throw ValidationError("Books need --add NAME or --remove NAME.") }
            return
        }
        if books.isEmpty {
            let option = add.isEmpty ? "--remove" : "--add"
            throw ValidationError(
                "No book is named. Name the books behind the collection: collections \(option) NAME BOOK.")
        }
        for name in add + remove where name.allSatisfy(\.isWhitespace) {
            throw ValidationError("A collection needs a name.")
        }
        if let both = add.first(where: remove.contains) {
            throw ValidationError("'\(both)' cannot be added and removed at once.")
        }
    }

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        let session = try invocation.openSession()
        defer { session.close() }
        guard isEditing else {
            let collections = CollectionsDocument(
                try session.books(), app: session.app.name,
                obstacle: try session.settings().missing("collections"))
            invocation.progress.clear()
            invocation.console.result(collections.json) { collections.text(width: invocation.console.width) }
            return .done
        }
        let result = session.editCollections(books, add: add, remove: remove)
        invocation.progress.clear()
        BatchDocument.print(result, on: invocation.console)
        return result.exitStatus
    }
}
