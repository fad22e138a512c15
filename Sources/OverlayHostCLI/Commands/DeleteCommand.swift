import ArgumentParser
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
        if !yes { try confirm(session, invocation) }
        let result = session.delete(books)
        invocation.progress.clear()
        BatchDocument.print(result, on: invocation.console)
        return result.exitStatus
    }

    private func confirm(_ session: HostSession, _ invocation: Invocation) throws(HostError) {
        guard StandardStreams.canAsk else {
            throw HostError(
                .usage, "nobody is there to be asked", hint: "Add --yes to delete without a question.")
        }
        let found = try session.find(books).compactMap { result in
            if case .success(let book) = result { book } else { nil }
        }
        invocation.progress.clear()
        // Without a book to delete there is nothing to ask; the rows will say why.
        guard !found.isEmpty else { return }
        for book in found {
            invocation.console.diagnostics("  \(TerminalText.sanitized(book.title ?? book.path))\n")
        }
        invocation.console.diagnostics(
            "Delete \(found.count == 1 ? "this book" : "these \(found.count) books") from "
                + "\(TerminalText.sanitized(session.app.name))? [y/N] ")
        let answer = StandardStreams.answer { invocation.cancellation.isCancelled }
        guard ["y", "yes"].contains(answer?.lowercased()) else {
            throw HostError(.cancelled, "nothing was deleted")
        }
    }
}
