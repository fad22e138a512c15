import BookFolders
import OverlayKit
import Platform

/// The inspections of all books of a library: stored ones if nothing has changed, otherwise new ones.
struct BookInspections {
    /// How many packed books are read at once.
    private static let batch = 16

    let host: HostServices

    /// The inspection of each book, in order.
    func all(of items: [BooksLibrary.Item], _ artwork: ArtworkFolder) throws(OverlayError) -> [BookInspection]
    {
        let store = InspectionStore(host)
        let kept = items.map { store.inspection($0.path) }
        let marks = try innerMarks(items, kept)
        var inspections = [BookInspection?](repeating: nil, count: items.count)
        var unpacked: [Int] = []
        var packed: [Int] = []
        let stamps = items.indices.map { stamp(items[$0], marks[$0].folder, artwork) }
        for (index, item) in items.enumerated() {
            if let known = kept[index], known.stamp == stamps[index],
                known.package.map({ $0.isSame(marks[index].package) }) ?? true
            {
                inspections[index] = known
            } else if item.isUnpacked {
                unpacked.append(index)
            } else {
                packed.append(index)
            }
        }
        let missing = unpacked.count + packed.count
        var done = 0
        for start in stride(from: 0, to: unpacked.count, by: UnpackedBooks.batch) {
            host.progress.report(done, of: missing, phase: "Examining new books")
            let batch = Array(unpacked[start...].prefix(UnpackedBooks.batch))
            let found = try UnpackedBooks(host: host).inspections(batch.map { (items[$0], stamps[$0]) })
            for (index, inspection) in zip(batch, found) { inspections[index] = inspection }
            done += batch.count
        }
        for start in stride(from: 0, to: packed.count, by: Self.batch) {
            host.progress.report(done, of: missing, phase: "Examining new books")
            let batch = Array(packed[start...].prefix(Self.batch))
            let found = try packedInspections(batch.map { (items[$0], stamps[$0]) })
            for (index, inspection) in zip(batch, found) { inspections[index] = inspection }
            done += batch.count
        }
        let found = items.indices.filter { inspections[$0] != nil }
        var results = items.indices.map { index in
            inspections[index]
                ?? BookInspection(
                    stamp: stamps[index], size: items[index].isUnpacked ? 0 : items[index].info.size)
        }
        try addCovers(items, &results, artwork)
        store.keep(found.filter { results[$0].isFinal }.map { (items[$0].path, results[$0]) })
        for (item, inspection) in zip(items, results) where inspection.isProtected {
            host.log.notice(
                "ibooks", "A book is protected. Only Books can open it.", ["book": item.path.text])
        }
        return results
    }

    /// Replacing a book changes the time of a folder inside it, even if that of the book's own folder stays the same.
    /// Rewriting a package document changes only that document's time. All of these are asked for at once.
    private func innerMarks(
        _ items: [BooksLibrary.Item], _ kept: [BookInspection?]
    ) throws(OverlayError) -> [(folder: FileInfo?, package: FileInfo?)] {
        var marks = [(folder: FileInfo?, package: FileInfo?)](repeating: (nil, nil), count: items.count)
        var wanted: [(index: Int, isPackage: Bool, path: String)] = []
        for (index, item) in items.enumerated() where item.isUnpacked {
            wanted.append((index, false, item.devicePath + "/META-INF"))
            if let package = kept[index]?.package {
                wanted.append((index, true, item.devicePath + "/" + package.path.text))
            }
        }
        guard !wanted.isEmpty else { return marks }
        for (place, result) in zip(wanted, try host.transport.stat(.media, wanted.map(\.path))) {
            switch result {
            case .success(let info):
                if place.isPackage {
                    marks[place.index].package = info
                } else {
                    marks[place.index].folder = info
                }
            // A book without this mark is inspected.
            case .failure(let error): if error.endsTheCall { throw error }
            }
        }
        return marks
    }

    private func stamp(_ item: BooksLibrary.Item, _ mark: FileInfo?, _ artwork: ArtworkFolder) -> [Int64] {
        let image = artwork.file(item.entry?.persistentID)
        return [
            Int64(clamping: item.isUnpacked ? 0 : item.info.size), item.info.modified, item.info.created,
            mark?.modified ?? 0, mark?.created ?? 0, Int64(clamping: image?.size ?? 0), image?.modified ?? 0,
            item.entry?.isProtected == true ? 1 : 0,
        ]
    }

    private func packedInspections(
        _ items: [(item: BooksLibrary.Item, stamp: [Int64])]
    ) throws(OverlayError) -> [BookInspection?] {
        let sources = items.map { ContentSource.device(.media, $0.item.devicePath) }
        var inspections: [BookInspection?] = []
        for (entry, result) in zip(items, try host.metadata.read(sources)) {
            var inspection = BookInspection(stamp: entry.stamp, size: entry.item.info.size)
            inspection.isProtected = entry.item.entry?.isProtected ?? false
            switch result {
            case .success(let metadata):
                inspection.book = metadata.book
                (inspection.book.coverData, inspection.book.collections) = (nil, nil)
                inspections.append(inspection)
            case .failure(let error):
                if error.endsTheCall { throw error }
                host.log.notice(
                    "ibooks", "Cannot read a book's metadata: \(error.message)",
                    ["book": entry.item.path.text])
                inspection.isFinal = Self.isFinal(error)
                inspections.append(inspection)
            }
        }
        return inspections
    }

    /// Whether trying again is useless, because damage does not go away.
    static func isFinal(_ error: OverlayError) -> Bool {
        [.damaged, .unsupportedFormat].contains(error.status)
    }

    /// Adds the covers of synced books, and determines the image format of each cover.
    private func addCovers(
        _ items: [BooksLibrary.Item], _ inspections: inout [BookInspection], _ artwork: ArtworkFolder
    ) throws(OverlayError) {
        var unknown: [Int] = []
        for (index, item) in items.enumerated() {
            if inspections[index].coverPath == nil, let image = artwork.file(item.entry?.persistentID) {
                inspections[index].coverPath = ArtworkFolder.path + "/" + image.name
                inspections[index].book.coverSize = image.size
                inspections[index].book.coverMediaType = nil
            }
            if inspections[index].coverPath != nil, inspections[index].book.coverMediaType == nil {
                unknown.append(index)
            }
        }
        guard !unknown.isEmpty else { return }
        let requests = unknown.compactMap {
            inspections[$0].coverPath.map { ReadRequest($0, length: 16, once: true) }
        }
        for (index, result) in zip(unknown, try host.transport.readMany(.media, requests)) {
            if case .failure(let error) = result {
                if error.endsTheCall { throw error }
                if error.status != .notFound { inspections[index].isFinal = false }
            }
            guard case .success(let bytes) = result, let kind = PictureFormat(cover: bytes) else {
                inspections[index].coverPath = nil
                inspections[index].book.coverSize = nil
                continue
            }
            inspections[index].book.coverMediaType = kind.mediaType
        }
    }
}

extension BookInspection.Package {
    /// Whether a file is this document, unchanged.
    func isSame(_ info: FileInfo?) -> Bool { info?.size == size && info?.modified == modified }
}
