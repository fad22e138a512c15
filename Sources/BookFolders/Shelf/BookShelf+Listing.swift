import OverlayKit

extension BookShelf {
    /// The most bytes of texts and covers in one booklist: the host's limit with a margin.
    private static let mostBytes = (1 << 30) - (16 << 20)
    /// How many covers are in memory at once.
    private static let batch = 64

    /// Passes every book to `each`, sorted by path.
    ///
    /// Listing takes a few round trips for the folders of each level and about one more for all files; a few
    /// kilobytes are read of each file that is not in the cache. A book is listed even if it or its cover cannot be
    /// read.
    public func books(
        _ wanted: BooksOptions, each: (Book) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        guard wanted.volume == .main else { return }
        let some: ShelfScan? = if let names = wanted.wanted { try self.scan(of: names) } else { nil }
        let scan = if let some { some } else { try self.scan() }
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
        if some == nil { scan.cache.keepOnly(scan.contents.files) }
    }

    /// Finds the books with these paths and UUIDs without a walk; nil if a walk is needed.
    ///
    /// A UUID must be in the cache. A file that has changed since it was read needs a walk, because its notes may
    /// belong to another file now.
    private func scan(of names: [String]) throws(OverlayError) -> ShelfScan? {
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
        for (path, answer) in zip(paths, try host.transport.stat(place.root, paths.map { place.path($0) })) {
            guard case .success(let info) = answer, info.kind == .regular, info.size > 0 else { return nil }
            let file = FoundFile(path: path, size: info.size, modified: info.modified, created: info.created)
            guard known.cache.former(of: file) == nil else { return nil }
            contents.files.append(file)
        }
        return ShelfScan(known, contents)
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
