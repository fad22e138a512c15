import OverlayKit

/// What people left in books whose content an upload replaces, and what Books knows by that content alone.
struct LostMarks {
    /// How many there are, by the index of the item that replaces their book.
    private var counts: [Int: Int] = [:]

    /// Reads the annotations if any book gets other content.
    init(_ planned: [PlannedBook], _ host: HostServices) throws(OverlayError) {
        var hashes: [(index: Int, hash: String)] = []
        for book in planned {
            guard let entry = book.replaced?.entry, let hash = entry.packageHash?.uppercased(),
                hash != book.digest, hash != entry.persistentID?.uppercased()
            else { continue }
            hashes.append((book.index, hash))
        }
        guard !hashes.isEmpty else { return }
        let annotations = try AnnotationReader(host: host).annotations()
        for (index, hash) in hashes {
            if let found = annotations[hash], !found.isEmpty { counts[index] = found.count }
        }
    }

    /// What is to be said of a book that was replaced; nil if nothing is lost.
    func sentence(_ book: PlannedBook) -> String? {
        counts[book.index].map { count in
            "Highlights, notes and bookmarks in the old content: \(count); Books may not show them in the new one."
        }
    }
}
