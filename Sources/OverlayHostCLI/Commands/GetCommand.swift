import ArgumentParser
import FoundationEssentials
import OverlayHost

/// `get BOOK… -o DIR`: fetches books; `get --all DIR`: all books; `get BOOK -o -`: one book to standard output.
struct GetCommand: DeviceCommand, ListCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Copy books to this computer.",
        usage: """
            overlayhost get [--output <dir>] <book> ... [<options>]
            overlayhost get --all [<dir>] [<options>]
            """,
        discussion: """
            BOOK can also be a folder of the device that ends with a slash: all books in it are copied. With -o - one \
            book is written to standard output. Without a folder, the books are copied to the current folder, with \
            --all as well. To keep metadata and highlights as well, see 'overlayhost help backup'.
            """)

    @Argument(
        help: ArgumentHelp(
            "A book's path, uuid, unique title or cite key, or a folder of the device.", valueName: "book"),
        completion: .custom(KnownNames.books))
    var books: [String] = []
    @Flag(help: "Copy all books, to the folder that is given in place of BOOK.") var all = false
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The folder for the books, created if missing, or - for standard output. Defaults to the current "
                + "folder.", valueName: "dir"))
    var output: String?
    @OptionGroup var global: GlobalOptions<GetCommand>

    var items: [String] {
        get { books }
        set { books = newValue }
    }

    private var isStandardOutput: Bool { output == "-" }

    func validate() throws {
        if all {
            guard books.count <= 1, books.isEmpty || output == nil, !isStandardOutput else {
                throw ValidationError("--all takes one folder and no books.")
            }
        } else if books.isEmpty {
            throw ValidationError("Give the books to copy, or --all.")
        } else if isStandardOutput {
            guard books.count == 1 else {
                throw ValidationError("Only one book can be written to standard output.")
            }
            if global.json { throw ValidationError("--json and -o - cannot be used together.") }
        }
    }

    func checkForMany() throws(HostError) {
        guard isStandardOutput else { return }
        throw HostError(
            .usage, "Only the book of one device can be written to standard output.",
            hint: "Choose one device with --device.")
    }

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        let session = try invocation.openSession()
        defer { session.close() }
        if isStandardOutput {
            try write(session, invocation)
            return .done
        }
        let result =
            all
            ? session.getAll(to: books.first ?? output ?? ".")
            : session.get(try session.expandingFolders(books), to: output ?? ".")
        invocation.progress.clear()
        BatchDocument.print(result, at: BookOrigin(session), on: invocation.console)
        return result.exitStatus
    }

    /// Writes one book to standard output; all messages go to standard error.
    private func write(_ session: HostSession, _ invocation: Invocation) throws(HostError) {
        let sink = try ByteOutput(nil, invocation.console)
        do throws(HostError) {
            try session.get(books[0]) { bytes throws(HostError) in
                invocation.progress.clear()
                try sink.write(Data(bytes))
            }
        } catch {
            // A reader closes the pipe when it needs no more output.
            if error.code != .stopped { throw error }
        }
        invocation.progress.clear()
    }
}
