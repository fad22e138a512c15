import BibTeX

/// Merges the stored groups by kind and name.
struct GroupMerger {
    /// The static group that lists entries with conflicts.
    static let conflictGroup = "Sync Conflicts"

    /// Groups that both sides changed.
    private(set) var conflicts: [MergeConflict] = []
    /// Groups that one side deleted and the other left unchanged.
    private(set) var deletions: [Deletion] = []

    /// The deletion of a group.
    struct Deletion {
        /// The group on the other side.
        let group: BibTeXGroup
        /// The side that deleted it.
        let side: MergeSide
        /// The tombstone that keeps the group.
        var tombstone: Tombstone {
            var document = BibTeXDocument()
            document.setGroups(group.kind, [group])
            return Tombstone(.group, group.name, side, document.bytes)
        }
    }

    /// The keys of entries in the result, by the keys in lower case that each document has for them.
    struct Renames {
        let base: [String: String]
        let host: [String: String]
        let device: [String: String]
    }

    /// The entries of each document, by their keys in the result in lower case.
    struct Entries {
        let host: Set<String>
        let device: Set<String>
        let result: Set<String>
    }

    private let renamed: Renames
    private let entries: Entries
    private let deletes: Bool

    init(renamed: Renames, entries: Entries, deletes: Bool) {
        self.renamed = renamed
        self.entries = entries
        self.deletes = deletes
    }

    /// Changes the host's document.
    mutating func apply(
        base: BibTeXDocument, device: BibTeXDocument, to document: inout BibTeXDocument
    ) {
        let olds = base.groups
        let ours = document.groups
        let theirs = device.groups
        for kind in BibTeXGroup.Kind.allCases {
            let before = ours.filter { $0.kind == kind }
            let merged = merge(
                olds.filter { $0.kind == kind }, before, theirs.filter { $0.kind == kind },
                isStatic: kind == .fixed)
            guard merged != before else { continue }
            if !document.setGroups(kind, merged) {
                conflicts.append(
                    MergeConflict(
                        key: "", subject: .group("BibDesk \(kind.rawValue) Groups"),
                        host: before.map(\.summary).joined(separator: "\n"),
                        device: merged.map(\.summary).joined(separator: "\n")))
            }
        }
    }

    private func renamedKeys(_ group: BibTeXGroup, _ renames: [String: String]) -> BibTeXGroup {
        guard group.kind == .fixed, group.keys.contains(where: { renames[$0.lowercased()] != nil }) else {
            return group
        }
        return group.listing(group.keys.map { renames[$0.lowercased()] ?? $0 })
    }

    private mutating func merge(
        _ base: [BibTeXGroup], _ host: [BibTeXGroup], _ device: [BibTeXGroup], isStatic: Bool
    ) -> [BibTeXGroup] {
        let base = base.map { renamedKeys($0, renamed.base) }
        var host = host.map { renamedKeys($0, renamed.host) }
        var device = device.map { renamedKeys($0, renamed.device) }
        if isStatic {
            host = withMembers(base, of: host, without: entries.host)
            device = withMembers(base, of: device, without: entries.device)
        }
        let gone = Self.deleted(base, by: device, keptBy: host)
        deletions += gone.map { Deletion(group: $0, side: .device) }
        deletions += Self.deleted(base, by: host, keptBy: device).map { Deletion(group: $0, side: .host) }
        if !deletes { device = Self.restoring(gone, to: device, inOrderOf: base) }
        if host == device || base == device { return host }
        if base == host { return device }
        let olds = Self.named(base)
        var theirs = Self.named(device)
        var result: [BibTeXGroup] = []
        var extra: [BibTeXGroup] = []
        for (label, group) in Self.labels(host) {
            let old = olds[label]
            guard let other = theirs.removeValue(forKey: label) else {
                // Either the device deleted the group or the host added it. A group that has changed since is kept.
                if old != group { result.append(group) }
                if let old, old != group { note(group.name, group, nil) }
                continue
            }
            if isStatic {
                result.append(mergedMembers(old, group, other))
            } else {
                switch ThreeWay.settle(base: old, host: group, device: other) {
                case .settled(let settled): result.append(settled ?? group)
                case .conflict:
                    result.append(group)
                    extra.append(other.renamed(other.name + " (conflict)"))
                    note(group.name, group, other)
                }
            }
        }
        for (label, group) in Self.labels(device) where theirs[label] != nil {
            // Either the host deleted the group or the device added it.
            if let old = olds[label], old == group { continue }
            result.append(group)
            if olds[label] != nil { note(group.name, nil, group) }
        }
        var names = Set(result.map(\.name))
        let known = Dictionary(grouping: result, by: \.name)
        for group in extra where known[group.name]?.contains(group) != true {
            // An earlier conflict may already use the name.
            var (name, number) = (group.name, 2)
            while !names.insert(name).inserted {
                name = "\(group.name) \(number)"
                number += 1
            }
            result.append(group.renamed(name))
        }
        return result
    }

    /// The groups of a side, with members restored that were removed only because the side deleted their entries, if
    /// the result still has these entries.
    ///
    /// - Parameters:
    ///   - base: the agreed groups.
    ///   - groups: the groups of the side.
    ///   - present: the entries of the side.
    private func withMembers(
        _ base: [BibTeXGroup], of groups: [BibTeXGroup], without present: Set<String>
    ) -> [BibTeXGroup] {
        let olds = Self.named(base)
        return Self.labels(groups).map { label, group in
            olds[label].map {
                group.putting(back: { !present.contains($0) && entries.result.contains($0) }, from: $0)
            } ?? group
        }
    }

