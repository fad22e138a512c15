import OverlayKit
import PropertyLists

/// The findings of earlier listings, kept in the host's storage. Damage, or a host without storage, only costs time.
struct FindingStore {
    private static let key = "findings-1.plist"
    private let host: HostServices
    private let kept: [String: PropertyList]

    /// Reads what was kept.
    init(_ host: HostServices) {
        self.host = host
        do {
            let bytes = try host.storage.read(.cache, Self.key) ?? []
            kept = bytes.isEmpty ? [:] : try PropertyList(parsing: bytes, limits: .file).dictionary ?? [:]
        } catch {
            host.log.debug("ibooks", "What was known from earlier listings cannot be used: \(error)")
            kept = [:]
        }
    }

    /// The finding about a book, if the book has not changed since.
    func finding(_ path: SafePath, stamp: [Int64]) -> Finding? {
        guard let finding = kept[path.text].flatMap({ Finding($0) }), finding.stamp == stamp else {
            return nil
        }
        return finding
    }

    /// Keeps the findings of all books there are now, if they differ from what is kept.
    func keep(_ findings: [(SafePath, Finding)]) {
        var lists: [String: PropertyList] = [:]
        for (path, finding) in findings { lists[path.text] = finding.propertyList }
        guard lists != kept else { return }
        do {
            try host.storage.write(.cache, Self.key, try PropertyList.dictionary(lists).encoded(.binary))
        } catch {
            host.log.debug("ibooks", "What was found out is not kept for the next listing: \(error)")
        }
    }
}
