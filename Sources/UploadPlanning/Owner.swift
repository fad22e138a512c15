import OverlayKit

/// The book on the device that the id of an incoming one means.
///
/// Books made from one template share an id, so an id alone is trusted only as far as titles and authors agree with it.
enum Owner<Key: Hashable & Sendable> {
    /// The title is the same, or one of the two is not known.
    case certain(PresentBook<Key>)
    /// The only book of the id has another title and an author in common: the title was corrected, or it is another book.
    case retitled(PresentBook<Key>)
    /// Several books have the id, none of them with the title.
    case several([PresentBook<Key>])

    /// What the id tells; nil if no book has it, or only books of other titles and other authors.
    ///
    /// - Parameter books: those with the id.
    init?(of book: IncomingBook, among books: [PresentBook<Key>]) {
        let own = Book(title: book.title, authors: book.authors)
        let candidates = books.filter { present in
            !Likeness.areOthers(own, Book(title: present.title, authors: present.authors))
        }
        guard let first = candidates.first else { return nil }
        if let same = candidates.first(where: { Self.haveSameTitle(book, $0) }) {
            self = .certain(same)
        } else if candidates.count > 1 {
            self = .several(candidates)
        } else if first.title?.isEmpty ?? true || book.title?.isEmpty ?? true {
            self = .certain(first)
        } else {
            self = .retitled(first)
        }
    }

    private static func haveSameTitle(_ book: IncomingBook, _ present: PresentBook<Key>) -> Bool {
        guard let title = book.title, let other = present.title else { return false }
        return Likeness.compared(title) == Likeness.compared(other)
    }
}
