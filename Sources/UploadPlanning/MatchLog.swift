import OverlayKit

/// The rule by which a book on the device was recognised as the one that is uploaded.
public enum MatchRule: String, Sendable {
    /// The app or its library has the same id for the book.
    case uuid = "the same uuid"
    /// Only the id is the same and the titles differ: one was corrected, or both books were made from one template.
    case uuidAlone = "the same uuid but a different title"
    /// All bytes of the file that were compared are the same.
    case content = "the same content"
    /// The file was sent with the same bytes, and the app has changed it since.
    case changed = "been sent with the same content and changed by the app since"
    /// The host named this book as the one to replace.
    case named = "been named as the one to replace"
    /// The title and an author are the same, as `BookSimilarity` compares them.
    case name = "the same title and authors"
}

/// Logs which rule decided about each book of an upload, in the same words for every app; `--verbose` shows it.
public struct MatchLog {
    private let log: LogService?
    private let category: String
    private let place: String

    /// - Parameters:
    ///   - log: the log of the host; nil logs nothing.
    ///   - category: the category of its messages.
    ///   - place: the place where books are searched, such as `in Kindle`.
    public init(_ log: LogService?, category: String, place: String) {
        (self.log, self.category, self.place) = (log, category, place)
    }

    /// Logs that one book is the incoming one.
    public func found(_ book: IncomingBook, _ rule: MatchRule, path: String, title: String?) {
        log?.info(
            category, "\(book.name): \(place), because it has \(rule.rawValue).",
            ["path": path, "title": title ?? ""])
    }

    /// Logs that several books have the title and authors of the incoming one, and none is certain.
    public func several(_ book: IncomingBook, paths: [String]) {
        log?.info(
            category, "\(book.name): \(paths.count) books have its title and authors.",
            ["paths": paths.prefix(5).joined(separator: ", ")])
    }

    /// Logs that no book is the incoming one.
    ///
    /// - Parameters:
    ///   - book: the incoming book.
    ///   - rules: the rules that were applied, in the words of ``UploadPolicy/rules``.
    public func none(_ book: IncomingBook, rules: String) {
        log?.info(
            category, "\(book.name): not \(place); no book has \(rules).",
            [
                "uuid": book.uuid ?? "", "title": book.title ?? "",
                "authors": book.authors.joined(separator: ", "),
            ])
    }
}
