import OverlayKit

extension ShelfScan {
    /// Sees to it that the cache knows each of these files, and gives their covers that are not kept: the app's own pictures
    /// where it has them, which are small and ready, else those within the files.
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
            guard case .book(var book) = entry.readState else { continue }
            book.coverMediaType = mediaType
            book.coverSize = UInt64(image.count)
            (entry.readState, entry.isCoverUnread) = (.book(book), false)
            cache.set(entry)
        }
        return images
    }
}
