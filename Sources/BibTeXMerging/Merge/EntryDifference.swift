import BibTeX

/// What is different between two libraries, entry by entry.
enum EntryDifference {
    /// The entries of a side that become others.
    static func changes(
        from before: BibTeXDocument, to after: BibTeXDocument, on side: MergeSide
    ) -> [EntryChange] {
        var old = keyed(before)
        var changes: [EntryChange] = []
        for block in after.blocks {
            guard let key = block.key else { continue }
            guard var twins = old[key.lowercased()], !twins.isEmpty else {
                changes.append(EntryChange(key: key, side: side, action: .added, fields: []))
                continue
            }
            let place = twins.firstIndex { $0.saysSame(block) } ?? 0
            let twin = twins.remove(at: place)
            old[key.lowercased()] = twins
            guard !twin.saysSame(block) else { continue }
            let fields = fields(twin, block)
            if !fields.isEmpty {
                changes.append(EntryChange(key: key, side: side, action: .changed, fields: fields))
            }
        }
        for block in before.blocks {
            guard let key = block.key, var twins = old[key.lowercased()], !twins.isEmpty else { continue }
            twins.removeFirst()
            old[key.lowercased()] = twins
            changes.append(EntryChange(key: key, side: side, action: .deleted, fields: []))
        }
        return changes
    }

    private static func keyed(_ document: BibTeXDocument) -> [String: [BibTeXBlock]] {
        var keyed: [String: [BibTeXBlock]] = [:]
        for block in document.blocks {
            if let key = block.key { keyed[key.lowercased(), default: []].append(block) }
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
