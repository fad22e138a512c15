import OverlayKit

/// What all books of a library turned out to be: from earlier listings where nothing has changed, else from the books.
struct Findings {
    /// Packed books whose metadata is asked for at once.
    private static let batch = 16

    let host: HostServices

    /// The finding of each book, in their order.
    func all(of items: [Library.Item], _ artwork: ArtworkFolder) throws(OverlayError) -> [Finding] {
        let store = FindingStore(host)
        let marks = try innerMarks(items)
        var findings = [Finding?](repeating: nil, count: items.count)
        var unpacked: [Int] = []
        var packed: [Int] = []
        let stamps = items.indices.map { stamp(items[$0], marks[$0], artwork) }
        for (index, item) in items.enumerated() {
            findings[index] = store.finding(item.path, stamp: stamps[index])
            guard findings[index] == nil else { continue }
            if item.isUnpacked { unpacked.append(index) } else { packed.append(index) }
        }
        let missing = unpacked.count + packed.count
        var done = 0
        for start in stride(from: 0, to: unpacked.count, by: UnpackedBooks.batch) {
            host.progress.report(done, of: missing, phase: "Looking into new books")
            let batch = Array(unpacked[start...].prefix(UnpackedBooks.batch))
            let found = try UnpackedBooks(host: host).findings(batch.map { (items[$0], stamps[$0]) })
            for (index, finding) in zip(batch, found) { findings[index] = finding }
            done += batch.count
        }
        for start in stride(from: 0, to: packed.count, by: Self.batch) {
            host.progress.report(done, of: missing, phase: "Looking into new books")
            let batch = Array(packed[start...].prefix(Self.batch))
            let found = try packedFindings(batch.map { (items[$0], stamps[$0]) })
            for (index, finding) in zip(batch, found) { findings[index] = finding }
            done += batch.count
        }
        let whole = items.indices.filter { findings[$0] != nil }
        var results = items.indices.map { index in
            findings[index]
                ?? Finding(stamp: stamps[index], size: items[index].isUnpacked ? 0 : items[index].info.size)
        }
        try addCovers(items, &results, artwork)
        store.keep(whole.map { (items[$0].path, results[$0]) })
        for (item, finding) in zip(items, results) where finding.isProtected {
            host.log.notice(
                "ibooks", "A book is protected; only Books can show it.", ["book": item.path.text])
        }
        return results
    }

    /// A folder within a book changes its time when the book is replaced, also where the book's own folder does not.
    private func innerMarks(_ items: [Library.Item]) throws(OverlayError) -> [FileInfo?] {
        var marks = [FileInfo?](repeating: nil, count: items.count)
        let unpacked = items.indices.filter { items[$0].isUnpacked }
        guard !unpacked.isEmpty else { return marks }
        let paths = unpacked.map { items[$0].devicePath + "/META-INF" }
        for (index, result) in zip(unpacked, try host.transport.stat(.media, paths)) {
            switch result {
            case .success(let info): marks[index] = info
            case .failure(let error): guard error.status == .notFound else { throw error }
            }
        }
        return marks
    }

    private func stamp(_ item: Library.Item, _ mark: FileInfo?, _ artwork: ArtworkFolder) -> [Int64] {
        let image = artwork.file(item.entry?.persistentID)
        return [
            Int64(clamping: item.isUnpacked ? 0 : item.info.size), item.info.modified, item.info.created,
            mark?.modified ?? 0, mark?.created ?? 0, Int64(clamping: image?.size ?? 0), image?.modified ?? 0,
            item.entry?.isProtected == true ? 1 : 0,
        ]
    }

    private func packedFindings(
        _ items: [(item: Library.Item, stamp: [Int64])]
    ) throws(OverlayError) -> [Finding?] {
        let sources = items.map { ContentSource.device(.media, $0.item.devicePath) }
        var findings: [Finding?] = []
        for (entry, result) in zip(items, try host.metadata.read(sources)) {
            var finding = Finding(stamp: entry.stamp, size: entry.item.info.size)
            finding.isProtected = entry.item.entry?.isProtected ?? false
            switch result {
            case .success(let metadata):
                finding.book = metadata.book
                (finding.book.coverData, finding.book.collections) = (nil, nil)
                findings.append(finding)
            case .failure(let error):
                if [.cancelled, .deviceGone, .timedOut].contains(error.status) { throw error }
                host.log.notice(
                    "ibooks", "What a book says of itself could not be read: \(error.message)",
                    ["book": entry.item.path.text])
                // What is damaged stays so; anything else is tried again at the next listing.
                let isFinal = [.damaged, .unsupportedFormat].contains(error.status)
                findings.append(isFinal ? finding : nil)
            }
        }
        return findings
    }

    /// Takes the covers that came by synchronising, and finds out what kind of image each cover is.
    private func addCovers(
        _ items: [Library.Item], _ findings: inout [Finding], _ artwork: ArtworkFolder
    ) throws(OverlayError) {
        var unknown: [Int] = []
        for (index, item) in items.enumerated() {
            if findings[index].coverPath == nil, let image = artwork.file(item.entry?.persistentID) {
                findings[index].coverPath = ArtworkFolder.path + "/" + image.name
                findings[index].book.coverSize = image.size
                findings[index].book.coverMediaType = nil
            }
            if findings[index].coverPath != nil, findings[index].book.coverMediaType == nil {
                unknown.append(index)
            }
        }
        guard !unknown.isEmpty else { return }
        let requests = unknown.compactMap {
            findings[$0].coverPath.map { ReadRequest($0, length: 16, once: true) }
        }
        for (index, result) in zip(unknown, try host.transport.readMany(.media, requests)) {
            guard case .success(let bytes) = result, let kind = ImageKind(bytes) else {
                findings[index].coverPath = nil
                findings[index].book.coverSize = nil
                continue
            }
            findings[index].book.coverMediaType = kind.mediaType
        }
    }
}
