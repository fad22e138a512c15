import OverlayKit

/// What tells that a book on the device is the one that is uploaded.
public enum MatchRule: String, Sendable {
    /// The id by which the app or its library knows the book.
    case uuid = "the same uuid"
    /// The id alone: the titles differ, for one was corrected, or two books were made from one template.
    case uuidAlone = "the same uuid but a different title"
    /// Every byte of the file, as far as it was compared.
    case content = "the same content"
    /// What was sent had every byte of the file, and the app has changed it since.
    case changed = "been sent with the same content and changed by the app since"
    /// The host says that this book is to be replaced.
    case named = "been named as the one to replace"
    /// The title and an author, as `BookSimilarity` compares them.
    case name = "the same title and authors"
}

/// Says in the log for each book of an upload which rule decided: `--verbose` shows it, in the same words for every app.
public struct MatchLog {
    private let log: LogService?
    private let category: String
    private let place: String

    /// - Parameters:
    ///   - log: the log of the host; nil: nothing is logged.
    ///   - category: the category of its messages.
    ///   - place: where books are looked for, such as `in Kindle`.
    public init(_ log: LogService?, category: String, place: String) {
        (self.log, self.category, self.place) = (log, category, place)
    }

    /// One book is the incoming one.
    public func found(_ book: IncomingBook, _ rule: MatchRule, path: String, title: String?) {
        log?.info(
            category, "\(book.name): \(place), because it has \(rule.rawValue).",
            ["path": path, "title": title ?? ""])
    }

    /// Several books have the title and authors of the incoming one; none of them is certain.
    public func several(_ book: IncomingBook, paths: [String]) {
        log?.info(
            category, "\(book.name): \(paths.count) books have its title and authors.",
            ["paths": paths.prefix(5).joined(separator: ", ")])
    }

    /// No book is the incoming one.
    ///
    /// - Parameters:
    ///   - book: the incoming book.
    ///   - rules: what was compared, as ``UploadPolicy/rules`` names it.
    public func none(_ book: IncomingBook, rules: String) {
        log?.info(
            category, "\(book.name): not \(place); no book has \(rules).",
            [
                "uuid": book.uuid ?? "", "title": book.title ?? "",
                "authors": book.authors.joined(separator: ", "),
            ])
    }
}
