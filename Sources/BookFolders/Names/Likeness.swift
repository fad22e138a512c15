import OverlayKit

/// How much two books whose files would have the same name are one, as far as titles and authors tell.
enum Likeness {
    /// They are the same book, perhaps in another edition: an author is the same.
    case same
    /// Nothing speaks against it; the authors of one are not known, and a title alone makes no two books one.
    case perhaps
    /// They are by different people, or their titles only make the same name.
    case none

    /// - Parameters:
    ///   - title: of the other book; nil if it is not known.
    ///   - authors: of the other book.
    init(_ book: Book, title: String?, authors: [String]?) {
        if let own = book.title, let title, Self.compared(own) != Self.compared(title) {
            self = .none
            return
        }
        let (own, others) = (Self.names(book.authors), Self.names(authors))
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
