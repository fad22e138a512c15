import BibTeX

extension LibraryMerger {
    /// Merges entries that share a key and cannot be told apart. Deletions on one side are handled as for other
    /// entries. If both sides changed such entries, all are kept, and the device's entries are added to the host's.
    mutating func keepAmbiguous(_ keys: Set<String>) {
        guard !keys.isEmpty else { return }
        let (ofBase, ofHost, ofDevice) = (places(keys, base), places(keys, host), places(keys, device))
        for key in keys.sorted() {
            let olds = (ofBase[key] ?? []).map { base.blocks[$0] }
            let theirs = (ofDevice[key] ?? []).map { device.blocks[$0] }
            let places = ofHost[key] ?? []
            let ours = places.map { host.blocks[$0] }
            let sides = EqualBlocks(ours, theirs)
            let (fromHost, fromDevice) = (EqualBlocks(ours, olds), EqualBlocks(theirs, olds))
            if sides.areSame {
                for old in Self.deleted(fromHost, ours, olds) {
                    report.deletedByBoth.append(Tombstone(old, .host))
                }
            } else if fromDevice.areSame {
                for old in Self.deleted(fromHost, ours, olds) { settle(old, .host) }
            } else if fromHost.areSame {
                let deleted = EqualBlocks(Self.deleted(fromDevice, theirs, olds), ours)
                let gone = Set(deleted.partners.values)
                for place in sides.firstAlone {
                    // An entry that the device changed is replaced.
                    if deletes || !gone.contains(place) { removed.append(places[place]) }
                    if deletes || gone.contains(place) { settle(ours[place], .device) }
                }
                added += sides.secondAlone.map { (theirs[$0], nil, nil) }
            } else {
                let changed = Set(fromDevice.firstAlone)
                added += sides.secondAlone.filter(changed.contains).map { (theirs[$0], nil, nil) }
                // The host's deletions are undone where the device still has the entry.
                let left = Self.deleted(fromHost, ours, olds)
                added += EqualBlocks(left, theirs).partners.keys.sorted().map { (left[$0], nil, nil) }
                report.conflicts.append(
                    MergeConflict(key: key, subject: .ambiguousKey, host: key, device: key))
                marked.append(key)
            }
        }
    }

    private func places(_ keys: Set<String>, _ document: BibTeXDocument) -> [String: [Int]] {
        var places: [String: [Int]] = [:]
        for (index, block) in document.blocks.enumerated() {
            if let key = block.key?.lowercased(), keys.contains(key) {
                places[key, default: []].append(index)
            }
        }
        return places
    }

    /// The most comparisons that are made to find entries that were only changed.
    private static let mostComparisons = 10_000

    /// The agreed entries that a side no longer has. An entry that shares a value with a new one of that side was
    /// changed, not deleted.
    ///
    /// - Parameters:
    ///   - pairs: the side's entries and the agreed ones.
    ///   - blocks: the side's entries.
    ///   - olds: the agreed entries.
    private static func deleted(
        _ pairs: EqualBlocks, _ blocks: [BibTeXBlock], _ olds: [BibTeXBlock]
    ) -> [BibTeXBlock] {
        var new = pairs.firstAlone.map { EntryContent(blocks[$0]) }
        guard new.count * pairs.secondAlone.count <= mostComparisons else {
            return pairs.secondAlone.map { olds[$0] }
        }
        return pairs.secondAlone.map { olds[$0] }.filter { old in
            let content = EntryContent(old)
            let near = new.indices.max { content.likeness(new[$0]) < content.likeness(new[$1]) }
            guard let near, content.likeness(new[near]) > 0 else { return true }
            new.remove(at: near)
            return false
        }
    }
}
