/// A collection of the reader app, with or without books; the Swift form of `ovl_collection`.
///
///     let shelf = BookCollection("To read", .fixed, books: ["/Documents/emma.epub"])
public struct BookCollection: Hashable, Sendable {
    /// What decides which books are in a collection. An open set.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The word in the C contract.
        public var rawValue: String

        /// A kind by its word in the C contract.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A person chooses them.
        public static let fixed = Kind(rawValue: "static")
        /// Conditions choose them.
        public static let smart = Kind(rawValue: "smart")
        /// They have this keyword.
        public static let keyword = Kind(rawValue: "keyword")
        /// They have this author.
        public static let author = Kind(rawValue: "author")
        /// They come from an address that only the reader app asks.
        public static let url = Kind(rawValue: "url")
        /// They come from a program that only the reader app runs.
        public static let script = Kind(rawValue: "script")
    }

    /// The name.
    public var name: String
    /// What decides which books are in it.
    public var kind: Kind
    /// The paths of its books.
    public var books: [String]

    /// A collection.
    public init(_ name: String, _ kind: Kind, books: [String] = []) {
        self.name = name
        self.kind = kind
        self.books = books
    }
}
