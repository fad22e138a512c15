import JSON
import OverlayHost

/// The collections of a reader app, by the books that are in them.
struct CollectionsDocument {
    /// One collection.
    struct Collection: Equatable {
        var name: String
        /// Paths of its books, in the order of the booklist.
        var books: [String]
    }

    /// In the order of their names, regardless of case; nil if the overlay cannot tell which there are.
    let collections: [Collection]?
    /// Why the overlay cannot tell, if it says so.
    let obstacle: MissingAbility?
    private let app: String

    /// The collections of the books of `app`.
    ///
    /// - Parameter obstacle: what the overlay says about collections that are missing.
    init(_ books: some Sequence<BookRecord>, app: String, obstacle: MissingAbility?) {
        self.app = app
        var members: [String: [String]] = [:]
        // An empty list means that the book is in no collection; a missing list means that nothing is known.
        var (isTold, isEmpty) = (false, true)
        for book in books {
            isEmpty = false
            if book.collections != nil { isTold = true }
            // A book that names a collection twice is in it once.
            for name in Set(book.collections ?? []) { members[name, default: []].append(book.path) }
        }
        guard isTold || isEmpty else {
            (collections, self.obstacle) = (nil, obstacle)
            return
        }
        self.obstacle = nil
        collections = members.map { Collection(name: $0.key, books: $0.value) }
            .sorted { first, second in
                let (one, other) = (first.name.lowercased(), second.name.lowercased())
                return one == other ? first.name < second.name : one < other
            }
    }

    /// `{"collections": [{"name", "books": [path…]}]}`; if they are unknown, `{"collections": null, "reason", "hint"}`.
    var json: JSONValue {
        guard let collections else {
            return .document([
                "collections": .null, "reason": .string(reason), "hint": .optional(obstacle?.hint),
            ])
        }
        return .document([
            "collections": .array(
                collections.map { .document(["name": .string($0.name), "books": .texts($0.books)]) })
        ])
    }

    private var reason: String {
        obstacle?.reason ?? "\(app) does not share its collections with a computer."
    }

    /// Names and how many books each has.
    func text(width: Int?) -> String {
        guard let collections else {
            let hint = obstacle?.hint.map { "\n  " + TerminalText.sanitized($0) } ?? ""
            return TerminalText.sanitized("Cannot read the collections of \(app). \(reason)") + hint
        }
        guard !collections.isEmpty else { return "No books are in a collection." }
        var table = TextTable([
            .init(title: "COLLECTION", isKey: true), .init(title: "BOOKS", alignment: .right),
        ])
        for collection in collections { table.add([collection.name, "\(collection.books.count)"]) }
        return table.render(width: width)
    }
}
