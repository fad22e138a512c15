import OverlayKit

extension MarvinOverlay: ListsBooks {
    /// Books that are delivered at once; bounds how many covers are in memory.
    private static let batch = 256
    /// Bytes of texts and covers that a host takes of one booklist, with something to spare.
    private static let mostBytes = (1 << 30) - (16 << 20)

    /// Lists the library: one copy of the database, one stat per book for its size, and per cover either one stat for its
    /// size or three requests for its bytes. A book whose file is missing is left out.
    public func books(
        _ options: BooksOptions, each: (Book) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        guard options.volume == .main else { return }
        let device = try device()
        try device.withLibrary { library, reader throws(OverlayError) in
            let present = try withFiles(library.books, device)
            let covers = try CoverFolder(device)
            var (room, omitted) = (Self.mostBytes - library.textBytes, 0)
            for start in stride(from: 0, to: present.count, by: Self.batch) {
                host.progress.report(start, of: present.count, phase: "Reading books")
                let batch = Array(present[start...].prefix(Self.batch))
                let found = try covers.covers(
                    of: batch.map(\.book), withBytes: options.withCovers, reader: reader)
                for (entry, var cover) in zip(batch, found) {
                    let bytes = cover?.bytes?.count ?? 0
                    if bytes > room {
                        cover?.bytes = nil
                        omitted += 1
                    } else {
                        room -= bytes
                    }
                    try each(Book(entry.book, size: entry.size, cover: cover))
                }
            }
            if omitted > 0 {
                host.log.notice(
                    "marvin", "\(omitted) covers were left out, because all together are too large.")
            }
            host.progress.report(present.count, of: present.count, phase: "Reading books")
        }
    }

    /// The books whose files are there, with their sizes.
    private func withFiles(
        _ books: [LibraryBook], _ device: MarvinDevice
    ) throws(OverlayError) -> [(book: LibraryBook, size: UInt64)] {
        let files = try device.files(
            books.map { device.paths.document($0.fileName) }, phase: "Looking at files")
        var present: [(book: LibraryBook, size: UInt64)] = []
        present.reserveCapacity(books.count)
        for (book, file) in zip(books, files) {
            guard let file else {
                host.log.notice(
                    "marvin", "A book of the library was left out because its file is missing.",
                    ["file": book.fileName, "title": book.title ?? ""])
                continue
            }
            present.append((book, file.size))
        }
        return present
    }
}

extension Book {
    /// A book of the library as the host sees it.
    init(_ book: LibraryBook, size: UInt64, cover: BookCover?) {
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
    }
}
