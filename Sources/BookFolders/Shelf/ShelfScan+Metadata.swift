import OverlayBridge
import OverlayKit
import Platform

extension ShelfScan {
    /// How many files are read between two checks for cancellation and progress; fewer with covers, to save memory.
    private static let batch = (plain: 64, covers: 16)
    /// The longest description, in bytes, that is kept.
    private static let longestDescription = 64 << 10

    /// Fills the cache for these files by reading those that it lacks. What was read is kept even if the call ends
    /// early.
    ///
    /// - Parameter covers: whether covers are wanted; then files without a stored cover are read too.
    /// - Returns: the covers that were read.
    func readMetadata(
        of files: [FoundFile], covers: Bool = false
    ) throws(OverlayError) -> [ShelfPath: [UInt8]] {
        guard covers, let pictures = options.pictures else { return try readFiles(files, covers: covers) }
        return try readFiles(files, pictures)
    }

    /// Fills the cache for these files without using the app's previews.
    func readFiles(
        _ files: [FoundFile], covers: Bool
    ) throws(OverlayError) -> [ShelfPath: [UInt8]] {
        var images: [ShelfPath: [UInt8]] = [:]
        let unread = files.filter { needsReading($0, covers: covers) }
        guard !unread.isEmpty else { return images }
        var known = NameTable<ShelfOptions.KnownBook>()
        if unread.contains(where: { !isFilled($0) }) {
            for (path, book) in try options.known?() ?? [:] { known[path.text] = book }
        }
        let stamps = cache.stamps
        func isFamiliar(_ file: FoundFile) -> Bool {
            stamps.contains(FileStamp(size: file.size, modified: file.modified))
                || known[file.path.text]?.size == file.size
        }
        let size = covers ? Self.batch.covers : Self.batch.plain
        for start in stride(from: 0, to: unread.count, by: size) {
            try shelf.goOn()
            host.progress.report(start, of: unread.count, phase: "Reading titles and authors")
            let batch = unread[start...].prefix(size)
            // If a file is probably known under another name, only its fingerprint is read.
            let fingerprints = try fingerprints(of: batch.filter { !isFamiliar($0) }, precedesMetadata: true)
                .merging(try fingerprints(of: batch.filter(isFamiliar))) { first, _ in first }
            try read(Array(batch), fingerprints, known, covers: covers, &images)
        }
        host.progress.report(unread.count, of: unread.count, phase: "Reading titles and authors")
        return images
    }

    /// A file on the device, and the item that was just sent to it.
    typealias SentFile = (file: FoundFile, item: UploadItem)

    /// Fills the cache for files that were just sent, from the files of the host, so that the next listing does not
    /// read them on the device.
    func readMetadata(ofSent sent: [SentFile]) throws(OverlayError) {
        guard options.keepsMetadata, !options.knowsFromElsewhere else { return }
        let unread = sent.filter { !isFilled($0.file) && !$0.file.isPackage }
        for start in stride(from: 0, to: unread.count, by: Self.batch.plain) {
            try host.cancellation.check()
            host.progress.report(start, of: unread.count, phase: "Reading titles and authors")
            shelf.keepClaim()
            let batch = unread[start...].prefix(Self.batch.plain)
            do throws(OverlayError) {
                let results = try host.metadata.read(batch.map { .file($0.item.file) })
                for (sent, result) in zip(batch, results) { try keep(result, ofSent: sent) }
            } catch {
                // The books are on the device. The next listing reads those that remain.
                if error.endsTheCall { throw error }
                host.log.info("books", "Cannot read the metadata of sent books: \(error.message)")
            }
        }
    }

    private func keep(
        _ result: Result<BookMetadata, OverlayError>, ofSent sent: SentFile
    ) throws(OverlayError) {
        let title: String?
        do throws(OverlayError) { title = try result.get().book.title } catch {
            // The next listing reads the file on the device, and reports what is wrong with it.
            if error.endsTheCall { throw error }
            return
        }
        // A book without a title gets the name of the host's file, which the device may not have.
        func words(_ text: String?) -> [Substring]? { text?.split(whereSeparator: \.isWhitespace) }
        let name = ShelfPath(sent.item.name)?.stem
        guard name == sent.file.path.stem || words(title) != words(name) else { return }
        var images: [ShelfPath: [UInt8]] = [:]
        take(result, of: sent.file, nil, &images)
    }

    /// Fills the cache for some files: from files with the same content, from other sources, or by reading them.
    private func read(
        _ files: [FoundFile], _ fingerprints: [ShelfPath: ContentFingerprint],
        _ known: NameTable<ShelfOptions.KnownBook>, covers: Bool, _ images: inout [ShelfPath: [UInt8]]
    ) throws(OverlayError) {
        var pending: [FoundFile] = []
        for file in files {
            if let fingerprint = fingerprints[file.path], !isFilled(file),
                let twin = cache.twin(of: file, fingerprint), Self.isTitled(twin, file)
            {
                host.log.debug("books", "'\(file.path)' is a moved or copied '\(twin.path)'.")
                fill(file, like: twin, fingerprint)
                if !needsReading(file, covers: covers) { continue }
            }
            if !isFilled(file), let known = known[file.path.text], known.size == file.size {
                take(known, of: file, fingerprints[file.path])
                if let image = known.book.coverData {
                    keep(image, of: file, fingerprints[file.path], &images)
                }
                if !covers || known.book.coverData != nil { continue }
            }
            pending.append(file)
        }
        let plain = pending.filter { !$0.isPackage }
        let sources = plain.map { ContentSource.device(shelf.place.root, shelf.place.path($0.path)) }
        let results = try sources.isEmpty ? [] : host.metadata.read(sources, covers: covers)
        for (file, result) in zip(plain, results) {
            if case .failure(let error) = result, error.endsTheCall { throw error }
            take(result, of: file, fingerprints[file.path], &images)
        }
        for package in pending where package.isPackage {
            try shelf.goOn()
            let read = try PackageReader(host, shelf.place).metadata(of: package, covers: covers)
            take(read, of: package, fingerprints[package.path], &images)
        }
    }

