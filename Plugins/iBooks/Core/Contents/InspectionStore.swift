import OverlayKit
import PropertyLists

/// The inspections of earlier listings, kept in the host's storage. Damage, or a host without storage, only costs time.
struct InspectionStore {
    private static let key = "findings-2.plist"
    private let host: HostServices
    private let kept: [SafePath: PropertyList]

    /// Reads what was kept.
    init(_ host: HostServices) {
        self.host = host
        do {
            let bytes = try host.storage.read(.cache, Self.key) ?? []
            let list = bytes.isEmpty ? [] : try PropertyList(parsing: bytes, limits: .file).array ?? []
            kept = Dictionary(
                list.compactMap { entry in
                    guard let path = entry["book"]?.string.flatMap({ SafePath($0) }),
                        let inspection = entry["finding"]
                    else { return nil }
                    return (path, inspection)
                }, uniquingKeysWith: { first, _ in first })
        } catch {
            host.log.debug("ibooks", "Cannot use the results of earlier listings: \(error)")
            kept = [:]
        }
    }

    /// What was found out about a book; it may have changed since.
    func inspection(_ path: SafePath) -> BookInspection? { kept[path].flatMap { BookInspection($0) } }

    /// Keeps the findings of all books there are now, if they differ from what is kept.
    func keep(_ inspections: [(SafePath, BookInspection)]) {
        let lists = inspections.map { ($0, $1.propertyList) }
        guard lists.count != kept.count || lists.contains(where: { kept[$0] != $1 }) else { return }
        let list = PropertyList.array(lists.map { ["book": .string($0.text), "finding": $1] })
        do {
            try host.storage.write(.cache, Self.key, try list.encoded(.binary))
        } catch {
            host.log.debug("ibooks", "Cannot save the results for the next listing: \(error)")
        }
    }
}
