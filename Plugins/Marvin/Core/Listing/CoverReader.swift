import DeviceDatabases
import OverlayKit

/// Finds the small covers of a listing's books: in the cache, in the folder of this version of Marvin, or in its database.
struct CoverReader {
    private let listing: LibraryListing
    private let withBytes: Bool
    /// The folder of covers; empty: a fresh Marvin has none.
    private let folder: String
    /// The names in it; nil: nothing there has changed.
    private let names: Set<[UInt8]>?
    private var packs: CoverPacks
    private let retired: Set<UInt64>

    /// Looks into the folder, unless it is as it was: one listing tells which books have a cover.
    init(_ listing: LibraryListing, withBytes: Bool) throws(OverlayError) {
        self.listing = listing
        self.withBytes = withBytes
        let device = listing.device
        let stored = listing.snapshot.entries.compactMap { $0.cover?.stored }
        packs = CoverPacks(device.cache, kept: Int(clamping: stored.reduce(0) { $0 &+ $1.length }))
        retired = Self.retired(stored)
        guard !listing.hasSameCovers else {
            // Where the images are is only asked if one of them is missing in the cache.
            let present = zip(device.paths.covers, listing.snapshot.state.covers)
                .first { $1.modified != nil }
            (folder, names) = (present?.0 ?? "", nil)
            return
        }
        for folder in device.paths.covers {
            if let names = try device.names(in: folder) {
                (self.folder, self.names) = (folder, Set(names.map(\.bytes)))
                return
            }
        }
        (folder, names) = ("", [])
    }

    /// The covers of the books in that part of the listing, in their order.
    mutating func covers(_ part: Range<Int>) throws(OverlayError) -> [BookCover?] {
        var found = [BookCover?](repeating: nil, count: part.count)
        var toRead: [Int] = []
        for index in try checked(part) {
            guard let entry = listing.snapshot.entries[index].cover, !entry.isBlob else { continue }
            guard withBytes else {
                if entry.size > 0 {
                    found[index - part.lowerBound] = BookCover(mediaType: BookCover.jpeg, size: entry.size)
                }
                continue
            }
            guard !entry.mediaType.isEmpty else { continue }
            if let image = image(entry, of: index) {
                found[index - part.lowerBound] = BookCover(
                    mediaType: entry.mediaType, size: UInt64(image.count), bytes: image)
            } else {
                toRead.append(index)
            }
        }
        for (index, cover) in try read(toRead) { found[index - part.lowerBound] = cover }
        try takeBlobs(part, into: &found)
        return found
    }

    /// Keeps what is new of the listing.
    mutating func finish() throws(OverlayError) {
        packs.finish()
        try listing.keep(without: packs.lost)
    }

    // MARK: - Which covers there are

    /// Brings the entries of that part up to date, as far as that takes no bytes of images; those that have to be read have no
    /// `stored`. Returns the books with a cover of their own file.
    private mutating func checked(_ part: Range<Int>) throws(OverlayError) -> [Int] {
        guard let names else { return part.filter { entry($0).cover.map { !$0.isBlob } ?? false } }
        let present = part.filter { index in
            guard let hash = entry(index).book.hash else { return false }
            return names.contains((hash + ".jpg").bytes)
        }
        for index in Set(part).subtracting(present) where entry(index).cover.map({ !$0.isBlob }) ?? false {
            listing.note(nil, of: index)
        }
        // An image that is read anyway need not be asked about.
        let asked = present.filter { index in
            !withBytes || entry(index).cover.map { $0.stored != nil || $0.mediaType.isEmpty } ?? false
        }
        let device = listing.device
        for (index, info) in zip(asked, try device.files(asked.map { path(entry($0).book) })) {
            listing.note(info.map { refreshed(entry(index).cover, $0) }, of: index)
        }
        for index in Set(present).subtracting(asked) {
            listing.note(
                CoverEntry(mediaType: BookCover.jpeg, size: 0, readAfter: listing.deviceTime), of: index)
        }
        return present
    }

    /// What is known of a cover after a look at its file.
    private func refreshed(_ known: CoverEntry?, _ info: FileInfo) -> CoverEntry {
        if let known, !known.isBlob, known.size == info.size {
            let isUnread = known.stored == nil && !known.mediaType.isEmpty
            let (quiet, overflow) = known.readAfter.subtractingReportingOverflow(LibraryState.tick)
            if isUnread || !overflow && info.modified <= quiet { return known }
        }
        return CoverEntry(mediaType: BookCover.jpeg, size: info.size, readAfter: listing.deviceTime)
    }

