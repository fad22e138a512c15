import ArgumentParser
import OverlayHost

/// `delete BOOK…`: deletes books after confirmation.
struct DeleteCommand: DeviceCommand, ListCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete books from the reader app.",
        usage: "overlayhost delete [--yes] <book> ... [<options>]",
        discussion: """
            Asks for confirmation. With --yes, give full names: run twice, a shortened title could delete two books.
            """)

    @Argument(
        help: ArgumentHelp("A book's path, uuid, unique title or cite key.", valueName: "book"),
        completion: .custom(KnownNames.books))
    var books: [String]
    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.") var yes = false
    @Flag(help: DryRun.help) var dryRun = false
    @OptionGroup var global: GlobalOptions<DeleteCommand>

    var items: [String] {
        get { books }
        set { books = newValue }
    }

    func checkForMany() throws(HostError) { try checkAnswering() }

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        try checkAnswering()
        let session = try invocation.openSession(namesTarget: true)
        defer { session.close() }
        if !yes, !dryRun, !(try confirm(session, invocation)) { return refused(session, invocation.console) }
        let result = session.delete(books, isDryRun: dryRun, by: yes ? .names : .beginnings)
        invocation.progress.clear()
        BatchDocument.print(
            result, at: BookOrigin(session), isDryRun: dryRun, on: invocation.console)
        return result.exitStatus
    }

    /// Throws if confirmation is needed and the user cannot be asked.
    private func checkAnswering() throws(HostError) {
        guard yes || dryRun || StandardStreams.canAsk else {
            throw HostError(
                .usage, "Cannot ask for confirmation: standard input is not a terminal.",
                hint: "Use --yes to delete without confirmation.")
        }
    }

    /// Whether the user allows the books to be deleted.
    private func confirm(_ session: HostSession, _ invocation: Invocation) throws(HostError) -> Bool {
        var deletion = Deletion(app: session.app.name, books: [])
        for (name, result) in zip(books, try session.find(books, by: .beginnings)) {
            switch result {
            case .success(let book):
                if !deletion.books.contains(where: { $0.path == book.path }) { deletion.books.append(book) }
            case .failure(let error): deletion.strangers.append((name, error.message))
            }
        }
        // Do not ask if no book can be deleted. The rows give the reasons.
        guard !deletion.books.isEmpty else { return true }
        deletion.losses = try session.lossesOfDeletion(deletion.books)
        invocation.progress.clear()
        return try invocation.question.confirm(deletion)
    }

    /// The user declined. That is not an error, but the command did not do its work.
    private func refused(_ session: HostSession, _ console: Console) -> ExitStatus {
        if console.isJSON {
            let rows = books.map { ItemRow(item: $0, status: .skipped, message: "Nothing was deleted.") }
            console.result(BatchDocument.json(BatchResult(rows: rows), at: BookOrigin(session))) { "" }
        } else {
            console.note("Nothing was deleted.")
        }
        return .someFailed
    }
}
