/// How similar two books are, by their titles and authors.
///
/// ```swift
/// let known = Book(title: "Emma", authors: ["Austen, Jane"])
/// switch BookSimilarity(title: "emma", authors: ["Jane Austen"], known) {
/// case .same: print("The book is on the device.")
/// case .perhaps: print("The book may be on the device.")
/// case .none: print("The book is new.")
/// }
/// ```
public enum BookSimilarity: Sendable {
    /// They have the same title and an author in common. They are the same book, perhaps in different editions.
    case same
    /// They have the same title, and the authors of at least one of them are unknown.
    case perhaps
    /// They have different titles or different authors.
    case none

    /// Compares two books.
    ///
    /// - Parameters:
    ///   - title: the title of the first book, or the name of its file.
    ///   - authors: the authors of the first book.
    ///   - other: the second book. If it has no title, only its authors are compared, so the caller must have found
    ///     it by its name.
    public init(title: String, authors: [String]?, _ other: Book) {
        if let known = other.title, !known.isEmpty, Self.compared(title) != Self.compared(known) {
            self = .none
            return
        }
        let (own, others) = (Self.compared(authors), Self.compared(other.authors))
        if own.isEmpty || others.isEmpty {
            self = .perhaps
        } else {
            self = own.isDisjoint(with: others) ? .none : .same
        }
    }

    /// Whether two books with the same UUID are different books: both their titles and their authors differ, as in
    /// books made from the same template. False if any of these is unknown.
    public static func areOthers(_ one: Book, _ other: Book) -> Bool {
        guard let title = one.title, let second = other.title, !title.isEmpty, !second.isEmpty,
            compared(title) != compared(second)
        else { return false }
        let (authors, others) = (compared(one.authors), compared(other.authors))
        return !authors.isEmpty && !others.isEmpty && authors.isDisjoint(with: others)
    }

    /// The form in which titles are compared. Case and the amount of white space are ignored. Punctuation is not: “C”
    /// and “C++” are different books.
    package static func compared(_ title: String) -> String {
        title.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// The form in which authors are compared. The words of each name are sorted, so that the family name may be
    /// first or last. The words of all authors together are included, because a list may have been split at a comma
    /// inside a name.
    package static func compared(_ authors: [String]?) -> Set<[String]> {
        let names = (authors ?? []).map { author in
            author.lowercased().split { !$0.isLetter && !$0.isNumber }.map { String($0) }.sorted()
        }.filter { !$0.isEmpty }
        guard names.count > 1 else { return Set(names) }
        return Set(names + [names.flatMap { $0 }.sorted()])
    }
}
