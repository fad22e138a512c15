import OverlayKit
import Platform

/// A scan of a shelf: its files, and what is known about them.
final class ShelfScan {
    let shelf: BookShelf
    /// What was found, by a walk or without one.
    var contents: FolderContents {
        passes += 1
        return found
    }
    private let found: FolderContents
    /// How often all results were fetched, for example to iterate over them. Within a call, this must not grow with
    /// the number of its books.
    private(set) var passes = 0
    let cache: MetadataCache
    let notes: BookNotes
    /// Why files could not be read.
    var failures: [ShelfPath: OverlayError] = [:]
    /// The indexes of the files by their paths.
    private lazy var places = contents.files.indices.reduce(into: HashIndex()) { places, place in
        places.insert(HashIndex.hash(found.files[place].path), at: place)
    }
    private lazy var names = Set(found.names)
    var host: HostServices { shelf.host }
    var options: ShelfOptions { shelf.options }

    /// - Parameter early: what was parsed before.
    init(shelf: BookShelf, contents: FolderContents, _ early: EarlyRecords? = nil) {
        self.shelf = shelf
        found = contents
        cache = MetadataCache(shelf.metadataStorage, log: shelf.host.log, early)
        notes = BookNotes(shelf.host.storage, log: shelf.host.log, early)
    }

    /// This scan with other contents.
    init(_ other: ShelfScan, _ contents: FolderContents) {
        (shelf, cache, notes) = (other.shelf, other.cache, other.notes)
        found = contents
    }

    /// The file at a path.
    func file(at path: ShelfPath) -> FoundFile? {
        places.position(of: HashIndex.hash(path)) { found.files[$0].path == path }.map { found.files[$0] }
    }

    /// Whether a file, or something of unknown kind, has exactly this path.
    func holds(_ path: ShelfPath) -> Bool { file(at: path) != nil || names.contains(path) }

    /// The paths of all files whose UUIDs are known without asking the device, by UUID in lower case.
    func pathsByUUID() -> [String: [ShelfPath]] {
        var paths: [String: [ShelfPath]] = [:]
        for entry in cache.entries {
            let file = FoundFile(path: entry.path, size: entry.size, modified: entry.modified)
            if let uuid = known(file).uuid { paths[uuid.lowercased(), default: []].append(entry.path) }
        }
        return paths
    }

    // MARK: - Which files are books

    /// The files that are books by name or by content.
    func books() throws(OverlayError) -> [FoundFile] {
        var doubtful: [FoundFile] = []
        for file in contents.files where isDoubtful(file) && cache.entry(of: file) == nil {
            doubtful.append(file)
        }
        try sniff(doubtful)
        return contents.files.filter { file in
            guard file.size > 0 || file.isPackage else { return false }
            if options.formats.contains(file.path.fileExtension) { return true }
            guard isDoubtful(file), let readState = cache.entry(of: file)?.readState else { return false }
            return readState != .noBook && readState != .unread
        }
    }

    private func isDoubtful(_ file: FoundFile) -> Bool {
        options.looksIntoUnknownFiles && !file.isPackage && file.size > 0
            && !options.formats.contains(file.path.fileExtension)
            && BookFormats.isDoubtful(file.path.fileExtension)
    }

    /// Reads files whose names do not determine their format, and records the format.
    private func sniff(_ files: [FoundFile]) throws(OverlayError) {
        for start in stride(from: 0, to: files.count, by: 64) {
            try shelf.goOn()
            host.progress.report(
                start, of: files.count, phase: "Examining files without a known extension")
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
                    entry.readState = mediaType.map { .recognised($0) } ?? .noBook
                    cache.set(entry)
                case .failure(let error):
                    if error.endsTheCall { throw error }
                    host.log.info("books", "Cannot examine '\(file.path)': \(error.message)")
                }
            }
        }
    }

    // MARK: - Fingerprints

    /// The fingerprints of files, from the cache or the device. Files that cannot be read are left out.
    ///
    /// - Parameter precedesMetadata: whether the metadata of the files that the cache does not know is read next.
    func fingerprints(
        of files: [FoundFile], precedesMetadata: Bool = false
    ) throws(OverlayError) -> [ShelfPath: ContentFingerprint] {
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
            for (file, result) in zip(batch, try reader.read(batch, precedesMetadata: precedesMetadata)) {
                known[file.path] = try keep(result, of: file)
            }
        }
        return known
    }

    /// The fingerprint of one file, from the cache or the device.
    ///
    /// - Throws: why the file cannot be read.
    func fingerprint(of file: FoundFile) throws(OverlayError) -> ContentFingerprint {
        if let known = cache.entry(of: file)?.fingerprint { return known }
        guard let result = try FingerprintReader(host, shelf.place).read([file]).first else {
            throw OverlayError(.deviceIO, "Cannot read the file.", subject: file.path.text)
        }
        _ = try keep(result, of: file)
        return try result.get()
    }

    /// Stores and returns the fingerprint of a file; nil if the file cannot be read.
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
            host.log.info("books", "Cannot read '\(file.path)': \(error.message)")
            return nil
        }
    }

    // MARK: - Books

    /// What is known about a file's book, except its path: the file's metadata and notes. The file's name does not
    /// count as a title.
    func known(_ file: FoundFile) -> Book { known(cache.entry(of: file)) }

    private func known(_ entry: CachedFile?) -> Book {
        var book = Book()
        if case .book(let kept)? = entry?.readState { book = kept.book }
        if let fingerprint = entry?.fingerprint, let note = notes.shown(fingerprint) {
            book = book.overlaid(with: note)
        }
        return book
    }

    /// The book of a file, as the booklist shows it.
    func book(_ file: FoundFile) -> Book {
        let entry = cache.entry(of: file)
        var book = known(entry)
        book.path = file.path.text
        book.contentID = entry?.listedContentID
        if book.title?.isEmpty ?? true { book.title = file.path.stem }
        book.size = file.size
        book.format = BookFormats.bookType(of: file.path.fileExtension) ?? book.format
        if book.dateAdded == nil, file.created > 0 { book.dateAdded = file.created / 1_000_000_000 }
        book.collections =
            options.foldersAreCollections ? file.path.folder.map { [$0.text] } ?? [] : nil
        return book
    }

    /// The stored cover of a file.
    func cover(_ file: FoundFile) -> [UInt8]? {
        cache.entry(of: file)?.fingerprint.flatMap { cache.cover($0) }
    }
}

extension Book {
    /// The book without the bytes of its cover; the cover's size is kept.
    var withoutCover: Book {
        var book = self
        if let bytes = coverData { book.coverSize = UInt64(bytes.count) }
        book.coverData = nil
        return book
    }
}