    private func entry(_ index: Int) -> LibrarySnapshot.Entry { listing.snapshot.entries[index] }

    private func path(_ book: LibraryBook) -> String { folder + "/" + (book.hash ?? "") + ".jpg" }

    // MARK: - Images

    private mutating func image(_ entry: CoverEntry, of index: Int) -> [UInt8]? {
        guard let stored = entry.stored, let image = listing.device.cache.image(stored) else { return nil }
        if retired.contains(stored.pack), let new = packs.add(image) {
            var entry = entry
            entry.stored = new
            listing.note(entry, of: index)
        }
        return image
    }

    private mutating func read(_ indices: [Int]) throws(OverlayError) -> [(Int, BookCover?)] {
        guard !indices.isEmpty else { return [] }
        let device = listing.device
        let books = indices.map { listing.snapshot.entries[$0].book }
        let contents = try CoverContents(device).contents(books.map(path))
        var covers: [(Int, BookCover?)] = []
        for (index, content) in zip(indices, contents) {
            guard var entry = listing.snapshot.entries[index].cover else { continue }
            switch content {
            case .image(let cover):
                let bytes = cover.bytes ?? []
                entry.mediaType = cover.mediaType
                entry.readAfter = listing.deviceTime
                entry.size = cover.size
                entry.stored = try device.cache.isOn() ? packs.add(bytes) : nil
                covers.append((index, cover))
            case .noImage(let size):
                entry.mediaType = ""
                entry.size = size
            case .unread:
                // The next listing tries again.
                listing.doubt()
                continue
            }
            listing.note(entry, of: index)
        }
        return covers
    }

    // MARK: - Images in the database

    private mutating func takeBlobs(
        _ part: Range<Int>, into found: inout [BookCover?]
    ) throws(OverlayError) {
        let blobs = part.filter { found[$0 - part.lowerBound] == nil && entry($0).book.coverBlobSize > 0 }
        guard !blobs.isEmpty else { return }
        guard withBytes else {
            for index in blobs {
                let size = UInt64(entry(index).book.coverBlobSize)
                found[index - part.lowerBound] = BookCover(mediaType: BookCover.jpeg, size: size)
            }
            return
        }
        var open: [Int] = []
        for index in blobs {
            guard let entry = entry(index).cover, entry.isBlob, let image = image(entry, of: index) else {
                open.append(index)
                continue
            }
            found[index - part.lowerBound] = BookCover(
                mediaType: entry.mediaType, size: UInt64(image.count), bytes: image)
        }
        // One statement for the batch; its ids follow each other, since books come in the order of the table.
        let ids = open.compactMap { entry($0).book.id }
        guard let first = ids.min(), let last = ids.max() else { return }
        let library = try listing.openCopy()
        let images = try listing.device.readingLibrary { () throws(DatabaseFailure) in
            try library.reader.coverBlobs(in: first...last, largest: Int(CoverContents.largest))
        }
        let isKept = try listing.device.cache.isOn()
        for index in open {
            guard let image = entry(index).book.id.flatMap({ images[$0] }),
                let cover = BookCover(image: image)
            else { continue }
            found[index - part.lowerBound] = cover
            guard isKept, entry(index).cover.map(\.isBlob) ?? true else { continue }
            listing.note(
                CoverEntry(
                    mediaType: cover.mediaType, size: cover.size, readAfter: listing.deviceTime,
                    isBlob: true, stored: packs.add(image)), of: index)
        }
    }

    /// The packs whose images are to be put together anew, because there are many more packs than the images need.
    private static func retired(_ stored: [StoredCover]) -> Set<UInt64> {
        var live: [UInt64: UInt64] = [:]
        for cover in stored { live[cover.pack, default: 0] += cover.length }
        let size = UInt64(BooklistCache.packSize)
        let needed = Int(clamping: live.values.reduce(0, &+) / size) + 1
        guard live.count > 2 * needed + 8 else { return [] }
        return Set(live.filter { $0.value < size / 2 }.keys)
    }
}
