import ArgumentParser
import Glibc
import OverlayHost

/// `delete BOOK…`: deletes books, after asking.
struct DeleteCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete books from the reader app.")

    @Argument(help: ArgumentHelp("A path, a uuid, or a unique title.", valueName: "book")) var books: [String]
    @Flag(name: .shortAndLong, help: "Do not ask.") var yes = false
    @OptionGroup var global: GlobalOptions

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        let session = try invocation.openSession()
        defer { session.close() }
        if !yes, !(try confirm(session, invocation)) { return refused(invocation.console) }
        let result = session.delete(books)
        invocation.progress.clear()
        BatchDocument.print(result, on: invocation.console)
        return result.exitStatus
    }

    /// Whether the books may be deleted.
    private func confirm(_ session: HostSession, _ invocation: Invocation) throws(HostError) -> Bool {
        guard StandardStreams.canAsk else {
            throw HostError(
                .usage, "Nobody is there to be asked.", hint: "Add --yes to delete without a question.")
        }
        let found = try session.find(books).compactMap { result in
            if case .success(let book) = result { book } else { nil }
        }
        invocation.progress.clear()
        // Without a book to delete there is nothing to ask; the rows will say why.
        guard !found.isEmpty else { return true }
        for book in found {
            invocation.console.diagnostics("  \(TerminalText.sanitized(book.title ?? book.path))\n")
        }
        let what = found.count == 1 ? "this book" : "these \(found.count) books"
        let app = TerminalText.sanitized(session.app.name)
        invocation.console.diagnostics("Delete \(what) from \(app)? [y/N] ")
        switch Answer.read(STDIN_FILENO, invocation.cancellation) {
        case .line(let text): return ["y", "yes"].contains(text.lowercased())
        case .end: return false
        case .cancelled:
            invocation.console.diagnostics("\n")
            throw HostError(.cancelled, "Nothing was deleted.")
        }
    }

    /// The person said no: a decision, yet not what the command was to do.
    private func refused(_ console: Console) -> ExitStatus {
        if console.isJSON {
            let rows = books.map { ItemRow(item: $0, status: .skipped, message: "Nothing was deleted.") }
            console.line(BatchDocument.json(BatchResult(rows: rows)).text(.indented))
        } else {
            console.note("Nothing was deleted.")
        }
        return .someFailed
    }
}
