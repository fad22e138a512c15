import OverlayKit

/// How much two books whose files would have the same name are one, as far as titles and authors tell.
enum Likeness {
    /// They are the same book, perhaps in another edition: an author is the same.
    case same
    /// Nothing speaks against it; the authors of one are not known, and a title alone makes no two books one.
    case perhaps
    /// They are by different people, or have different titles, whatever the names of their files.
    case none

    /// - Parameters:
    ///   - title: of the one book, for which its file's name may stand in.
    ///   - authors: of that book.
    ///   - other: what is known of the other book, which has or would get the same name; its title is nil if nobody knows it,
    ///     for then only the name speaks.
    init(title: String, authors: [String]?, _ other: Book) {
        if let known = other.title, !known.isEmpty, Self.compared(title) != Self.compared(known) {
            self = .none
            return
        }
        let (own, others) = (Self.names(authors), Self.names(other.authors))
        if own.isEmpty || others.isEmpty {
            self = .perhaps
        } else {
            self = own.isDisjoint(with: others) ? .none : .same
        }
    }

    private static func compared(_ title: String) -> String {
        title.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Names of authors in one form, whether the family name stands first or last.
    private static func names(_ authors: [String]?) -> Set<[String]> {
        Set(
            (authors ?? []).map { author in
                author.lowercased().split { !$0.isLetter && !$0.isNumber }.map { String($0) }.sorted()
            }.filter { !$0.isEmpty })
    }
}
