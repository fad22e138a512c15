import DeviceDatabases
import OverlayKit

/// Finds the small covers of a listing's books: in the cache, in this Marvin version's folder, or in its database.
struct ThumbnailReader {
    private let listing: LibraryListing
    private let withBytes: Bool
    /// The folder of covers; empty if there is none, as in a new Marvin.
    private let folder: String
    /// The names in it; nil if neither the folder nor a book has changed.
    private let names: Set<[UInt8]>?
    private var packs: CoverPacks
    private let retired: Set<UInt64>

    /// Lists the folder unless it is unchanged; one listing shows which books have a cover.
    init(_ listing: LibraryListing, withBytes: Bool) throws(OverlayError) {
        self.listing = listing
        self.withBytes = withBytes
        let device = listing.device
        let stored = listing.snapshot.files.compactMap { $0.cover?.stored }
        packs = CoverPacks(device.cache, kept: Int(clamping: stored.reduce(0) { $0 &+ $1.length }))
        retired = Self.retired(stored)
        guard !listing.hasSameCovers || !listing.changed.isEmpty else {
            // The location of the images matters only if one of them is missing in the cache.
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

    /// Passes on the covers of the books in this range, in order. A cover is passed on as soon as it and all
    /// preceding covers are known, so that it is processed while the next covers are read.
    mutating func deliver(
        _ part: Range<Int>, each: (Int, CoverThumbnail?) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        var queue = CoverQueue(part)
        let present = Set(try checked(part))
        var (toRead, blobs): ([Int], [Int]) = ([], [])
        for index in part {
            switch present.contains(index) ? known(index) : .some(nil) {
            case .some(.some(let cover)): try queue.set(index, cover, each: each)
            case .some(nil) where book(index).coverBlobSize > 0: blobs.append(index)
            case .some(nil): try queue.set(index, nil, each: each)
            case nil: toRead.append(index)
            }
        }
        for (index, cover) in try covers(inDatabase: blobs) { try queue.set(index, cover, each: each) }
        blobs = []
        let listing = listing
        try read(toRead) { (index, cover) throws(OverlayError) in
            if cover == nil, listing.snapshot.books[index].coverBlobSize > 0 {
                blobs.append(index)
            } else {
                try queue.set(index, cover, each: each)
            }
        }
        for (index, cover) in try covers(inDatabase: blobs) { try queue.set(index, cover, each: each) }
    }

    /// The cover of a book, if it is known without reading a file. The outer nil means that the file must be read;
    /// the inner nil means that there is no cover file or it is not an image.
    private mutating func known(_ index: Int) -> CoverThumbnail?? {
        guard let entry = listing.snapshot.files[index].cover, !entry.isBlob else { return .some(nil) }
        guard withBytes else {
            return .some(
                entry.size > 0 ? CoverThumbnail(mediaType: CoverThumbnail.jpeg, size: entry.size) : nil)
        }
        guard !entry.mediaType.isEmpty else { return .some(nil) }
        guard let image = image(entry, of: index) else { return nil }
        return .some(
            CoverThumbnail(mediaType: entry.mediaType, size: UInt64(image.count), bytes: image))
    }

    /// Saves what is new in the listing.
    mutating func finish() throws(OverlayError) {
        packs.finish()
        try listing.keep(without: packs.lost)
    }

    // MARK: - Which covers there are

    /// Updates the entries in this range as far as possible without reading images; an entry without `stored` still
    /// has to be read. Returns the books with a cover file.
    private mutating func checked(_ part: Range<Int>) throws(OverlayError) -> [Int] {
        guard let names else { return part.filter { cover($0).map { !$0.isBlob } ?? false } }
        let doubtful = listing.hasSameCovers ? part.filter { listing.changed.contains($0) } : Array(part)
        let certain = Set(part).subtracting(doubtful).filter { cover($0).map { !$0.isBlob } ?? false }
        let present = doubtful.filter { index in
            guard let hash = book(index).hash else { return false }
            return names.contains((hash + ".jpg").bytes)
        }
        for index in Set(doubtful).subtracting(present) where cover(index).map({ !$0.isBlob }) ?? false {
            listing.note(nil, of: index)
        }
        // An image that is read anyway does not need to be checked.
        let asked = present.filter { index in
            !withBytes || cover(index).map { $0.stored != nil || $0.mediaType.isEmpty } ?? false
        }
        let device = listing.device
        for (index, info) in zip(asked, try device.files(asked.map { path(book($0)) })) {
            listing.note(info.map { refreshed(cover(index), $0) }, of: index)
        }
        for index in Set(present).subtracting(asked) {
            listing.note(
                CoverEntry(mediaType: CoverThumbnail.jpeg, size: 0, readAfter: listing.deviceTime), of: index)
        }
        return present + certain
    }

    /// What is known about a cover after its file has been checked.
    private func refreshed(_ known: CoverEntry?, _ info: FileInfo) -> CoverEntry {
        if let known, !known.isBlob, known.size == info.size {
            let isUnread = known.stored == nil && !known.mediaType.isEmpty
            let (quiet, overflow) = known.readAfter.subtractingReportingOverflow(LibraryState.tick)
            if isUnread || !overflow && info.modified <= quiet { return known }
        }
        return CoverEntry(mediaType: CoverThumbnail.jpeg, size: info.size, readAfter: listing.deviceTime)
    }

    private func book(_ index: Int) -> LibraryBook { listing.snapshot.books[index] }

    /// What is known about the cover of a book.
    private func cover(_ index: Int) -> CoverEntry? { listing.snapshot.files[index].cover }

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

    /// Reads covers, which arrive in any order; nil if the file is not an image or could not be read.
    private mutating func read(
        _ indices: [Int], each: (Int, CoverThumbnail?) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        guard !indices.isEmpty else { return }
        let device = listing.device
        let isKept = try device.cache.isOn()
        let paths = indices.map { path(book($0)) }
        try CoverContents(device).contents(paths) { (place, content) throws(OverlayError) in
            let index = indices[place]
            guard var entry = listing.snapshot.files[index].cover else { return try each(index, nil) }
            switch content {
            case .image(let cover):
                entry.mediaType = cover.mediaType
                entry.readAfter = listing.deviceTime
                entry.size = cover.size
                entry.stored = isKept ? cover.bytes.flatMap { packs.add($0) } : nil
                listing.note(entry, of: index)
                try each(index, cover)
            case .noImage(let size):
                entry.mediaType = ""
                entry.size = size
                listing.note(entry, of: index)
                try each(index, nil)
            case .unread:
                // The next listing tries again.
                listing.doubt()
                try each(index, nil)
            }
        }
    }

    // MARK: - Images in the database

    /// The covers of these books in the database itself.
    private mutating func covers(inDatabase blobs: [Int]) throws(OverlayError) -> [(Int, CoverThumbnail?)] {
        guard !blobs.isEmpty else { return [] }
        guard withBytes else {
            return blobs.map { index in
                let size = UInt64(book(index).coverBlobSize)
                return (index, CoverThumbnail(mediaType: CoverThumbnail.jpeg, size: size))
            }
        }
        var found: [Int: CoverThumbnail] = [:]
        var open: [Int] = []
        for index in blobs {
            guard let entry = cover(index), entry.isBlob, let image = image(entry, of: index) else {
                open.append(index)
                continue
            }
            found[index] = CoverThumbnail(
                mediaType: entry.mediaType, size: UInt64(image.count), bytes: image)
        }
        // One statement for each run of books. The ids are consecutive, because books come in the order of the table.
        for start in stride(from: 0, to: open.count, by: Self.blobsAtOnce) {
            try takeBlobs(Array(open[start...].prefix(Self.blobsAtOnce)), into: &found)
        }
        return blobs.map { ($0, found[$0]) }
    }

    /// How many covers are read from the database with one statement.
    private static let blobsAtOnce = 256

    private mutating func takeBlobs(_ open: [Int], into found: inout [Int: CoverThumbnail])
        throws(OverlayError)
    {
        let ids = open.compactMap { book($0).id }
        guard let first = ids.min(), let last = ids.max() else { return }
        let library = try listing.openCopy()
        let images = try listing.device.readingLibrary { () throws(DatabaseError) in
            try library.reader.coverBlobs(in: first...last, largest: Int(CoverContents.largest))
        }
        let isKept = try listing.device.cache.isOn()
        for index in open {
            guard let image = book(index).id.flatMap({ images[$0] }),
                let cover = CoverThumbnail(image: image)
            else { continue }
            found[index] = cover
            guard isKept, listing.snapshot.files[index].cover.map(\.isBlob) ?? true else { continue }
            listing.note(
                CoverEntry(
                    mediaType: cover.mediaType, size: cover.size, readAfter: listing.deviceTime,
                    isBlob: true, stored: packs.add(image)), of: index)
        }
    }

    /// The packs to merge, if there are many more than the images need.
    private static func retired(_ stored: [StoredCover]) -> Set<UInt64> {
        var live: [UInt64: UInt64] = [:]
        for cover in stored { live[cover.pack, default: 0] += cover.length }
        let size = UInt64(BooklistCache.packSize)
        let needed = Int(clamping: live.values.reduce(0, &+) / size) + 1
        guard live.count > 2 * needed + 8 else { return [] }
        return Set(live.filter { $0.value < size / 2 }.keys)
    }
}

/// Sorts covers that arrive in any order into the order of the books. Passes on each cover as soon as all preceding
/// covers are known.
struct CoverQueue {
    private enum Slot {
        case open
        case ready(CoverThumbnail?)
    }

    private let first: Int
    private var slots: [Slot]
    private var next = 0

    /// - Parameter part: the books, given by their indexes in the listing.
    init(_ part: Range<Int>) {
        first = part.lowerBound
        slots = Array(repeating: .open, count: part.count)
    }

    /// Records the cover of a book, nil for none, and passes on what is ready.
    mutating func set(
        _ index: Int, _ cover: CoverThumbnail?, each: (Int, CoverThumbnail?) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        slots[index - first] = .ready(cover)
        while next < slots.count, case .ready(let cover) = slots[next] {
            // Releases its memory.
            slots[next] = .open
            next += 1
            try each(first + next - 1, cover)
        }
    }
}
