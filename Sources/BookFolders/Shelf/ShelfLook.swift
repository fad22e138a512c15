import OverlayKit

/// One look at a shelf: what lies there, and what is known of it.
final class ShelfLook {
    /// Files whose metadata is read between two looks at cancel and progress; with covers fewer, for the memory.
    private static let batch = (plain: 64, covers: 16)
    /// Bytes of a description that are kept.
    private static let longestDescription = 64 << 10

    let shelf: BookShelf
    let contents: FolderContents
    let cache: MetadataCache
    let notes: BookNotes
    /// The files by their paths.
    private(set) lazy var files = Dictionary(
        contents.files.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
    private var host: HostServices { shelf.host }
    private var options: ShelfOptions { shelf.options }

    init(shelf: BookShelf, contents: FolderContents) {
        self.shelf = shelf
        self.contents = contents
        cache = MetadataCache(shelf.metadataStorage, log: shelf.host.log)
        notes = BookNotes(shelf.host.storage, log: shelf.host.log)
    }

    // MARK: - Which files are books

    /// The files that are books by their names, and those whose content says so.
    func books() throws(OverlayError) -> [FoundFile] {
        var doubtful: [FoundFile] = []
        for file in contents.files where isDoubtful(file) && cache.entry(of: file) == nil {
            doubtful.append(file)
        }
        try sniff(doubtful)
        return contents.files.filter { file in
            guard file.size > 0 || file.isPackage else { return false }
            if options.formats.contains(file.path.fileExtension) { return true }
            guard isDoubtful(file), let finding = cache.entry(of: file)?.finding else { return false }
            return finding != .noBook && finding != .unread
        }
    }

    private func isDoubtful(_ file: FoundFile) -> Bool {
        options.looksIntoUnknownFiles && !file.isPackage && file.size > 0
            && !options.formats.contains(file.path.fileExtension)
            && BookFormats.isDoubtful(file.path.fileExtension)
    }

    /// Looks into files whose names say nothing, and notes what they are.
    private func sniff(_ files: [FoundFile]) throws(OverlayError) {
        for start in stride(from: 0, to: files.count, by: 64) {
            try shelf.goOn()
            host.progress.report(
                start, of: files.count, phase: "Looking into files without a known extension")
            let batch = Array(files[start...].prefix(64))
            let results = try host.sniff.sniff(
                batch.map { .device(shelf.place.root, shelf.place.path($0.path)) },
                hints: SniffHints(contentOnly: true))
            for (file, result) in zip(batch, results) {
                switch result {
                case .success(let format):
                    var entry = cache.entry(of: file) ?? CachedFile(file)
                    let mediaType = format.mediaType.flatMap { type in
                        options.formats.fileExtension(ofMediaType: type) == nil ? nil : type
                    }
                    entry.finding = mediaType.map { .recognised($0) } ?? .noBook
                    cache.set(entry)
                case .failure(let error):
                    if error.endsTheCall { throw error }
                    host.log.info("books", "“\(file.path)” cannot be looked into: \(error.message)")
                }
            }
        }
    }

    // MARK: - Fingerprints

    /// The fingerprints of files, from the cache or from the device. Files that cannot be read have none.
    func fingerprints(of files: [FoundFile]) throws(OverlayError) -> [ShelfPath: ContentFingerprint] {
        var known: [ShelfPath: ContentFingerprint] = [:]
        var unknown: [FoundFile] = []
        for file in files {
            if let fingerprint = cache.entry(of: file)?.fingerprint {
                known[file.path] = fingerprint
            } else {
                unknown.append(file)
            }
        }
        guard !unknown.isEmpty else { return known }
        let reader = FingerprintReader(host, shelf.place)
        for start in stride(from: 0, to: unknown.count, by: 1024) {
            try shelf.goOn()
            let batch = Array(unknown[start...].prefix(1024))
            for (file, result) in zip(batch, try reader.read(batch)) {
                known[file.path] = try keep(result, of: file)
            }
        }
        return known
    }

    /// Keeps the fingerprint of a file, and gives it; nil if the file cannot be read.
    private func keep(
        _ result: Result<ContentFingerprint, OverlayError>, of file: FoundFile
    ) throws(OverlayError) -> ContentFingerprint? {
        switch result {
        case .success(let fingerprint):
            var entry = cache.entry(of: file) ?? CachedFile(file)
            entry.fingerprint = fingerprint
            cache.set(entry)
            return fingerprint
        case .failure(let error):
            if error.endsTheCall { throw error }
            host.log.info("books", "“\(file.path)” cannot be read: \(error.message)")
            return nil
        }
    }

    // MARK: - Metadata

    /// Sees to it that the cache knows each of these files, reading those it does not know. What was read is kept even when
    /// the call is cut short.
    ///
    /// - Parameter covers: whether covers are wanted; then files whose cover is not kept are read, too.
    /// - Returns: the covers that were read.
    func readMetadata(
        of files: [FoundFile], covers: Bool = false
    ) throws(OverlayError) -> [ShelfPath: [UInt8]] {
        guard covers, let pictures = options.pictures else { return try readFiles(files, covers: covers) }
        return try readFiles(files, pictures)
    }

    /// Sees to the same without the app's own pictures.
    func readFiles(
        _ files: [FoundFile], covers: Bool
    ) throws(OverlayError) -> [ShelfPath: [UInt8]] {
        var images: [ShelfPath: [UInt8]] = [:]
        let unread = files.filter { needsReading($0, covers: covers) }
        guard !unread.isEmpty else { return images }
        let fingerprints = try fingerprints(of: unread)
        let known = try unread.contains { !isFilled($0) } ? options.known() : [:]
        var pending: [FoundFile] = []
        var packages: [FoundFile] = []
        for file in unread {
            if let fingerprint = fingerprints[file.path], !isFilled(file),
                let twin = cache.twin(of: file, fingerprint), Self.isTitled(twin, file)
            {
                host.log.debug("books", "“\(file.path)” is “\(twin.path)”, moved or copied.")
                fill(file, twin.finding, fingerprint)
                if !needsReading(file, covers: covers) { continue }
            }
            if !isFilled(file), let known = known[file.path], known.size == file.size {
                fill(file, .book(known.book.withoutCover), fingerprints[file.path])
                if let image = known.book.coverData {
                    keep(image, of: file, fingerprints[file.path], &images)
                }
                if !covers || known.book.coverData != nil { continue }
            }
            if file.isPackage { packages.append(file) } else { pending.append(file) }
        }
        try read(pending, covers: covers, fingerprints, &images)
        for package in packages {
            try shelf.goOn()
            let read = try PackageReader(host, shelf.place).metadata(of: package, covers: covers)
            take(read, of: package, fingerprints[package.path], &images)
        }
        return images
    }

    /// Whether the twin's title holds under the new name, too: one that was the old name is not kept, and only the file knows
    /// whether it is also its title.
    private static func isTitled(_ twin: CachedFile, _ file: FoundFile) -> Bool {
        guard case .book(let book) = twin.finding, book.title == nil else { return true }
        return twin.path.stem.utf8.elementsEqual(file.path.stem.utf8)
    }

    private func isFilled(_ file: FoundFile) -> Bool {
        guard let entry = cache.entry(of: file) else { return false }
        switch entry.finding {
        case .unread, .noBook, .recognised: return false
        case .book, .unreadable: return true
        }
    }

    private func needsReading(_ file: FoundFile, covers: Bool) -> Bool {
        guard isFilled(file), let entry = cache.entry(of: file) else { return true }
        guard covers, case .book(let book) = entry.finding, book.coverMediaType != nil else { return false }
        return entry.fingerprint.flatMap { cache.cover($0) } == nil
    }

    private func fill(_ file: FoundFile, _ finding: CachedFile.Finding, _ fingerprint: ContentFingerprint?) {
        let old = cache.entry(of: file)
        var entry = CachedFile(file)
        entry.finding = finding
        entry.fingerprint = fingerprint ?? old?.fingerprint
        entry.digest = old?.digest
        if case .book(var book) = finding, book.format == nil, case .recognised(let mediaType)? = old?.finding
        {
            // What the content showed counts for a file whose name says nothing.
            book.format = mediaType
            entry.finding = .book(book)
        }
        cache.set(entry)
    }

    private func keep(
        _ image: [UInt8], of file: FoundFile, _ fingerprint: ContentFingerprint?,
        _ images: inout [ShelfPath: [UInt8]]
    ) {
        images[file.path] = image
        if let fingerprint { cache.setCover(image, fingerprint) }
    }

    private func read(
        _ files: [FoundFile], covers: Bool, _ fingerprints: [ShelfPath: ContentFingerprint],
        _ images: inout [ShelfPath: [UInt8]]
    ) throws(OverlayError) {
        let size = covers ? Self.batch.covers : Self.batch.plain
        for start in stride(from: 0, to: files.count, by: size) {
            try shelf.goOn()
            host.progress.report(start, of: files.count, phase: "Reading titles and authors")
            let batch = Array(files[start...].prefix(size))
            let results = try host.metadata.read(
                batch.map { .device(shelf.place.root, shelf.place.path($0.path)) }, covers: covers)
            for (file, result) in zip(batch, results) {
                if case .failure(let error) = result, error.endsTheCall { throw error }
                take(result, of: file, fingerprints[file.path], &images)
            }
        }
        if !files.isEmpty {
            host.progress.report(files.count, of: files.count, phase: "Reading titles and authors")
        }
    }

    /// Keeps what a look into a file gave.
    private func take(
        _ result: Result<BookMetadata, OverlayError>, of file: FoundFile, _ fingerprint: ContentFingerprint?,
        _ images: inout [ShelfPath: [UInt8]]
    ) {
        switch result {
        case .success(let metadata):
            var book = metadata.book
            (book.path, book.size, book.collections) = (nil, nil, nil)
            // A file can say as much as it likes; the cache of all books has to stay small.
            if let text = book.description, text.utf8.count > Self.longestDescription {
                book.description = String(decoding: text.utf8.prefix(Self.longestDescription), as: UTF8.self)
            }
            // The file's name stands in for a title, and would outlive a change of the name.
            if let title = book.title, title.isEmpty || title.utf8.elementsEqual(file.path.stem.utf8) {
                book.title = nil
            }
            fill(file, .book(book.withoutCover), fingerprint)
            if let image = book.coverData { keep(image, of: file, fingerprint, &images) }
        case .failure(let error):
            host.log.notice("books", "“\(file.path)” says nothing of itself: \(error.message)")
            if error.status == .damaged || error.status == .unsupportedFormat {
                fill(file, .unreadable(error.message), fingerprint)
            }
        }
    }

    // MARK: - Books

    /// The book that a file is, as the booklist shows it.
    func book(_ file: FoundFile) -> Book {
        let entry = cache.entry(of: file)
        var book = Book()
        if case .book(let known)? = entry?.finding { book = known }
        if let fingerprint = entry?.fingerprint, let note = notes.shown(fingerprint) {
            book = book.overlaid(with: note)
        }
        book.path = file.path.text
        if book.title?.isEmpty ?? true { book.title = file.path.stem }
        book.size = file.size
        book.format = BookFormats.mediaType(of: file.path.fileExtension) ?? book.format
        if book.dateAdded == nil, file.created > 0 { book.dateAdded = file.created / 1_000_000_000 }
        book.collections =
            options.foldersAreCollections ? file.path.folder.map { [$0.text] } ?? [] : nil
        return book
    }

    /// The kept cover of a file.
    func cover(_ file: FoundFile) -> [UInt8]? {
        cache.entry(of: file)?.fingerprint.flatMap { cache.cover($0) }
    }
}

extension Book {
    /// The book without the bytes of its cover, whose size stays known.
    var withoutCover: Book {
        var book = self
        if let bytes = coverData { book.coverSize = UInt64(bytes.count) }
        book.coverData = nil
        return book
    }
}
