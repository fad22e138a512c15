import OverlayKit

extension LanternOverlay: ListsBooks, FetchesBooks, PreparesAddableBooks {
    /// Lists the books, with their covers if the host wants them.
    public func books(
        _ options: BooksOptions, each: (Book) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        guard options.volume == .main else { return }
        var entries = try library.entries()
        if try host.prefs.bool(Option.hidesFinished, default: false) {
            entries.removeAll { ($0.card.read ?? 0) >= 1 }
        }
        // Two batches for all books instead of two requests for each.
        let sizes = try host.transport.stat(.documents, entries.map(Library.file(of:)))
        let covers = try covers(of: entries, wanted: options.withCovers)
        for (place, entry) in entries.enumerated() {
            if place % 64 == 0 {
                try host.cancellation.check()
                host.progress.report(place, of: entries.count, phase: "Listing books")
            }
            // A card without its book is a purchase that the app has not fetched yet.
            guard let file = try Self.present(sizes[place]) else { continue }
            var book = Self.book(entry, file)
            if let bytes = try Self.present(covers[place]), !bytes.isEmpty {
                book.coverMediaType = "image/jpeg"
                book.coverSize = UInt64(bytes.count)
                book.coverData = bytes
            }
            try each(book)
        }
    }

    /// Sends a book's file.
    public func getFile(
        _ path: String,
        each: (_ chunk: UnsafeRawBufferPointer, _ offset: UInt64, _ total: UInt64?) throws(OverlayError)
            -> Void
    ) throws(OverlayError) {
        try host.transport.read(.documents, Library.file(of: try library.entry(path)), each: each)
    }

    /// Fetches many books at once; the transport uses several connections.
    public func prepareAddableBooks(
        _ paths: [String], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        var files: [(index: Int, path: String)] = []
        for (index, path) in paths.enumerated() {
            do throws(OverlayError) {
                files.append((index, Library.file(of: try library.entry(path))))
            } catch {
                try report(.failed(index, error))
            }
        }
        for row in try host.transport.pull(.documents, files.map(\.path)) {
            var row = row
            row.path = row.status == .ok ? paths[files[row.index].index] : nil
            row.index = files[row.index].index
            try report(row)
        }
    }

    /// Returns nil if the item is not found, and throws any other error.
    private static func present<Value>(_ result: Result<Value, OverlayError>) throws(OverlayError) -> Value? {
        if case .failure(let error) = result, error.status == .notFound { return nil }
        return try result.get()
    }

    /// A book as the host sees it.
    private static func book(_ entry: Library.Entry, _ file: FileInfo) -> Book {
        Book(
            path: entry.folder, uuid: entry.card.uuid, title: entry.card.title,
            authors: entry.card.authors,
            dateAdded: entry.card.added, collections: entry.card.shelves, size: file.size,
            format: mediaType(of: entry.card.file), progress: entry.card.read)
    }

    /// The covers in the order of the entries; empty if the host does not want them.
    private func covers(
        of entries: [Library.Entry], wanted: Bool
    ) throws(OverlayError) -> [Result<[UInt8], OverlayError>] {
        guard wanted else { return entries.map { _ in .success([]) } }
        let requests = entries.map {
            ReadRequest(Library.cover(of: $0.folder), length: Library.coverLimit)
        }
        return try host.transport.readMany(.documents, requests)
    }

    /// The media type of a file by its name.
    static func mediaType(of file: String) -> String? {
        switch file.split(separator: ".").last {
        case "epub": "application/epub+zip"
        case "pdf": "application/pdf"
        case "lantern": LanternFormat.sniffer.mediaType
        default: nil
        }
    }
}
