extension AddsToBooklist {
    /// The edits after an upload for an overlay that identifies books by their paths only. A book whose path is in
    /// the list replaces the book there; any other book is inserted. If two added books have the same path, the last
    /// one is used.
    public func addBooksToMetadata(_ added: [Book], snapshot: [Book]) throws(OverlayError) -> [BooklistEdit] {
        var places: [String: Int] = [:]
        for (index, book) in snapshot.enumerated() { if let path = book.path { places[path] = index } }
        var edits: [String: BooklistEdit] = [:]
        var order: [String] = []
        for book in added {
            guard let path = book.path else { continue }
            if edits[path] == nil { order.append(path) }
            edits[path] = places[path].map { .replace($0, book) } ?? .insert(book)
        }
        return order.compactMap { edits[$0] }
    }
}

extension RemovesFromBooklist {
    /// The edits after a deletion for an overlay that identifies books by their paths only.
    public func removeBooksFromMetadata(
        _ paths: [String], snapshot: [Book]
    ) throws(OverlayError) -> [BooklistEdit] {
        let gone = Set(paths)
        return snapshot.indices.filter { snapshot[$0].path.map(gone.contains) ?? false }.map { .remove($0) }
    }
}
