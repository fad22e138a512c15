import Claims
import OverlayKit

extension BookShelf {
    /// Makes the shelf match a booklist, with one row for each book that differs.
    ///
    /// A new title is stored on the host by content and shown from then on; it can also become the file's name. Files
    /// are never rewritten. A folder that a move leaves empty is removed.
    public func sync(
        _ books: [Book], _ edits: ShelfEdits, report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try claimedAndListed { shelf, listed throws(OverlayError) in
            try shelf.change(books, edits, listed, report)
        }
    }

    private func change(
        _ books: [Book], _ edits: ShelfEdits, _ listed: [String]?,
        _ report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        let wanted = books.map { book in book.path.flatMap { ShelfPath($0) } }
        let scan = try scan(for: books, at: wanted, edits, listed)
        defer { scan.cache.save() }
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

    /// A scan that is sufficient for these changes: of the books and the names in their folders, if all books stay in
    /// their folders and are found where they are expected. Otherwise a scan of the shelf.
    private func scan(
        for books: [Book], at paths: [ShelfPath?], _ edits: ShelfEdits, _ listed: [String]?
    ) throws(OverlayError) -> ShelfScan {
        let stay = zip(books, paths).allSatisfy { book, path in
            guard edits.collectionMovesFile, let path, let collections = book.collections else { return true }
            return collections.filter { !$0.isEmpty } == (path.folder.map { [$0.text] } ?? [])
        }
        let known = paths.compactMap { $0 }
        guard stay, let some = try scan(of: known.map(\.text)) else { return try scan(listed: listed) }
        guard edits.titleRenamesFile else { return some }
        var contents = some.contents
        for folder in Set(known.map(\.folder)) {
            var names = folder == nil ? listed : nil
            if names == nil {
                names = try host.transport.list(place.root, place.path(folder)).map(\.name)
            }
            contents.names += (names ?? []).compactMap { ShelfPath(folder, $0) }
        }
        let partial = contents.names.filter { PartialFile.hasName($0.name) }
        try claim?.removePartialFiles(partial.map { place.path($0) })
        return ShelfScan(some, contents)
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
