import OverlayKit

extension BookShelf {
    /// Bytes of texts and covers that a host takes of one booklist, with something to spare.
    private static let mostBytes = (1 << 30) - (16 << 20)
    /// How many covers are in memory at once.
    private static let batch = 64

    /// Hands every book to `each`, by path.
    ///
    /// The folders of one depth cost a few round trips, all files together about one more; of a file that is not in the cache a
    /// few kilobytes are read. A book is listed even if it, or its cover, cannot be read.
    public func books(
        _ wanted: BooksOptions, each: (Book) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        guard wanted.volume == .main else { return }
        let scan = try scan()
        // What was read is kept even when the listing is cut short, so that the next one goes on from there.
        defer { scan.cache.save() }
        let files = try scan.books()
        if !wanted.withCovers { _ = try scan.readMetadata(of: files) }
        var budget = Self.mostBytes
        for start in stride(from: 0, to: files.count, by: Self.batch) {
            try host.cancellation.check()
            let batch = Array(files[start...].prefix(Self.batch))
            if wanted.withCovers {
                host.progress.report(start, of: files.count, phase: "Reading books and covers")
            }
            let images = try wanted.withCovers ? scan.readMetadata(of: batch, covers: true) : [:]
            for file in batch {
                var book = scan.book(file)
                if wanted.withCovers, let image = images[file.path] ?? scan.cover(file) {
                    if image.count <= budget {
                        budget -= image.count
                        book.coverData = image
                        book.coverSize = UInt64(image.count)
                        book.coverMediaType = book.coverMediaType ?? "image/jpeg"
                    } else {
                        host.log.notice(
                            "books",
                            "“\(file.path)” is listed without its cover because there are too "
                                + "many covers.")
                    }
                }
                try each(book)
            }
        }
        scan.cache.keepOnly(scan.contents.files)
    }
}
