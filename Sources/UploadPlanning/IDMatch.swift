import OverlayKit

/// The book on the device that matches an incoming one by its id.
///
/// Books made from one template share an id. So an id decides where the titles agree; where they differ it decides only as
/// long as one book on the device and one file of the upload have it.
enum IDMatch<Key: Hashable & Sendable> {
    /// The title is the same, or one of the two is not known.
    case certain(PresentBook<Key>)
    /// The only book of the id has another title: the title was corrected, or it is a different book.
    case retitled(PresentBook<Key>)

    /// What the id says about the book; nil if it decides nothing.
    ///
    /// - Parameters:
    ///   - owners: the books that have the id.
    ///   - taken: those that earlier items replace or update.
    ///   - isShared: whether files of the upload have the id and different titles.
    init?(
        of book: IncomingBook, among owners: [PresentBook<Key>], taken: Set<Key>, isShared: Bool
    ) {
        let free = owners.filter { !taken.contains($0.key) }
        let title = Self.title(book.title)
        if title != nil, let same = free.first(where: { Self.title($0.title) == title }) {
            self = .certain(same)
            return
        }
        let own = Book(title: book.title, authors: book.authors)
        guard owners.count == 1, let only = free.first,
            !BookSimilarity.areOthers(own, Book(title: only.title, authors: only.authors))
        else { return nil }
        if title == nil || Self.title(only.title) == nil {
            self = .certain(only)
        } else if isShared {
            return nil
        } else {
            self = .retitled(only)
        }
    }

    /// A title as it is compared; nil: it is not known.
    private static func title(_ title: String?) -> String? {
        title.map { BookSimilarity.compared($0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// The ids that several files of an upload have with different titles, as files made from one template do.
struct SharedIDs: Sendable {
    private let ids: Set<String>

    /// - Parameter books: what is known about all files of the upload.
    init(_ books: [Book]) {
        var titles: [String: Set<String>] = [:]
        for book in books {
            guard let uuid = book.uuid, let title = book.title.map({ BookSimilarity.compared($0) }),
                !title.isEmpty
            else { continue }
            titles[uuid.lowercased(), default: []].insert(title)
        }
        ids = Set(titles.filter { $0.value.count > 1 }.keys)
    }

    /// Whether an id, in lower case, is one of them.
    func contains(_ uuid: String?) -> Bool { uuid.map(ids.contains) ?? false }
}
