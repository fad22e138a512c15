import OverlayKit

/// The book on the device that matches an incoming one by its id.
///
/// Books made from one template share an id. So an id decides if the titles agree. If they differ, it decides only if
/// a single book on the device and a single file of the upload have it.
enum IDMatch<Key: Hashable & Sendable> {
    /// The titles are the same, or one of them is not known.
    case certain(PresentBook<Key>)
    /// The only book with the id has another title: either the title was corrected, or it is a different book.
    case retitled(PresentBook<Key>)

    /// Finds the book with the id; nil if the id is not sufficient.
    ///
    /// - Parameters:
    ///   - owners: the books on the device with the id.
    ///   - taken: the books that earlier items replace or update.
    ///   - isShared: whether files of the upload have the id but different titles.
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

    /// A title in the form in which titles are compared; nil if it is not known.
    private static func title(_ title: String?) -> String? {
        title.map { BookSimilarity.compared($0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// The ids that several files of an upload have although their titles differ, as files made from one template do.
struct SharedIDs: Sendable {
    private let ids: Set<String>

    /// - Parameter books: the known values of all files of the upload.
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

    /// Whether several files share this id, which is in lower case.
    func contains(_ uuid: String?) -> Bool { uuid.map(ids.contains) ?? false }
}
