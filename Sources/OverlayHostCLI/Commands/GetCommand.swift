import ArgumentParser
import OverlayHost

/// `get BOOK… -o DIR`: fetches books.
struct GetCommand: DeviceVerb, ListVerb {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Copy books to this computer.",
        usage: "overlayhost get [--output <dir>] <book> ... [<options>]")

    @Argument(help: ArgumentHelp("A book's path, uuid, or unique title.", valueName: "book")) var books:
        [String]
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The folder for the books; created if missing.", valueName: "dir"))
    var output = "."
    @OptionGroup var global: GlobalOptions<GetCommand>

    var items: [String] {
        get { books }
        set { books = newValue }
    }

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        let session = try invocation.openSession()
        defer { session.close() }
        let result = session.get(books, to: output)
        invocation.progress.clear()
        BatchDocument.print(result, on: invocation.console)
        return result.exitStatus
    }
}
