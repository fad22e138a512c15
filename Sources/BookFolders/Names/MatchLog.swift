import OverlayKit

/// What tells that a book on the device is the one that is uploaded.
public enum MatchRule: String, Sendable {
    /// The library's id of the book, or what the host made of its content.
    case uuid = "the same uuid"
    /// Every byte of the file, as far as it was compared.
    case content = "the same content"
    /// ``TitleAndAuthors``, or in a folder of files the name that the file would get and an author.
    case name = "the same title and authors"
}

/// Says in the log for each book of an upload which rule decided: `--verbose` shows it, in the same words for every app.
public struct MatchLog {
    private let log: LogService?
    private let category: String
    private let place: String

    /// - Parameter place: where books are looked for, such as `in Kindle`.
    public init(_ log: LogService?, category: String, place: String) {
        (self.log, self.category, self.place) = (log, category, place)
    }

    /// One book is the item.
    public func found(_ item: UploadItem, _ rule: MatchRule, path: String, title: String?) {
        log?.info(
            category, "\(item.name): \(place), for it has \(rule.rawValue).",
            ["path": path, "title": title ?? ""])
    }

    /// Several books have the item's title and authors; none of them is certain.
    public func several(_ item: UploadItem, paths: [String]) {
        log?.info(
            category, "\(item.name): \(paths.count) books have its title and authors.",
            ["paths": paths.prefix(5).joined(separator: ", ")])
    }

    /// No book is the item.
    ///
    /// - Parameter byUUID: whether all books were compared by their uuids and titles, and not only those of one folder by titles.
    public func none(_ item: UploadItem, byUUID: Bool) {
        let rules =
            byUUID
            ? "its uuid, its content, or its title and authors"
            : "its content, or in the same folder its title and authors"
        log?.info(
            category, "\(item.name): not \(place); no book has \(rules).",
            [
                "uuid": item.book.uuid ?? "", "title": item.book.title ?? "",
                "authors": item.book.authors?.joined(separator: ", ") ?? "",
            ])
    }
}
