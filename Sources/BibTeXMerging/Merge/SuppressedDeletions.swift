import BibTeX

/// Deletions that must not propagate. The item stays on the other side, and is not restored where it was deleted.
struct SuppressedDeletions {
    /// The deleted items, with all their content.
    private(set) var tombstones: [Tombstone] = []

    private var blocks: [(block: BibTeXBlock, side: MergeSide)] = []
    private var macros: [MacroMerger.Deletion] = []
    private var groups: [GroupMerger.Deletion] = []

    /// Holds back the deletion of a whole block.
    mutating func hold(_ block: BibTeXBlock, _ side: MergeSide) {
        blocks.append((block, side))
        tombstones.append(Tombstone(block, side))
    }

    /// Holds back the deletion of a macro.
    mutating func hold(_ macro: MacroMerger.Deletion) {
        macros.append(macro)
        tombstones.append(macro.tombstone)
    }

    /// Holds back the deletion of a group.
    mutating func hold(_ group: GroupMerger.Deletion) {
        groups.append(group)
        tombstones.append(group.tombstone)
    }

    /// The next base, and its form for the device.
    ///
    /// - Parameters:
    ///   - host: the host's result, without the items that only the device still has.
    ///   - order: the groups of the last agreed state, in whose order groups are put back.
    ///   - shown: the groups of the device, which may list entries that it has deleted.
    func documents(
        of host: BibTeXDocument, order: [BibTeXGroup], onDevice shown: [BibTeXGroup]
    ) -> (agreed: BibTeXDocument, device: BibTeXDocument) {
        var agreed = host
        agreed.addWhole(blocks.filter { $0.side == .host }.map(\.block))
        agreed.add(macros.filter { $0.side == .host }.map { ($0.definition, "") })
        for kind in BibTeXGroup.Kind.allCases {
            let back = groups.filter { $0.side == .host && $0.group.kind == kind }.map(\.group)
            guard !back.isEmpty else { continue }
            let own = agreed.groups.filter { $0.kind == kind }
            agreed.setGroups(
                kind, GroupMerger.restoring(back, to: own, inOrderOf: order.filter { $0.kind == kind }))
        }
        // The device's groups still list the entries that only it has.
        let back = Set(blocks.filter { $0.side == .host }.compactMap { $0.block.key?.lowercased() })
        if !back.isEmpty {
            let theirs = Dictionary(
                Self.fixed(shown).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
            agreed.setGroups(
                .fixed,
                Self.fixed(agreed.groups).map { group in
                    theirs[group.name].map { group.putting(back: back.contains, from: $0) } ?? group
                })
        }
        return (agreed, deviceForm(of: agreed, shown))
    }

    private func deviceForm(of agreed: BibTeXDocument, _ shown: [BibTeXGroup]) -> BibTeXDocument {
        var device = agreed
        var gone = Dictionary(
            blocks.filter { $0.side == .device }.map { (Array($0.block.body), 1) }, uniquingKeysWith: +)
        if !gone.isEmpty {
            var places: Set<Int> = []
            for (index, block) in device.blocks.enumerated() where block.kind != .text {
                let body = Array(block.body)
                guard let count = gone[body], count > 0 else { continue }
                gone[body] = count - 1
                places.insert(index)
            }
            // An entry may have been rewritten, for example with its parent's new key.
            var keys = Dictionary(
                gone.flatMap { body, count in
                    (BibTeXBlock.read(body)?.key).map { [($0.lowercased(), count)] } ?? []
                }, uniquingKeysWith: +)
            for (index, block) in device.blocks.enumerated() where !places.contains(index) {
                guard let key = block.key?.lowercased(), let count = keys[key], count > 0 else { continue }
                keys[key] = count - 1
                places.insert(index)
            }
            let removed = Set(places.compactMap { device.blocks[$0].key?.lowercased() })
            device.remove(places)
            let gone = removed.subtracting(device.blocks.compactMap { $0.key?.lowercased() })
            let listed = Dictionary(
                Self.fixed(shown).map { ($0.name, Set($0.keys.map { $0.lowercased() })) },
                uniquingKeysWith: { $0.union($1) })
            device.setGroups(
                .fixed,
                Self.fixed(device.groups).map { group in
                    let left = gone.subtracting(listed[group.name] ?? [])
                    let keys = group.keys.filter { !left.contains($0.lowercased()) }
                    return keys == group.keys ? group : group.listing(keys)
                })
        }
        MacroMerger.remove(Set(macros.filter { $0.side == .device }.map(\.name)), from: &device)
        for kind in BibTeXGroup.Kind.allCases {
            let gone = groups.filter { $0.side == .device && $0.group.kind == kind }.map(\.group)
            var doomed = Dictionary(grouping: gone, by: \.name)
            guard !doomed.isEmpty else { continue }
            let left = device.groups.filter { group in
                guard group.kind == kind else { return false }
                guard let named = doomed[group.name], !named.isEmpty else { return true }
                // The keys of its members may have changed.
                doomed[group.name]?.remove(at: named.firstIndex(of: group) ?? 0)
                return false
            }
            device.setGroups(kind, left)
        }
        return device
    }

    private static func fixed(_ all: [BibTeXGroup]) -> [BibTeXGroup] { all.filter { $0.kind == .fixed } }
}
