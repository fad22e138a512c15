import OverlayKit
import Platform

extension BookShelf {
    /// The most bytes of texts and covers in one booklist: the host's limit with a margin.
    private static let mostBytes = (1 << 30) - (16 << 20)
    /// How many covers are in memory at once.
    private static let batch = 64

    /// Passes every book to `each`, sorted by path as people sort names, and then the books whose files cannot be
    /// examined.
    ///
    /// Listing takes a few round trips for the folders of each level and about one more for all files; a few
    /// kilobytes are read of each file that is not in the cache. A book is listed even if it or its cover cannot be
    /// read. If the device gives no information about its file, it is listed as it was known last, without its size,
    /// and the user is warned.
    ///
    /// - Throws: the device's error about a folder that cannot be opened.
    public func books(
        _ wanted: BooksOptions, each: (Book) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        guard wanted.volume == .main else { return }
        let some: ShelfScan? = if let names = wanted.wanted { try self.scan(of: names) } else { nil }
        let scan = if let some { some } else { try self.scan(needsAll: false) }
        // What was read is kept even if the listing ends early, so that the next one continues from there.
        defer { scan.cache.save() }
        let files = if let some { some.contents.files } else { try scan.books() }
        let isUnread = some != nil && wanted.unread && !wanted.withCovers && !options.knowsFromElsewhere
        if !wanted.withCovers, !isUnread { _ = try scan.readMetadata(of: files) }
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
                // Do not use the name as the title while the file may still have one.
                if isUnread, !scan.isFilled(file), scan.known(file).title == nil { book.title = nil }
                if wanted.withCovers, let image = images[file.path] ?? scan.cover(file) {
                    if image.count <= budget {
                        budget -= image.count
                        book.coverData = image
                        book.coverSize = UInt64(image.count)
                        book.coverMediaType = book.coverMediaType ?? "image/jpeg"
                    } else {
                        host.log.notice(
                            "books",
                            "'\(file.path)' is listed without its cover because there are too "
                                + "many covers.")
                    }
                }
                try each(book)
            }
        }
        guard some == nil else { return }
        let contents = scan.contents
        let unexamined = unexamined(contents)
        warn(unexamined)
        for entry in unexamined {
            if let book = lastKnown(entry.path, scan) { try each(book) }
        }
        scan.cache.keepOnly(contents.files + contents.unexamined.map { Self.unknownFile($0.path) })
    }

    /// The entries that cannot be examined and may be books.
    func unexamined(_ contents: FolderContents) -> [UnexaminedEntry] {
        contents.unexamined.filter { entry in
            let ending = entry.path.fileExtension
            return options.formats.contains(ending)
                || options.looksIntoUnknownFiles && BookFormats.isDoubtful(ending)
        }
    }

    private func warn(_ entries: [UnexaminedEntry]) {
        guard let first = entries.first else { return }
        let others =
            switch entries.count {
            case 1: ""
            case 2: " and another file"
            default: " and \(entries.count - 1) other files"
            }
        host.log.warning(
            "books",
            "The device gives no information about '\(first.path)'\(others), "
                + "so the list of books may be out of date: \(first.error.message)")
    }

    /// A book whose file cannot be examined, as it was known last; nil if the file is not known to be a book.
    private func lastKnown(_ path: ShelfPath, _ scan: ShelfScan) -> Book? {
        let former = scan.cache.former(of: Self.unknownFile(path))
        if !options.formats.contains(path.fileExtension) {
            guard let former, former.readState != .noBook, former.readState != .unread else { return nil }
        }
        var book = Book()
        if let former {
            book = scan.known(FoundFile(path: former.path, size: former.size, modified: former.modified))
        }
        (book.path, book.size, book.contentID) = (path.text, nil, nil)
        if book.title?.isEmpty ?? true { book.title = path.stem }
        book.format = BookFormats.bookType(of: path.fileExtension) ?? book.format
        book.collections = options.foldersAreCollections ? path.folder.map { [$0.text] } ?? [] : nil
        return book
    }

    /// A file of unknown size and date. No file is in this state.
    private static func unknownFile(_ path: ShelfPath) -> FoundFile {
        FoundFile(path: path, size: 0, modified: .min)
    }

    /// Finds the books with these paths and UUIDs, and the folders above them, without a walk; nil if a walk is needed.
    ///
    /// A UUID must be in the cache. A file that has changed since it was read needs a walk, because its notes may
    /// belong to another file now.
    func scan(of names: [String]) throws(OverlayError) -> ShelfScan? {
        let known = ShelfScan(shelf: self, contents: FolderContents())
        var paths: [ShelfPath] = []
        var byUUID: [String: [ShelfPath]]?
        for name in names {
            if let path = ShelfPath(name), isPlainBook(path) {
                paths.append(path)
                continue
            }
            let uuids = byUUID ?? known.pathsByUUID()
            byUUID = uuids
            let uuid = name.lowercased()
            let found = uuids[uuid.hasPrefix("urn:uuid:") ? String(uuid.dropFirst(9)) : uuid] ?? []
            guard !found.isEmpty else { return nil }
            paths += found
        }
        var contents = FolderContents()
        paths =
            paths.reduce(into: (paths: [ShelfPath](), seen: Set<ShelfPath>())) { all, path in
                if all.seen.insert(path).inserted { all.paths.append(path) }
            }.paths
        // A folder that is a link is not followed.
        let above = ShelfPath.folders(above: paths)
        let answers = try host.transport.stat(place.root, (paths + above).map { place.path($0) })
        for answer in answers.dropFirst(paths.count) {
            guard case .success(let info) = answer, info.kind == .folder else { return nil }
        }
        guard try areSpelledAsListed(paths) else { return nil }
        contents.folders = above
        for (path, answer) in zip(paths, answers) {
            guard case .success(let info) = answer, info.kind == .regular, info.size > 0 else { return nil }
            let file = FoundFile(path: path, size: info.size, modified: info.modified, created: info.created)
            guard known.cache.former(of: file) == nil else { return nil }
            contents.files.append(file)
        }
        return ShelfScan(known, contents)
    }

    /// Whether a walk would find these paths in this spelling. A device may also find a name that is spelled with other
    /// characters that mean the same. Sends requests only for names beyond ASCII.
    private func areSpelledAsListed(_ paths: [ShelfPath]) throws(OverlayError) -> Bool {
        var listed: [ShelfPath?: Set<ExactText>] = [:]
        for path in paths + ShelfPath.folders(above: paths)
        where !path.name.utf8.allSatisfy({ $0 < 0x80 }) {
            if listed[path.folder] == nil {
                do throws(OverlayError) {
                    let names = try host.transport.list(place.root, place.path(path.folder)).map(\.name)
                    listed[path.folder] = Set(names.map { ExactText($0) })
                } catch {
                    if error.endsTheCall { throw error }
                    return false
                }
            }
            guard listed[path.folder]?.contains(ExactText(path.name)) == true else { return false }
        }
        return true
    }

    /// Whether a walk would accept a file with this path as a book; its content is not read.
    private func isPlainBook(_ path: ShelfPath) -> Bool {
        guard options.formats.contains(path.fileExtension), path.name.utf8.first != UInt8(ascii: ".") else {
            return false
        }
        let ignored = Set(options.ignoredFolders.map { BookName.key($0) })
        var folder = path.folder
        while let level = folder {
            if level.name.utf8.first == UInt8(ascii: ".")
                || FolderWalk.packageExtensions.contains(level.fileExtension)
                || !ignored.isDisjoint(with: [BookName.key(level.text), BookName.key(level.name)])
            {
                return false
            }
            folder = level.folder
        }
        return true
    }
}
