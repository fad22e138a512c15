import OverlayKit

extension LanternOverlay: AddsToBooklist, RemovesFromBooklist, SyncsBooklists {
    /// The edits after an upload: a book whose path is in the list is replaced, any other book is inserted.
    public func addBooksToMetadata(
        _ added: [Book], snapshot: [Book]
    ) throws(OverlayError) -> [BooklistEdit] {
        let places = Self.places(snapshot)
        return added.map { book in
            if let path = book.path, let place = places[path] {
                .replace(place, book)
            } else {
                .insert(book)
            }
        }
    }

    /// The edits after a deletion.
    public func removeBooksFromMetadata(
        _ paths: [String], snapshot: [Book]
    ) throws(OverlayError) -> [BooklistEdit] {
        let places = Self.places(snapshot)
        return Set(paths).compactMap { places[$0] }.sorted().map { .remove($0) }
    }

    /// Changes the cards and covers of the edited books.
    public func syncBooklists(
        _ books: [Book], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        var known: [String: Card] = [:]
        for entry in try library.entries() { known[entry.folder] = entry.card }
        for (index, book) in books.enumerated() {
            guard let folder = book.path, let old = known[folder] else { continue }
            var card = old
            card.title = book.title ?? old.title
            card.authors = book.authors ?? old.authors
            card.shelves = book.collections ?? old.shelves
            guard card != old || book.coverData != nil else { continue }
            var row = ItemResult.done(index, .updated, path: folder)
            do throws(OverlayError) {
                if let cover = book.coverData {
                    try host.transport.write(.documents, Library.cover(of: folder), cover)
                }
                if card != old { try library.write(card, to: folder) }
            } catch {
                row = .failed(index, error, path: folder)
            }
            try report(row)
        }
    }

    private static func places(_ books: [Book]) -> [String: Int] {
        var places: [String: Int] = [:]
        for (place, book) in books.enumerated() {
            if let path = book.path { places[path] = place }
        }
        return places
    }
}
