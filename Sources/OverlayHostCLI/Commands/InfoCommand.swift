import ArgumentParser
import OverlayHost

/// `info BOOK`: all that is known of one book.
struct InfoCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Show everything known about one book.")

    @Argument(help: "A path, a uuid, or a unique title.") var book: String
    @Option(help: ArgumentHelp("Save the cover to this file, which must not exist.", valueName: "file"))
    var cover: String?
    @OptionGroup var global: GlobalOptions

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        let session = try invocation.openSession()
        defer { session.close() }
        let record = try session.info(book, withCover: cover != nil)
        invocation.progress.clear()
        if let cover { try save(record, to: cover) }
        invocation.console.result(BookDocument.json(record)) { BookDocument.text(record) }
        return .done
    }

    private func save(_ book: BookRecord, to file: String) throws(HostError) {
        guard let data = book.cover?.data else {
            throw HostError(.notFound, "This book has no cover.", subject: book.title ?? book.path)
        }
        try NewFile.write(data, to: file, what: "cover")
    }
}
