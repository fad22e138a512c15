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

    /// In the order of their names, capital or small letters making no difference.
    let collections: [Collection]

    /// The collections that the books say they are in.
    init(_ books: some Sequence<BookRecord>) {
        var members: [String: [String]] = [:]
        for book in books {
            // A book that names a collection twice is in it once.
            for name in Set(book.collections ?? []) { members[name, default: []].append(book.path) }
        }
        collections = members.map { Collection(name: $0.key, books: $0.value) }
            .sorted { first, second in
                let (one, other) = (first.name.lowercased(), second.name.lowercased())
                return one == other ? first.name < second.name : one < other
            }
    }

    /// `{"collections": [{"name", "books": [path…]}]}`.
    var json: JSONValue {
        .document([
            "collections": .array(
                collections.map { .document(["name": .string($0.name), "books": .texts($0.books)]) })
        ])
    }

    /// Names and how many books each has.
    func text(width: Int?) -> String {
        guard !collections.isEmpty else { return "No book is in a collection." }
        var table = TextTable([
            .init(title: "COLLECTION", isKey: true), .init(title: "BOOKS", alignment: .right),
        ])
        for collection in collections { table.add([collection.name, "\(collection.books.count)"]) }
        return table.render(width: width)
    }
}
