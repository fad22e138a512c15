import DeviceDatabases
import OverlayKit

extension MarvinOverlay: ListsBooks {
    /// Books whose covers are asked for at once. Few of them are in memory, for each is handed on when those before it are.
    private static let batch = 2048
    /// Bytes of texts and covers that a host takes of one booklist, with something to spare.
    private static let mostBytes = (1 << 30) - (16 << 20)

    /// Lists the library. A book whose file is missing is left out.
    ///
    /// The first time this takes one copy of the database, one stat per book for its size, and per cover either one stat for
    /// its size or three requests for its bytes. Later a dozen requests tell that nothing has changed; what has changed is
    /// looked at again.
    public func books(
        _ options: BooksOptions, each: (Book) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        guard options.volume == .main else { return }
        switch try access() {
        case .library(let paths): try list(device(paths), options, each: each)
        case .documents: try documentShelf().books(options, each: each)
        case .none(let reason, let hint): throw OverlayError(.accessRefused, reason, hint: hint)
        }
    }

    private func list(
        _ device: MarvinDevice, _ options: BooksOptions, each: (Book) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        let listing = try LibraryListing(device, withCopy: options.withAnnotations)
        let annotations = try annotations(listing, options)
        let count = listing.snapshot.entries.count
        var covers = try ThumbnailReader(listing, withBytes: options.withCovers)
        var shown = ShownCollections()
        var (room, omitted) = (Self.mostBytes - listing.snapshot.textBytes, 0)
        var missing = MissingParts(listing.snapshot.lacks)
        for start in stride(from: 0, to: count, by: Self.batch) {
            host.progress.report(start, of: count, phase: "Reading books")
            let part = start..<min(start + Self.batch, count)
            try covers.deliver(part) { (index, cover) throws(OverlayError) in
                var cover = cover
                let entry = listing.snapshot.entries[index]
                guard let size = entry.size else {
                    missing.addBook(entry.book)
                    host.log.info(
                        "marvin", "A book in the library was left out because its file is missing.",
                        ["file": entry.book.fileName, "title": entry.book.title ?? ""])
                    return
                }
                let bytes = cover?.bytes?.count ?? 0
                if bytes > room {
                    cover?.bytes = nil
                    omitted += 1
                } else {
                    room -= bytes
                }
                var book = Book(entry.book, size: size, cover: cover)
                if options.withAnnotations {
                    book.annotations = entry.book.id.flatMap { annotations[$0] } ?? []
                }
                shown.note(entry.book.fileName, entry.book.collections)
                try each(book)
            }
        }
        self.shown = shown
        if let sentence = missing.sentence { host.log.warning("marvin", sentence) }
        if let sentence = try device.waitingCommands() { host.log.warning("marvin", sentence) }
        if omitted > 0 {
            host.log.notice(
                "marvin", "\(omitted) covers were left out because all covers together are too large.")
        }
        try covers.finish()
        host.progress.report(count, of: count, phase: "Reading books")
    }

    private func annotations(
        _ listing: LibraryListing, _ options: BooksOptions
    ) throws(OverlayError) -> [Int64: [Annotation]] {
        guard options.withAnnotations, let library = listing.copy else { return [:] }
        return try listing.device.readingLibrary { () throws(DatabaseFailure) in
            try library.reader.annotations()
        }
    }
}

extension Book {
    /// A book of the library as the host sees it.
    init(_ book: LibraryBook, size: UInt64, cover: CoverThumbnail?) {
        self.init(
            path: book.fileName, uuid: book.uuid, title: book.title, titleSort: book.titleSort,
            authors: book.authors, authorSort: book.authorSort, series: book.series,
            seriesIndex: book.seriesIndex,
            publisher: book.publisher, pubdate: book.published, dateAdded: book.added,
            description: book.description, tags: book.tags, collections: book.collections,
            rating: book.rating,
            size: size, format: MarvinFormat.mediaType(ofName: book.fileName),
            coverMediaType: cover?.mediaType,
            coverSize: cover?.size, coverData: cover?.bytes)
        isLocked = book.isLocked
        wordCount = book.wordCount
        progress = book.progress
    }
}
