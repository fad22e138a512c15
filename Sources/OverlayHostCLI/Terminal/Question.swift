import DeviceTransport
import Glibc
import OverlayHost
import Platform

/// Asks the user before something is lost. Any thread.
protocol Question: Sendable {
    /// Whether the user agrees. Throws `cancelled`.
    func confirm(_ confirmationRequest: some ConfirmationRequest) throws(HostError) -> Bool
}

/// A question about one device, asked at once.
struct DirectQuestion: Question {
    let console: Console
    let cancellation: Cancellation

    func confirm<Asked: ConfirmationRequest>(_ confirmationRequest: Asked) throws(HostError) -> Bool {
        try Self.ask(
            confirmationRequest.lines, confirmationRequest.question, refusal: Asked.refusal, console,
            cancellation)
    }

    /// Shows the lines, asks, and waits for the answer; anything but yes means no.
    static func ask(
        _ lines: [String], _ question: String, refusal: String, _ console: Console,
        _ cancellation: Cancellation
    ) throws(HostError) -> Bool {
        console.diagnostics(lines.map { $0 + "\n" }.joined() + question + " [y/N] ")
        switch Answer.read(STDIN_FILENO, cancellation) {
        case .line(let text): return ["y", "yes"].contains(text.lowercased())
        case .end: return false
        case .cancelled:
            console.diagnostics("\n")
            throw HostError(.cancelled, refusal)
        }
    }
}

/// A change of books on the device that requires the user's consent.
protocol ConfirmationRequest: Sendable {
    /// The verb at the beginning of the question, such as `Delete`.
    static var verb: String { get }
    /// The prepositions for an app's name and for a device.
    static var prepositions: (app: String, device: String) { get }
    /// The message if the user declines.
    static var refusal: String { get }

    /// The reader app's name.
    var app: String { get }
    /// The number of books concerned.
    var count: Int { get }
    /// The lines before the question.
    var lines: [String] { get }
}

extension ConfirmationRequest {
    /// The question about books of one reader app.
    var question: String {
        "\(Self.verb) \(Self.books(count)) \(Self.prepositions.app) \(TerminalText.sanitized(app))?"
    }

    /// The question about books on several devices at once.
    static func question(_ count: Int, devices: Int) -> String {
        "\(verb) \(books(count)) \(prepositions.device) "
            + (devices == 1 ? "this device?" : "\(devices) devices?")
    }

    private static func books(_ count: Int) -> String {
        count == 1 ? "this book" : "these \(count) books"
    }
}

/// The question about books to delete from one reader app.
struct Deletion: ConfirmationRequest {
    static let verb = "Delete"
    static let prepositions = (app: "from", device: "from")
    static let refusal = "Nothing was deleted."

    /// The reader app's name.
    var app: String
    /// The books.
    var books: [BookRecord]
    /// What is lost with a book, by its path.
    var losses: [ExactText: String] = [:]
    /// Names that do not stand for one book, and the reasons.
    var strangers: [(name: String, reason: String)] = []

    var count: Int { books.count }

    /// A line for each book, so that the user can check it, then the names without a book.
    var lines: [String] {
        var titles: [String: Int] = [:]
        for book in books { titles[book.title ?? "", default: 0] += 1 }
        var lines = books.map { book -> String in
            let loss = losses[ExactText(book.path)].map { "  \(TerminalText.sanitized($0))" } ?? ""
            return line(of: book, titles) + loss
        }
        lines += strangers.map {
            TerminalText.sanitized("  '\($0.name)' is not deleted: \($0.reason)")
        }
        return lines
    }

    private func line(of book: BookRecord, _ titles: [String: Int]) -> String {
        guard let title = book.title, !title.isEmpty else {
            return "  \(TerminalText.sanitized(book.path))"
        }
        guard titles[title, default: 0] > 1 else { return "  \(TerminalText.sanitized(title))" }
        let authors = book.authors?.joined(separator: ", ") ?? ""
        let more = (authors.isEmpty ? "" : authors + ", ") + book.path
        return "  " + TerminalText.sanitized("\(title) (\(more))")
    }
}

/// The question about an upload that replaces books in one reader app and loses what the user left in them.
struct Replacement: ConfirmationRequest {
    static let verb = "Replace"
    static let prepositions = (app: "in", device: "on")
    static let refusal = "Nothing was replaced."

    /// The reader app's name.
    var app: String
    /// The rows of the files; their messages say what would be lost.
    var rows: [ItemRow]

    var count: Int { rows.count }

    var lines: [String] {
        rows.map { "  " + TerminalText.sanitized($0.item + ($0.message.map { ": " + $0 } ?? "")) }
    }
}

/// The user's answer to a question.
enum Answer: Equatable {
    /// The line without surrounding spaces.
    case line(String)
    /// The input has ended.
    case end
    /// The user pressed Ctrl-C.
    case cancelled

    /// The most bytes of a line that are read.
    private static let longest = 1024
    /// The milliseconds between two checks for cancellation.
    private static let interval: Int32 = 200

    /// Waits for a line on `descriptor`, or for cancellation. Blocks; any thread.
    static func read(_ descriptor: Int32, _ cancellation: Cancellation) -> Answer {
        var line: [UInt8] = []
        while !cancellation.isCancelled {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&entry, 1, interval)
            if ready == 0 || (ready < 0 && errno == EINTR) { continue }
            var byte: UInt8 = 0
            let count = ready < 0 ? -1 : Glibc.read(descriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return line.isEmpty ? .end : .line(text(line)) }
            if byte == UInt8(ascii: "\n") { return .line(text(line)) }
            if line.count < longest { line.append(byte) }
        }
        return .cancelled
    }

    private static func text(_ line: [UInt8]) -> String {
        String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
