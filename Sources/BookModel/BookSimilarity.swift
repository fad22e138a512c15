/// How similar two books are, by their titles and authors.
public enum BookSimilarity: Sendable {
    /// They have the same title and an author in common: one book, perhaps in another edition.
    case same
    /// They have the same title, and the authors of at least one of them are not known.
    case perhaps
    /// They have different titles or different authors.
    case none

    /// Compares two books.
    ///
    /// - Parameters:
    ///   - title: of the one book; its file's name may stand in for it.
    ///   - authors: of that book.
    ///   - other: what is known about the other book. Without a title its authors alone decide, so the caller must have
    ///     found it by its name.
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

    /// Whether two books of one uuid differ in title and in authors, as books made from one template do; false while one of
    /// these is not known.
    public static func areOthers(_ one: Book, _ other: Book) -> Bool {
        guard let title = one.title, let second = other.title, !title.isEmpty, !second.isEmpty,
            compared(title) != compared(second)
        else { return false }
        let (authors, others) = (compared(one.authors), compared(other.authors))
        return !authors.isEmpty && !others.isEmpty && authors.isDisjoint(with: others)
    }

    /// A title as it is compared: neither case nor the amount of white space counts. Punctuation does: “C” is another
    /// book than “C++”.
    package static func compared(_ title: String) -> String {
        title.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Names of authors as they are compared: the words of each in one order, so that the family name may stand first or
    /// last, and the words of all authors together, for a list may be cut in a comma that belongs to a name.
    package static func compared(_ authors: [String]?) -> Set<[String]> {
        let names = (authors ?? []).map { author in
            author.lowercased().split { !$0.isLetter && !$0.isNumber }.map { String($0) }.sorted()
        }.filter { !$0.isEmpty }
        guard names.count > 1 else { return Set(names) }
        return Set(names + [names.flatMap { $0 }.sorted()])
    }
}
