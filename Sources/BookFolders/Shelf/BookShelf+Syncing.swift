import OverlayKit

extension BookShelf {
    /// Makes the shelf match a booklist, with one row for each book that differs.
    ///
    /// A new title is stored on the host by content and shown from then on; it can also become the file's name. Files
    /// are never rewritten. A folder that a move leaves empty is removed.
    public func sync(
        _ books: [Book], _ edits: ShelfEdits, report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try claimed { shelf throws(OverlayError) in try shelf.change(books, edits, report) }
    }

    private func change(
        _ books: [Book], _ edits: ShelfEdits, _ report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        let scan = try scan()
        defer { scan.cache.save() }
        let wanted = books.map { book in book.path.flatMap { ShelfPath($0) } }
        _ = try scan.readMetadata(of: wanted.compactMap { $0.flatMap { scan.file(at: $0) } })
        var changer = ShelfChanger(scan, edits)
        changer.noteFolders(
            for: zip(books, wanted).compactMap { book, path in
                path.flatMap { scan.file(at: $0) }.map { ($0, book) }
            })
        defer {
            removeEmpty(changer.left)
            changer.forgetUnmade()
        }
        for (index, (book, path)) in zip(books, wanted).enumerated() {
            try goOn()
            guard let path, let file = scan.file(at: path) else {
                try report(.failed(index, noSuchBook(nil)))
                continue
            }
            host.progress.report(index, of: books.count, phase: "Changing books")
            do throws(OverlayError) {
                guard let newPath = try changer.change(file, to: book) else { continue }
                try report(
                    .done(index, .updated, path: newPath.text, message: changer.remark(file, book, newPath)))
            } catch {
                if error.endsTheCall { throw error }
                try report(.failed(index, error, path: changer.path(of: file).text))
            }
        }
    }
}

/// What changes to the booklist do on a shelf.
public struct ShelfEdits: Hashable, Sendable {
    /// Whether a new title changes the file's name.
    public var titleRenamesFile: Bool
    /// Whether a new collection moves the file to the folder of that name.
    public var collectionMovesFile: Bool
    /// Whether new authors are stored on the host.
    public var keepsAuthors: Bool

    /// Edits with these effects.
    public init(titleRenamesFile: Bool, collectionMovesFile: Bool, keepsAuthors: Bool) {
        self.titleRenamesFile = titleRenamesFile
        self.collectionMovesFile = collectionMovesFile
        self.keepsAuthors = keepsAuthors
    }
}
