import OverlayKit

/// What an upload or a deletion changes in a host's list of books, without a look at the device.
public enum BooklistEdits {
    /// The edits for books that were added or replaced, found by their paths alone: a file is a book.
    public static func adding(_ added: [Book], to snapshot: [Book]) -> [BooklistEdit] {
        var places: [String: Int] = [:]
        for (index, book) in snapshot.enumerated() { if let path = book.path { places[path] = index } }
        var edits: [String: BooklistEdit] = [:]
        var order: [String] = []
        for book in added {
            guard let path = book.path else { continue }
            // Of two for the same place the last one counts.
            if edits[path] == nil { order.append(path) }
            edits[path] = places[path].map { .replace($0, book) } ?? .insert(book)
        }
        return order.compactMap { edits[$0] }
    }

    /// The edits for books that were deleted. Paths that are not in the list are passed over.
    public static func removing(_ paths: [String], from snapshot: [Book]) -> [BooklistEdit] {
        let gone = Set(paths)
        return snapshot.indices.filter { snapshot[$0].path.map(gone.contains) ?? false }.map { .remove($0) }
    }
}
