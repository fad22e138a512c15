import BibTeX

/// Finds the differences between two libraries, entry by entry.
enum EntryDifference {
    /// How the entries of a side change.
    static func changes(
        from before: BibTeXDocument, to after: BibTeXDocument, on side: MergeSide
    ) -> [EntryChange] {
        let old = keyed(before)
        let new = keyed(after)
        // The index before the merge for each block after it; blocks without one are new.
        var former: [Int: Int] = [:]
        var isGone = Set(old.values.flatMap { $0 })
        for (key, places) in new {
            guard let twins = old[key] else { continue }
            let equal = EqualBlocks(places.map { after.blocks[$0] }, twins.map { before.blocks[$0] })
            for (one, other) in equal.partners { former[places[one]] = twins[other] }
            for (one, other) in zip(equal.firstAlone, equal.secondAlone) {
                former[places[one]] = twins[other]
            }
        }
        isGone.subtract(former.values)
        var changes: [EntryChange] = []
        for (index, block) in after.blocks.enumerated() {
            guard let key = block.key else { continue }
            guard let place = former[index] else {
                changes.append(EntryChange(key: key, side: side, action: .added, fields: []))
                continue
            }
            let twin = before.blocks[place]
            guard !twin.saysSame(block) else { continue }
            let fields = fields(twin, block)
            if !fields.isEmpty {
                changes.append(EntryChange(key: key, side: side, action: .changed, fields: fields))
            }
        }
        for (index, block) in before.blocks.enumerated() where isGone.contains(index) {
            guard let key = block.key else { continue }
            changes.append(EntryChange(key: key, side: side, action: .deleted, fields: []))
        }
        return changes
    }

    private static func keyed(_ document: BibTeXDocument) -> [String: [Int]] {
        var keyed: [String: [Int]] = [:]
        for (index, block) in document.blocks.enumerated() {
            if let key = block.key { keyed[key.lowercased(), default: []].append(index) }
        }
        return keyed
    }

    private static func fields(_ old: BibTeXBlock, _ new: BibTeXBlock) -> [EntryChange.Field] {
        guard !old.isOpaque, !new.isOpaque else {
            return [EntryChange.Field(name: "", old: old.bodyText, new: new.bodyText)]
        }
        var fields: [EntryChange.Field] = []
        func compare(_ name: String, _ before: String?, _ after: String?) {
            if before != after { fields.append(EntryChange.Field(name: name, old: before, new: after)) }
        }
        compare("type", old.type, new.type)
        let (before, after) = (EntryContent(old), EntryContent(new))
        for name in Set(before.fields.keys).union(after.fields.keys).sorted()
        where before.fields[name] != after.fields[name] {
            compare(name, old.value(name)?.written, new.value(name)?.written)
        }
        func list(_ texts: [String]) -> String? { texts.isEmpty ? nil : texts.joined(separator: ", ") }
        compare("files", list(before.paths), list(after.paths))
        compare("urls", list(before.urls), list(after.urls))
        return fields
    }
}

extension MergeReport {
    /// Records the entries that the merge changes.
    package mutating func addChanges(
        from before: BibTeXDocument, to after: BibTeXDocument, on side: MergeSide
    ) {
        changes += EntryDifference.changes(from: before, to: after, on: side)
    }
}
