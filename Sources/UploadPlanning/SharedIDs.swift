import OverlayKit

/// The ids that several files of an upload have with different titles, as files made from one template do.
struct SharedIDs: Sendable {
    private let ids: Set<String>

    /// - Parameter books: what is known of all files of the upload.
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
