import OverlayBridge
import OverlayKit

extension ShelfScan {
    /// The folder for a collection: an existing one with that name, or the path of a new one.
    ///
    /// Its path may differ from the collection's name; see ``keptAs(_:_:)``.
    func folder(named collection: String, _ taken: TakenNames) throws(OverlayError) -> ShelfPath {
        var folder: ShelfPath?
        // `.` and `..` do not name a folder.
        for part in collection.utf8.split(separator: UInt8(ascii: "/")).map({ Substring($0) })
        where !part.allSatisfy({ $0 == "." || $0.isWhitespace }) {
            let name = BookName.folder(String(part))
            guard let next = ShelfPath(folder, name) else { folder = nil; break }
            folder = taken.holder(of: next)
            if folder != nil { continue }
            // A new folder with an extension of packages would look like an unpacked book.
            let isPackage = FolderWalk.packageExtensions.contains(next.fileExtension)
            let plainName = isPackage ? next.stem + "-" + next.writtenExtension : next.name
            guard let plain = ShelfPath(next.folder, plainName) else { folder = nil; break }
            folder = taken.holder(of: plain) ?? plain
        }
        guard let folder else {
            throw OverlayError(
                .invalidArgument, "This name cannot be used for a folder.", subject: collection,
                hint: "Choose another name.")
        }
        var level: ShelfPath? = folder
        while let path = level {
            if let holder = taken.holder(of: path), file(at: holder) != nil {
                throw OverlayError(
                    .alreadyExists, "A file has the name of the collection's folder.",
                    subject: path.text, hint: "Choose another name for the collection.")
            }
            level = path.folder
        }
        return folder
    }

    /// The message about a collection whose folder has another name; nil if the names are the same or look the same.
    static func keptAs(_ collection: String, _ folder: ShelfPath) -> String? {
        guard collection != folder.text else { return nil }
        return "The collection '\(collection)' was saved as '\(folder.text)'."
    }
}

extension OverlayError {
    /// The error for several collections: a file is in a single folder.
    static func oneFolder(_ app: String) -> OverlayError {
        OverlayError(
            .invalidArgument,
            "In \(app), a book can be in only one collection because collections are "
                + "folders.",
            hint: "Give one collection. A/B is the folder B inside the folder A.")
    }
}

extension ShelfScan {
    /// Fills the cache for these files and returns the covers that the cache does not store: the app's own previews,
    /// which are small, or else the covers in the files.
    func readFiles(
        _ files: [FoundFile],
        _ pictures: ([FoundFile]) throws(OverlayError) -> [ShelfPath: [UInt8]]
    ) throws(OverlayError) -> [ShelfPath: [UInt8]] {
        let bare = files.filter { cover($0) == nil }
        let found = try bare.isEmpty ? [:] : pictures(bare)
        var images = try readFiles(files.filter { found[$0.path] == nil }, covers: true)
        let pictured = files.filter { found[$0.path] != nil }
        _ = try readFiles(pictured, covers: false)
        for file in pictured {
            guard let image = found[file.path], let mediaType = PictureType.mediaType(of: image) else {
                continue
            }
            images[file.path] = image
            guard var entry = cache.entry(of: file) else { continue }
            if let fingerprint = entry.fingerprint { cache.setCover(image, fingerprint) }
            guard case .book(let kept) = entry.readState else { continue }
            var book = kept.book
            book.coverMediaType = mediaType
            book.coverSize = UInt64(image.count)
            (entry.readState, entry.isCoverUnread) = (.book(CompactBook(book)), false)
            cache.set(entry)
        }
        return images
    }
}
