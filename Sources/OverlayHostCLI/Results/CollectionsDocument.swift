import JSON
import OverlayHost

/// The collections of a reader app, determined from their books.
struct CollectionsDocument {
    /// One collection.
    struct Collection: Equatable {
        var name: String
        /// What determines its members, such as `static`; nil if the overlay does not report it.
        var kind: BookCollection.Kind?
        /// The paths of its books, in the order of the booklist.
        var books: [String]
    }

    /// In the order of the reader app, or sorted by name regardless of case; nil if the overlay cannot provide them.
    let collections: [Collection]?
    /// Why the overlay cannot provide them; nil if it does not give a reason.
    let obstacle: MissingAbility?
    private let app: String

    /// The collections of the session's reader app.
    init(_ session: HostSession) throws(HostError) {
        if let collections = try session.collections() {
            self.init(collections, app: session.app.name)
        } else {
            self.init(
                try session.books(), app: session.app.name,
                obstacle: try session.settings().missing("collections"))
        }
    }

    /// The collections that the overlay of `app` returned, in order.
    init(_ collections: [BookCollection], app: String) {
        self.collections = collections.map { Collection(name: $0.name, kind: $0.kind, books: $0.books) }
        (obstacle, self.app) = (nil, app)
    }

    /// The collections named by the books of `app`.
    ///
    /// - Parameter obstacle: the overlay's reason for missing collections.
    init(_ books: some Sequence<BookRecord>, app: String, obstacle: MissingAbility?) {
        self.app = app
        var members: [String: [String]] = [:]
        // An empty list means that the book is not in a collection; a missing list means that nothing is known.
        var (isTold, isEmpty) = (false, true)
        for book in books {
            isEmpty = false
            if book.collections != nil { isTold = true }
            // A book that names a collection twice is in it only once.
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

    /// `{"collections": [{"name", "kind", "books": [path…]}]}`, without `kind` if the overlay does not provide it; if
    /// the collections are unknown, `{"collections": null, "reason", "hint"}`.
    var json: JSONValue {
        guard let collections else {
            return .document([
                "collections": .null, "reason": .string(reason), "hint": .optional(obstacle?.hint),
                "hint_code": obstacle?.hintCode.map { .string($0.rawValue) },
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

    /// The names, with the number of books in each.
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
