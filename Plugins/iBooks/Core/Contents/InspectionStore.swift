import BookFolders
import OverlayKit
import PropertyLists

/// The inspections of earlier listings, kept in the host's storage. If they are damaged, or the host has no storage,
/// listings only take longer.
struct InspectionStore {
    private let cache: ListingCache
    private let log: LogService
    private let kept: [SafePath: PropertyList]

    /// Loads the stored inspections.
    init(_ host: HostServices) {
        log = host.log
        cache = ListingCache(host, key: "findings-2.plist", version: 3, category: "ibooks")
        do {
            let list =
                try cache.loadDocument().map { try PropertyList(parsing: $0, limits: .file) }?.array ?? []
            kept = Dictionary(
                list.compactMap { entry in
                    guard let path = entry["book"]?.string.flatMap({ SafePath($0) }),
                        let inspection = entry["finding"]
                    else { return nil }
                    return (path, inspection)
                }, uniquingKeysWith: { first, _ in first })
        } catch {
            log.debug("ibooks", "Cannot use the results of earlier listings: \(error)")
            kept = [:]
        }
    }

    /// The stored inspection of a book; the book may have changed since.
    func inspection(_ path: SafePath) -> BookInspection? { kept[path].flatMap { BookInspection($0) } }

    /// Stores the inspections of all present books, if they differ from the stored ones.
    func keep(_ inspections: [(SafePath, BookInspection)]) {
        let lists = inspections.map { ($0, $1.propertyList) }
        guard lists.count != kept.count || lists.contains(where: { kept[$0] != $1 }) else { return }
        let list = PropertyList.array(lists.map { ["book": .string($0.text), "finding": $1] })
        do {
            cache.saveDocument(try list.encoded(.binary))
        } catch {
            log.debug("ibooks", "Cannot save the results for the next listing: \(error)")
        }
    }
}
