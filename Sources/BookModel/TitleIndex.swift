/// Finds books by title and authors, as ``BookSimilarity`` compares them, without a search through all.
///
/// ```swift
/// var index = TitleIndex<String>()
/// index.insert("/Documents/emma.epub", title: "Emma", authors: ["Jane Austen"])
/// let found = index.books(title: "emma", authors: ["Austen, Jane"])
/// for (path, similarity) in found { print(path, similarity) }  // /Documents/emma.epub same
/// ```
public struct TitleIndex<Key: Hashable & Sendable>: Sendable {
    /// A title, or a title and an author, as a hash of 128 bits. The names themselves would need most of the memory of
    /// a large index. The hash has another seed in each process, so that names with equal hashes cannot be made on
    /// purpose.
    private struct Name: Hashable {
        private let first: Int
        private let second: Int

        init(_ title: String, _ author: [String] = []) {
            func hash(_ seed: UInt8) -> Int {
                var hasher = Hasher()
                hasher.combine(seed)
                hasher.combine(title)
                hasher.combine(author)
                return hasher.finalize()
            }
            (first, second) = (hash(0), hash(1))
        }
    }

    /// The keys of one name. Most names have one key, which needs no array.
    private enum Keys {
        case one(Key)
        case several([Key])

        var array: [Key] {
            switch self {
            case .one(let key): [key]
            case .several(let keys): keys
            }
        }

        mutating func append(_ key: Key) {
            switch self {
            case .one(let first): self = .several([first, key])
            case .several(var keys):
                // Release the array here, so that appending does not copy it.
                self = .several([])
                keys.append(key)
                self = keys.count == 1 ? .one(key) : .several(keys)
            }
        }
    }

    private var byAuthor: [Name: Keys] = [:]
    private var byTitle: [Name: Keys] = [:]
    private var withoutAuthors: [Name: Keys] = [:]

    /// Creates an empty index.
    public init() {}

    /// Adds a book. Books without a title are ignored.
    public mutating func insert(_ key: Key, title: String?, authors: [String]?) {
        guard let title = Self.compared(title) else { return }
        Self.add(key, Name(title), to: &byTitle)
        let authors = BookSimilarity.compared(authors)
        if authors.isEmpty { Self.add(key, Name(title), to: &withoutAuthors) }
        for author in authors { Self.add(key, Name(title, author), to: &byAuthor) }
    }

    /// Removes a book that was added with this title and these authors.
    public mutating func remove(_ key: Key, title: String?, authors: [String]?) {
        guard let title = Self.compared(title) else { return }
        Self.remove(key, Name(title), from: &byTitle)
        Self.remove(key, Name(title), from: &withoutAuthors)
        for author in BookSimilarity.compared(authors) {
            Self.remove(key, Name(title, author), from: &byAuthor)
        }
    }

    private static func add(_ key: Key, _ name: Name, to index: inout [Name: Keys]) {
        index[name, default: .several([])].append(key)
    }

    private static func remove(_ key: Key, _ name: Name, from index: inout [Name: Keys]) {
        guard let rest = index[name]?.array.filter({ $0 != key }) else { return }
        index[name] = rest.isEmpty ? nil : .several(rest)
    }

    /// The books with this title, each with its similarity by authors. Each book appears once. Within each
    /// similarity, books are in the order in which they were added.
    public func books(title: String?, authors: [String]?) -> [(key: Key, similarity: BookSimilarity)] {
        guard let title = Self.compared(title), let all = byTitle[Name(title)] else { return [] }
        let authors = BookSimilarity.compared(authors)
        guard !authors.isEmpty else { return all.array.map { ($0, .perhaps) } }
        let same = Set(authors.flatMap { byAuthor[Name(title, $0)]?.array ?? [] })
        let perhaps = withoutAuthors[Name(title)]?.array ?? []
        guard same.count > 1 else { return same.map { ($0, .same) } + perhaps.map { ($0, .perhaps) } }
        return all.array.filter(same.contains).map { ($0, .same) } + perhaps.map { ($0, .perhaps) }
    }

    private static func compared(_ title: String?) -> String? {
        guard let title = title.map({ BookSimilarity.compared($0) }), !title.isEmpty else { return nil }
        return title
    }
}
