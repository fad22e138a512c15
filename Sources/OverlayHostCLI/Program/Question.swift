import DeviceTransport
import Glibc
import OverlayHost

/// Asks the person before books are deleted. Any thread.
protocol Question: Sendable {
    /// Whether the books may be deleted. Throws `cancelled`.
    func confirm(_ deletion: Deletion) throws(HostError) -> Bool
}

/// What is to be deleted from one reader app, for the question.
struct Deletion: Sendable {
    /// The reader app's name.
    var app: String
    /// The books.
    var books: [BookRecord]
    /// What the person named that is no book.
    var strangers: [String]

    /// One line for each book, so that it is clear which is meant; then what is not there.
    var lines: [String] {
        var titles: [String: Int] = [:]
        for book in books { titles[book.title ?? "", default: 0] += 1 }
        var lines = books.map { book -> String in
            guard let title = book.title, !title.isEmpty else {
                return "  \(TerminalText.sanitized(book.path))"
            }
            guard titles[title, default: 0] > 1 else { return "  \(TerminalText.sanitized(title))" }
            let authors = book.authors?.joined(separator: ", ") ?? ""
            let more = (authors.isEmpty ? "" : authors + ", ") + book.path
            return "  " + TerminalText.sanitized("\(title) (\(more))")
        }
        lines += strangers.map { "  not found: \(TerminalText.sanitized($0))" }
        return lines
    }
}

/// A question about one device, asked at once.
struct DirectQuestion: Question {
    let console: Console
    let cancellation: Cancellation

    func confirm(_ deletion: Deletion) throws(HostError) -> Bool {
        let what = deletion.books.count == 1 ? "this book" : "these \(deletion.books.count) books"
        return try Self.ask(
            deletion.lines, "Delete \(what) from \(TerminalText.sanitized(deletion.app))?", console,
            cancellation)
    }

    /// Shows the lines, asks, and waits for the answer; anything but yes is no.
    static func ask(
        _ lines: [String], _ question: String, _ console: Console, _ cancellation: Cancellation
    ) throws(HostError) -> Bool {
        console.diagnostics(lines.map { $0 + "\n" }.joined() + question + " [y/N] ")
        switch Answer.read(STDIN_FILENO, cancellation) {
        case .line(let text): return ["y", "yes"].contains(text.lowercased())
        case .end: return false
        case .cancelled:
            console.diagnostics("\n")
            throw HostError(.cancelled, "Nothing was deleted.")
        }
    }
}
