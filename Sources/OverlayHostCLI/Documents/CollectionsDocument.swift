import JSON
import OverlayHost

/// The collections of a reader app, by the books that are in them.
struct CollectionsDocument {
    /// One collection.
    struct Collection: Equatable {
        var name: String
        /// What decides which books are in it, such as `static`; nil if the overlay does not say.
        var kind: BookCollection.Kind?
        /// Paths of its books, in the order of the booklist.
        var books: [String]
    }

    /// In the order of the reader app, or of their names regardless of case; nil if the overlay cannot tell which there are.
    let collections: [Collection]?
    /// Why the overlay cannot tell, if it says so.
    let obstacle: MissingAbility?
    private let app: String

    /// The collections of the reader app of a session.
    init(_ session: HostSession) throws(HostError) {
        if let collections = try session.collections() {
            self.init(collections, app: session.app.name)
        } else {
            self.init(
                try session.books(), app: session.app.name,
                obstacle: try session.settings().missing("collections"))
        }
    }

    /// The collections that the overlay of `app` gave, in their order.
    init(_ collections: [BookCollection], app: String) {
        self.collections = collections.map { Collection(name: $0.name, kind: $0.kind, books: $0.books) }
        (obstacle, self.app) = (nil, app)
    }

    /// The collections that the books of `app` name.
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

    /// `{"collections": [{"name", "kind", "books": [path…]}]}`, without `kind` if the overlay does not say it; if they are unknown, `{"collections": null, "reason", "hint"}`.
    var json: JSONValue {
        guard let collections else {
            return .document([
                "collections": .null, "reason": .string(reason), "hint": .optional(obstacle?.hint),
            ])
        }
        return .document([
            "collections": .array(
                collections.map {
                    .document([
                        "name": .string($0.name), "kind": $0.kind.map { .string($0.rawValue) },
                        "books": .texts($0.books),
                    ])
                })
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
        let hasKinds = collections.contains { $0.kind != nil }
        let kinds: [TextTable.Column] = hasKinds ? [.init(title: "KIND")] : []
        var table = TextTable(
            [.init(title: "COLLECTION", isKey: true)] + kinds + [.init(title: "BOOKS", alignment: .right)])
        for collection in collections {
            let kind = hasKinds ? [collection.kind?.rawValue ?? ""] : []
            table.add([collection.name] + kind + ["\(collection.books.count)"])
        }
        return table.render(width: width)
    }
}
