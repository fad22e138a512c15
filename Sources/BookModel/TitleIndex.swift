/// Finds books by title and authors, as ``BookSimilarity`` compares them, without a search through all.
///
/// ```swift
/// var index = TitleIndex<String>()
/// index.insert("/Documents/emma.epub", title: "Emma", authors: ["Jane Austen"])
/// let found = index.books(title: "emma", authors: ["Austen, Jane"])
/// for (path, similarity) in found { print(path, similarity) }  // /Documents/emma.epub same
/// ```
public struct TitleIndex<Key: Hashable & Sendable>: Sendable {
    private struct Name: Hashable {
        var title: String
        var author: [String]
    }

    private var byAuthor: [Name: [Key]] = [:]
    private var byTitle: [String: [Key]] = [:]
    private var withoutAuthors: [String: [Key]] = [:]

    /// Creates an empty index.
    public init() {}

    /// Adds a book. Books without a title are ignored.
    public mutating func insert(_ key: Key, title: String?, authors: [String]?) {
        guard let title = Self.compared(title) else { return }
        byTitle[title, default: []].append(key)
        let authors = BookSimilarity.compared(authors)
        if authors.isEmpty { withoutAuthors[title, default: []].append(key) }
        for author in authors { byAuthor[Name(title: title, author: author), default: []].append(key) }
    }

    /// Removes a book that was added with this title and these authors.
    public mutating func remove(_ key: Key, title: String?, authors: [String]?) {
        guard let title = Self.compared(title) else { return }
        byTitle[title]?.removeAll { $0 == key }
        withoutAuthors[title]?.removeAll { $0 == key }
        for author in BookSimilarity.compared(authors) {
            byAuthor[Name(title: title, author: author)]?.removeAll { $0 == key }
        }
    }

    /// The books with this title, each with its similarity by authors. Each book appears once. Within each
    /// similarity, books are in the order in which they were added.
    public func books(title: String?, authors: [String]?) -> [(key: Key, similarity: BookSimilarity)] {
        guard let title = Self.compared(title), let all = byTitle[title], !all.isEmpty else { return [] }
        let authors = BookSimilarity.compared(authors)
        guard !authors.isEmpty else { return all.map { ($0, .perhaps) } }
        let same = Set(authors.flatMap { byAuthor[Name(title: title, author: $0)] ?? [] })
        let perhaps = withoutAuthors[title] ?? []
        guard same.count > 1 else { return same.map { ($0, .same) } + perhaps.map { ($0, .perhaps) } }
        return all.filter(same.contains).map { ($0, .same) } + perhaps.map { ($0, .perhaps) }
    }

    private static func compared(_ title: String?) -> String? {
        guard let title = title.map({ BookSimilarity.compared($0) }), !title.isEmpty else { return nil }
        return title
    }
}
