import OverlayHost

/// Something that is done to books on the device only after the person has agreed.
protocol ConfirmationRequest: Sendable {
    /// What is done to them, at the beginning of a question, such as `Delete`.
    static var verb: String { get }
    /// The word before an app's name, and before a device.
    static var prepositions: (app: String, device: String) { get }
    /// What is said when the person does not agree.
    static var refusal: String { get }

    /// The reader app's name.
    var app: String { get }
    /// How many books it is about.
    var count: Int { get }
    /// What is shown before the question.
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

/// What is to be deleted from one reader app, for the question.
struct Deletion: ConfirmationRequest {
    static let verb = "Delete"
    static let prepositions = (app: "from", device: "from")
    static let refusal = "Nothing was deleted."

    /// The reader app's name.
    var app: String
    /// The books.
    var books: [BookRecord]
    /// What the person named that is no book.
    var strangers: [String]

    var count: Int { books.count }

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

/// What an upload is to replace in one reader app although that loses what the person left in the books, for the question.
struct Replacement: ConfirmationRequest {
    static let verb = "Replace"
    static let prepositions = (app: "in", device: "on")
    static let refusal = "Nothing was replaced."

    /// The reader app's name.
    var app: String
    /// The rows of the files, whose messages name what would be lost.
    var rows: [ItemRow]

    var count: Int { rows.count }

    var lines: [String] {
        rows.map { "  " + TerminalText.sanitized($0.item + ($0.message.map { ": " + $0 } ?? "")) }
    }
}
