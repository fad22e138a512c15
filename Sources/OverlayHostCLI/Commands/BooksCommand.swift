import ArgumentParser
import OverlayHost

/// `books`: the booklist of the reader app.
struct BooksCommand: DeviceVerb {
    static let configuration = CommandConfiguration(
        commandName: "books", abstract: "List the books in the reader app.",
        usage: "overlayhost books [<options>]")

    @OptionGroup var global: GlobalOptions<BooksCommand>

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        let session = try invocation.openSession()
        defer { session.close() }
        let books = try session.books()
        invocation.progress.clear()
        invocation.console.result(
            .document([
                "app": .string(session.app.name), "overlay": .string(session.overlay.id),
                "device": .string(session.device.udid),
                "books": .array(books.map(BookDocument.json)),
            ])
        ) {
            books.isEmpty
                ? "\(TerminalText.sanitized(session.app.name)) has no books."
                : text(books, width: invocation.console.width)
        }
        return .done
    }

    static let columns: [TextTable.Column] = [
        .init(title: "TITLE", minimum: 16), .init(title: "AUTHORS", minimum: 10),
        .init(title: "COLLECTIONS", minimum: 8), .init(title: "SIZE", alignment: .right),
        .init(title: "PATH", isKey: true),
    ]

    private func text(_ books: BookList, width: Int?) -> String {
        var table = TextTable(Self.columns)
        for book in books {
            table.add([
                BookDocument.title(book),
                book.authors.flatMap { $0.isEmpty ? nil : $0.joined(separator: ", ") } ?? "-",
                book.collections?.joined(separator: ", ") ?? "", book.size.map { ByteCount.text($0) } ?? "-",
                book.path,
            ])
        }
        return table.render(width: width)
    }
}
