import BookFolders
import DeviceDatabases
import OverlayKit

extension MarvinOverlay: ListsBooks {
    /// The number of covers that are requested at once. Few are in memory at a time, because each is passed on as
    /// soon as the preceding covers have been passed on.
    private static let batch = 2048
    /// The most bytes of texts and covers in one booklist: the host's limit with a margin.
    private static let mostBytes = (1 << 30) - (16 << 20)

    /// Lists the library. A book without a file is left out.
    ///
    /// The first listing takes a copy of the database, a stat of each book for its size, and for each cover either a
    /// stat for its size or three requests for its bytes. Later, a dozen requests show that nothing has changed;
    /// otherwise only what has changed is read again.
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
        let count = listing.snapshot.books.count
        var covers = try ThumbnailReader(listing, withBytes: options.withCovers)
        var shown = ReportedCollections(listing.snapshot.books)
        var (room, omitted) = (Self.mostBytes - listing.snapshot.textBytes, 0)
        var missing = MissingParts(listing.snapshot.lacks)
        for start in stride(from: 0, to: count, by: Self.batch) {
            host.progress.report(start, of: count, phase: "Reading books")
            let part = start..<min(start + Self.batch, count)
            try covers.deliver(part) { (index, cover) throws(OverlayError) in
                var cover = cover
                let known = listing.snapshot.books[index]
                guard let size = listing.snapshot.files[index].size else {
                    shown.forget(known.fileName)
                    missing.addBook(known)
                    host.log.info(
                        "marvin", "A book in the library was left out because its file is missing.",
                        ["file": known.fileName, "title": known.title ?? ""])
                    return
                }
                let bytes = cover?.bytes?.count ?? 0
                if bytes > room {
                    cover?.bytes = nil
                    omitted += 1
                } else {
                    room -= bytes
                }
                var book = Book(known, size: size, cover: cover)
                if options.withAnnotations {
                    book.annotations = known.id.flatMap { annotations[$0] } ?? []
                }
                try each(book)
            }
        }
        self.shown = shown
        if let sentence = missing.sentence { host.log.warning("marvin", sentence) }
        if let sentence = try device.waitingCommands() { host.log.warning("marvin", sentence) }
        if omitted > 0 {
            host.log.notice(
                "marvin",
                (omitted == 1 ? "A cover was" : "\(omitted) covers were")
                    + " left out because all covers together are too large.")
        }
        try covers.finish()
        host.progress.report(count, of: count, phase: "Reading books")
    }

    /// The annotations, if they are wanted.
    ///
    /// - Throws: also `damaged` if a table or column of them is missing, so that they do not count as deleted.
    private func annotations(
        _ listing: LibraryListing, _ options: BooksOptions
    ) throws(OverlayError) -> [Int64: [Annotation]] {
        guard options.withAnnotations, let library = listing.copy else { return [:] }
        let read = try listing.device.readingLibrary { () throws(DatabaseError) in
            try library.reader.annotations()
        }
        guard read.lacks.isEmpty else {
            throw OverlayError(
                .damaged,
                "Cannot read the highlights, notes and bookmarks: Marvin's library does not have these parts: "
                    + read.lacks.joined(separator: ", ") + ".",
                subject: listing.device.paths.library, hint: MarvinHint.otherAnnotations)
        }
        return read.found
    }
}

extension Book {
    /// The host's record of a book of the library.
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

extension MarvinOverlay: FetchesBooks, PreparesAddableBooks {
    /// Passes the file of a book to the host.
    ///
    /// - Throws: `notFound`, and `verificationFailed` if the bytes received are not those of the file, so that a
    ///   damaged copy is never accepted.
    public func getFile(
        _ path: String,
        each: (_ chunk: UnsafeRawBufferPointer, _ offset: UInt64, _ total: UInt64?) throws(OverlayError) ->
            Void
    ) throws(OverlayError) {
        if case .documents = try access() { return try documentShelf().read(path, each: each) }
        let device = try device()
        guard isSafeName(path), let file = try device.files([device.paths.document(path)])[0] else {
            throw .noSuchBook(path)
        }
        try host.transport.readWhole(
            device.root, device.paths.document(path), size: file.size, subject: path, each: each)
    }

    /// Copies books to the host's temporary folder, all at once.
    public func prepareAddableBooks(
        _ paths: [String], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        if case .documents = try access() { return try documentShelf().pull(paths, report: report) }
        let device = try device()
        let safe = paths.indices.filter { isSafeName(paths[$0]) }
        for index in paths.indices where !isSafeName(paths[index]) {
            try report(.failed(index, .noSuchBook(nil)))
        }
        guard !safe.isEmpty else { return }
        try host.transport.pull(device.root, safe.map { device.paths.document(paths[$0]) }) {
            row throws(OverlayError) in
            let index = safe[row.index]
            guard row.outcome != .failed, row.status == .ok, let file = row.file else {
                if row.status == .notFound { return try report(.failed(index, .noSuchBook(nil))) }
                return try report(
                    ItemResult(
                        index: index, status: row.status == .ok ? .failed : row.status, outcome: .failed,
                        path: paths[index],
                        message: row.message ?? "Cannot fetch the book.",
                        hint: row.hint, domain: row.domain, nativeCode: row.nativeCode,
                        retryable: row.retryable))
            }
            try report(.done(index, .fetched, path: paths[index], file: file))
        }
    }
}

/// The parts of the library that a listing cannot show, for a one-line message.
struct MissingParts {
    /// The most names that are listed of each kind.
    private static let most = 3

    private let lacks: [String]
    private var books: [String] = []
    private var count = 0

    /// - Parameter lacks: missing tables and columns of the database.
    init(_ lacks: [String]) { self.lacks = lacks }

    /// Adds a book that is left out because its file is missing.
    mutating func addBook(_ book: LibraryBook) {
        count += 1
        if books.count < Self.most { books.append("'\(book.title ?? book.fileName)'") }
    }

    /// The message; nil if nothing is missing.
    var sentence: String? {
        var parts: [String] = []
        if count > 0 {
            parts.append(
                (count == 1 ? "1 book in Marvin's library was" : "\(count) books in Marvin's library were")
                    + " left out because " + (count == 1 ? "its file is" : "their files are") + " missing: "
                    + Self.list(books, of: count))
        }
        if !lacks.isEmpty {
            let names = Self.list(Array(lacks.prefix(Self.most)), of: lacks.count)
            parts.append(
                "Marvin's library does not have these parts, so their values are not shown: "
                    + names)
        }
        return parts.isEmpty ? nil : parts.joined(separator: ". ") + "."
    }

    private static func list(_ names: [String], of count: Int) -> String {
        let rest = count - names.count
        return names.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }
}
