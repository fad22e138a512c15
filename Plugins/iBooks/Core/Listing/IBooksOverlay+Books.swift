import OverlayKit
import Platform

extension IBooksOverlay: ListsBooks {
    /// How many covers are in memory at once.
    private static let batch = 32
    /// The most bytes of covers in one booklist: the host's limit with a margin.
    private static let mostCoverBytes = 512 << 20

    /// Lists the library. The lists and folders take about ten requests, and each book that is new since the last
    /// listing a few more.
    ///
    /// - Throws: also an error if annotations are wanted, and Books has some that cannot be read.
    public func books(
        _ options: BooksOptions, each: (Book) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        guard options.volume == .main else { return }
        try finishInterrupted()
        host.progress.report(0, of: nil, phase: "Reading the library")
        let library = try BooksLibraryReader(host: host, now: now).library()
        // The host lists the books again without annotations if these cannot be read, so nothing is remarked before.
        let annotations = options.withAnnotations ? try annotations(library) : nil
        try remark(library)
        let artwork = try ArtworkFolder(host)
        let inspections = try BookInspections(host: host).all(of: library.items, artwork)
        let collections = try CollectionReader(host: host).collections()
        var room = Self.mostCoverBytes
        for start in stride(from: 0, to: library.items.count, by: Self.batch) {
            host.progress.report(start, of: library.items.count, phase: "Reading books")
            let range = start..<min(start + Self.batch, library.items.count)
            let covers =
                options.withCovers
                ? try CoverReader(host: host).covers(Array(zip(library.items[range], inspections[range])))
                : []
            for index in range {
                let item = library.items[index]
                var book = Self.book(item, inspections[index])
                if options.withCovers, let bytes = covers[index - start] {
                    if bytes.count <= room {
                        room -= bytes.count
                        book.coverData = bytes
                        book.coverSize = UInt64(bytes.count)
                        book.coverMediaType = PictureFormat(cover: bytes)?.mediaType ?? book.coverMediaType
                    } else {
                        host.log.notice(
                            "ibooks", "A cover was left out because all covers together are too large.",
                            ["book": item.path.text])
                    }
                }
                let ids = item.entry?.assetIDs ?? []
                if options.withAnnotations { book.annotations = ids.flatMap { annotations?[$0] ?? [] } }
                book.collections = collections?.of(item)
                try each(book)
            }
        }
        host.progress.report(library.items.count, of: library.items.count, phase: "Reading books")
    }

    /// The annotations, by the names that the lists give their books.
    ///
    /// - Throws: also an error if a list is missing, because then the names of its books are not known.
    private func annotations(_ library: BooksLibrary) throws(OverlayError) -> [String: [Annotation]]? {
        let annotations = try AnnotationReader(host: host).annotations()
        guard var error = library.missingList, annotations?.isEmpty == false else { return annotations }
        error.message = "Cannot tell which books have highlights, notes and bookmarks. " + error.message
        throw error
    }

    /// The host's record of a book: the lists take precedence over the book's own metadata.
    private static func book(_ item: BooksLibrary.Item, _ inspection: BookInspection) -> Book {
        var book = inspection.book
        book.path = item.path.text
        book.title = item.entry?.title ?? book.title ?? item.path.stem
        if let artist = item.entry?.artist, artist != (book.authors ?? []).joined(separator: ", ") {
            let authors = Authors.split(artist)
            if authors != book.authors { book.authorSort = nil }
            book.authors = authors
        }
        if book.tags?.isEmpty ?? true, let genre = item.entry?.genre { book.tags = [genre] }
        book.dateAdded =
            item.entry?.imported ?? (item.info.created > 0 ? item.info.created / 1_000_000_000 : nil)
        book.size = inspection.size
        book.format = item.format.mediaType
        return book
    }

    /// Reports to the user in one line which books are left out, and logs other remarks.
    private func remark(_ library: BooksLibrary) throws(OverlayError) {
        for error in library.unreadable {
            host.log.info("ibooks", error.message, ["file": error.subject ?? ""])
        }
        for item in library.items where item.entry == nil {
            host.log.notice(
                "ibooks", "This book is not in any list of Books. iOS may remove it at the next sync.",
                ["book": item.path.text])
        }
        let pending = library.promised.isEmpty ? [] : try PendingReader(host: host).persistentIDs()
        var waiting = 0
        for book in library.promised {
            let isPending = book.persistentID.map { pending.contains($0.uppercased()) } ?? false
            if isPending { waiting += 1 }
            host.log.info(
                "ibooks",
                isPending
                    ? "A book is in the list and is waiting to be synced."
                    : "A book is in the list but not on the device.", ["book": book.title])
        }
        if let sentence = Self.omissions(library, waiting: waiting) { host.log.warning("ibooks", sentence) }
    }

    /// The books that are left out of a listing, as one line; nil if there are none.
    ///
    /// - Parameter waiting: the number of missing books that wait to be synced.
    private static func omissions(_ library: BooksLibrary, waiting: Int) -> String? {
        func list(_ names: [String]) -> String {
            let rest = names.count - 3
            return names.prefix(3).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
        }
        var parts: [String] = []
        if !library.promised.isEmpty {
            let (count, titles) = (library.promised.count, library.promised.map { "'\($0.title)'" })
            parts.append(
                (count == 1 ? "1 book listed by Books was" : "\(count) books listed by Books were")
                    + " left out because " + (count == 1 ? "its file is" : "their files are")
                    + " not on the device: " + list(titles)
                    + (waiting > 0 ? "; waiting to be synced: \(waiting)" : "") + ".")
        }
        if !library.unreadable.isEmpty {
            let rest = library.unreadable.count - 3
            parts.append("Cannot read parts of Books.")
            parts += library.unreadable.prefix(3).map { error in
                error.subject.map { "\($0): \(error.message)" } ?? error.message
            }
            if rest > 0 { parts.append("\(rest) more parts cannot be read.") }
        }
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }
}
