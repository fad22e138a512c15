/// A collection of the reader app, with or without books; the Swift form of `ovl_collection`.
///
/// ```swift
/// let shelf = BookCollection("To read", .fixed, books: ["/Documents/emma.epub"])
/// print(shelf.name, shelf.kind.rawValue, shelf.books.count)
/// ```
public struct BookCollection: Hashable, Sendable {
    /// How the books of a collection are chosen. An open set.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The value in the C contract.
        public var rawValue: String

        /// Creates a kind from its value in the C contract.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The user chooses the books.
        public static let fixed = Kind(rawValue: "static")
        /// The books match conditions.
        public static let smart = Kind(rawValue: "smart")
        /// The books have this keyword.
        public static let keyword = Kind(rawValue: "keyword")
        /// The books have this author.
        public static let author = Kind(rawValue: "author")
        /// The books come from a URL that only the reader app requests.
        public static let url = Kind(rawValue: "url")
        /// The books come from a script that only the reader app runs.
        public static let script = Kind(rawValue: "script")
    }

    /// The name.
    public var name: String
    /// How its books are chosen.
    public var kind: Kind
    /// The paths of its books.
    public var books: [String]

    /// Creates a collection.
    public init(_ name: String, _ kind: Kind, books: [String] = []) {
        self.name = name
        self.kind = kind
        self.books = books
    }
}