    /// Whether the twin's title is also valid under the new name. A title that was the old name is not stored, so the
    /// file must be read to determine whether it has this title.
    private static func isTitled(_ twin: CachedFile, _ file: FoundFile) -> Bool {
        guard case .book(let kept) = twin.readState, kept.book.title == nil else { return true }
        return twin.path.stem == file.path.stem
    }

    /// Whether a file was read or its metadata comes from elsewhere.
    func isFilled(_ file: FoundFile) -> Bool { cache.entry(of: file)?.isFilled ?? false }

    private func needsReading(_ file: FoundFile, covers: Bool) -> Bool {
        guard let entry = cache.entry(of: file), entry.isFilled else { return true }
        guard covers, case .book(let kept) = entry.readState,
            entry.isCoverUnread || kept.book.coverMediaType != nil
        else { return false }
        return entry.fingerprint.flatMap { cache.cover($0) } == nil
    }

    /// Stores the metadata of another file with the same content for a file.
    private func fill(_ file: FoundFile, like twin: CachedFile, _ fingerprint: ContentFingerprint) {
        fill(file, twin.readState, fingerprint)
        guard var entry = cache.entry(of: file) else { return }
        (entry.isFromElsewhere, entry.isCoverUnread) = (twin.isFromElsewhere, twin.isCoverUnread)
        cache.set(entry)
    }

    /// Stores metadata for a file from elsewhere.
    private func take(_ known: ShelfOptions.KnownBook, of file: FoundFile, _ fingerprint: ContentFingerprint?)
    {
        fill(file, .book(CompactBook(known.book.withoutCover)), fingerprint)
        guard var entry = cache.entry(of: file) else { return }
        (entry.isFromElsewhere, entry.isCoverUnread) = (true, known.book.coverData == nil)
        cache.set(entry)
    }

    private func fill(
        _ file: FoundFile, _ readState: CachedFile.ReadState, _ fingerprint: ContentFingerprint?
    ) {
        let old = cache.entry(of: file)
        var entry = CachedFile(file)
        entry.readState = readState
        entry.fingerprint = fingerprint ?? old?.fingerprint
        (entry.digest, entry.contentID) = (old?.digest, old?.contentID)
        if case .recognised(let mediaType)? = old?.readState, case .book(let kept) = readState,
            case var book = kept.book, book.format == nil
        {
            // If the name does not determine the format, use the format of the content.
            book.format = mediaType
            entry.readState = .book(CompactBook(book))
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

    /// Stores the result of reading a file.
    private func take(
        _ result: Result<BookMetadata, OverlayError>, of file: FoundFile, _ fingerprint: ContentFingerprint?,
        _ images: inout [ShelfPath: [UInt8]]
    ) {
        if let entry = cache.entry(of: file), entry.isFromElsewhere, case .book(let known) = entry.readState {
            return takeCover(result, of: entry, known.book, &images)
        }
        switch result {
        case .success(let metadata):
            var book = metadata.book
            (book.path, book.size, book.collections) = (nil, nil, nil)
            // A file's description may have any length, but the cache of all books must stay small.
            if let text = book.description, text.utf8.count > Self.longestDescription {
                book.description = String(text.prefix(bytes: Self.longestDescription))
            }
            // A title that is only the file's name is not stored, because it would be wrong after the file is
            // renamed.
            if let title = book.title, title.isEmpty || title == file.path.stem {
                book.title = nil
            }
            fill(file, .book(CompactBook(book.withoutCover)), fingerprint)
            if let image = book.coverData { keep(image, of: file, fingerprint, &images) }
        case .failure(let error):
            host.log.notice("books", "Cannot read the metadata in '\(file.path)': \(error.message)")
            failures[file.path] = error
            if error.status == .damaged || error.status == .unsupportedFormat {
                fill(file, .unreadable(error.message), fingerprint)
            }
        }
    }

    /// Stores only the cover from a file, because the other metadata comes from elsewhere.
    private func takeCover(
        _ result: Result<BookMetadata, OverlayError>, of entry: CachedFile, _ known: Book,
        _ images: inout [ShelfPath: [UInt8]]
    ) {
        var (entry, book) = (entry, known)
        var image: [UInt8]?
        switch result {
        case .success(let metadata):
            (book.coverMediaType, book.coverSize) = (metadata.book.coverMediaType, metadata.book.coverSize)
            image = metadata.book.coverData
            if let image { book.coverSize = UInt64(image.count) }
        case .failure(let error):
            host.log.notice("books", "Cannot read the cover of '\(entry.path)': \(error.message)")
            guard error.status == .damaged || error.status == .unsupportedFormat else { return }
            (book.coverMediaType, book.coverSize) = (nil, nil)
        }
        (entry.readState, entry.isCoverUnread) = (.book(CompactBook(book)), false)
        cache.set(entry)
        guard let image else { return }
        images[entry.path] = image
        if let fingerprint = entry.fingerprint { cache.setCover(image, fingerprint) }
    }
}