    /// A static group with the merged members of both sides, and its other properties.
    private mutating func mergedMembers(
        _ old: BibTeXGroup?, _ host: BibTeXGroup, _ device: BibTeXGroup
    ) -> BibTeXGroup {
        let keys = ThreeWay.list(
            base: old?.keys ?? [], host: host.keys, device: device.keys, identity: { $0.lowercased() })
        // The rest is compared as one value. A name may be spelled in several ways, so it is left out.
        func rest(_ group: BibTeXGroup) -> BibTeXGroup { group.renamed(host.name).listing([]) }
        switch ThreeWay.settle(base: old.map(rest), host: rest(host), device: rest(device)) {
        case .settled(let settled):
            if settled == rest(device), settled != rest(host) { return device.listing(keys) }
            return keys == host.keys ? host : host.listing(keys)
        case .conflict:
            note(host.name, host, device)
            return keys == host.keys ? host : host.listing(keys)
        }
    }

    /// The groups that one side deleted and the other left unchanged.
    private static func deleted(
        _ base: [BibTeXGroup], by side: [BibTeXGroup], keptBy other: [BibTeXGroup]
    ) -> [BibTeXGroup] {
        let (present, kept) = (named(side), named(other))
        return labels(base).filter { present[$0.0] == nil && kept[$0.0] == $0.1 }.map(\.1)
    }

    /// Puts groups back after those that they followed in an earlier list.
    static func restoring(
        _ gone: [BibTeXGroup], to list: [BibTeXGroup], inOrderOf base: [BibTeXGroup]
    ) -> [BibTeXGroup] {
        guard !gone.isEmpty else { return list }
        let present = named(list)
        // The groups to put back, by the group before them; nil stands for the beginning.
        var behind: [Label?: [BibTeXGroup]] = [:]
        var open = gone[...]
        var last: Label?
        for (label, group) in labels(base) {
            if open.first == group {
                open = open.dropFirst()
                behind[last, default: []].append(group)
            } else if present[label] != nil {
                last = label
            }
        }
        return (behind[nil] ?? []) + labels(list).flatMap { [$0.1] + (behind[$0.0] ?? []) } + open
    }

    /// A name and the number of earlier groups with the same name.
    private struct Label: Hashable {
        let name: String
        let number: Int
    }

    private static func labels(_ groups: [BibTeXGroup]) -> [(Label, BibTeXGroup)] {
        var counts: [String: Int] = [:]
        return groups.map { group in
            let number = counts[group.name, default: 0]
            counts[group.name] = number + 1
            return (Label(name: group.name, number: number), group)
        }
    }

    private static func named(_ groups: [BibTeXGroup]) -> [Label: BibTeXGroup] {
        Dictionary(labels(groups), uniquingKeysWith: { first, _ in first })
    }

    private mutating func note(_ name: String, _ host: BibTeXGroup?, _ device: BibTeXGroup?) {
        conflicts.append(
            MergeConflict(
                key: "", subject: .group(name), host: host.map(\.summary) ?? "",
                device: device.map(\.summary) ?? ""))
    }
}

extension GroupChange {
    /// How the groups of a side change.
    static func changes(
        from before: BibTeXDocument, to after: BibTeXDocument, on side: MergeSide
    ) -> [GroupChange] {
        let (old, new) = (before.groups, after.groups)
        guard old != new else { return [] }
        func summaries(_ groups: [BibTeXGroup]) -> [String: String] {
            Dictionary(grouping: groups, by: { "\($0.kind.rawValue) \($0.name)" }).mapValues {
                $0.map(\.summary).joined(separator: "\n")
            }
        }
        let (olds, news) = (summaries(old), summaries(new))
        var seen: Set<String> = []
        return (new + old).compactMap { group in
            let label = "\(group.kind.rawValue) \(group.name)"
            guard seen.insert(label).inserted, group.name != GroupMerger.conflictGroup,
                olds[label] != news[label]
            else { return nil }
            return GroupChange(name: group.name, side: side, old: olds[label], new: news[label])
        }
    }
}

extension BibTeXGroup {
    /// The group with members that only another version of it has, after the members that they follow there.
    ///
    /// - Parameter isWanted: whether to put back a member, by its key in lower case.
    func putting(back isWanted: (String) -> Bool, from other: BibTeXGroup) -> BibTeXGroup {
        guard self != other else { return self }
        let known = Set(keys.map { $0.lowercased() })
        // The members to put back, by the member before them; nil stands for the beginning.
        var behind: [String?: [String]] = [:]
        var last: String?
        for key in other.keys {
            let name = key.lowercased()
            if known.contains(name) {
                last = name
            } else if isWanted(name) {
                behind[last, default: []].append(key)
            }
        }
        guard !behind.isEmpty else { return self }
        return listing((behind[nil] ?? []) + keys.flatMap { [$0] + (behind[$0.lowercased()] ?? []) })
    }

    /// The content of the group on one line: its members, its conditions, or its source.
    var summary: String {
        switch kind {
        case .fixed: "\(name): \(keys.joined(separator: ", "))"
        case .smart:
            "\(name): "
                + conditions.map { "\($0.key) \($0.comparison ?? 0) \($0.value)" }
                .joined(separator: needsOneCondition ? " or " : " and ")
        case .url: "\(name): \(url ?? "")"
        case .script: "\(name): \(scriptPath ?? "")"
        }
    }
}
