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
        let comments = CommentDifference(before, after)
        for (index, block) in after.blocks.enumerated() {
            guard let key = block.key else { continue }
            guard let place = former[index] else {
                changes.append(EntryChange(key: key, side: side, action: .added, fields: []))
                continue
            }
            let twin = before.blocks[place]
            let fields = (twin.saysSame(block) ? [] : fields(twin, block)) + comments.fields(twin, block)
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

    /// The fields in which two versions of an entry differ, with its cite key and its type.
    fileprivate static func fields(_ old: BibTeXBlock, _ new: BibTeXBlock) -> [EntryChange.Field] {
        guard !old.isOpaque, !new.isOpaque else {
            return [EntryChange.Field(name: "", old: old.bodyText, new: new.bodyText)]
        }
        var fields: [EntryChange.Field] = []
        func compare(_ name: String, _ before: String?, _ after: String?) {
            if before != after { fields.append(EntryChange.Field(name: name, old: before, new: after)) }
        }
        compare("cite key", old.key, new.key)
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

    /// Shows an entry that got another cite key as one change, instead of a deletion and an addition.
    package mutating func joinRenames(
        from before: BibTeXDocument, to after: BibTeXDocument, on side: MergeSide
    ) {
        var names = renamed
        // Both sides changed the key, so this side had neither the agreed key nor that of the result.
        for conflict in conflicts where conflict.subject == .key {
            names[side == .host ? conflict.host : conflict.device] = conflict.key
        }
        let gone = Set(changes.filter { $0.side == side && $0.action == .deleted }.map(\.key))
        let added = Set(changes.filter { $0.side == side && $0.action == .added }.map(\.key))
        let pairs = names.filter { gone.contains($0.key) && added.contains($0.value) }
        guard !pairs.isEmpty else { return }
        func entries(_ document: BibTeXDocument, _ keys: some Sequence<String>) -> [String: BibTeXBlock] {
            let keys = Set(keys)
            let entries = document.blocks.compactMap { block in block.key.map { ($0, block) } }
            return Dictionary(
                entries.filter { keys.contains($0.0) }, uniquingKeysWith: { first, _ in first })
        }
        let (old, new) = (entries(before, pairs.keys), entries(after, pairs.values))
        let comments = CommentDifference(before, after)
        var fields: [String: [EntryChange.Field]] = [:]
        for (former, key) in pairs {
            guard let twin = old[former], let block = new[key] else { continue }
            fields[key] = EntryDifference.fields(twin, block) + comments.fields(twin, block)
        }
        changes = changes.compactMap { change in
            guard change.side == side else { return change }
            switch change.action {
            case .added:
                guard let fields = fields[change.key] else { return change }
                return EntryChange(key: change.key, side: side, action: .changed, fields: fields)
            case .deleted: return pairs[change.key].flatMap { fields[$0] } == nil ? change : nil
            case .changed: return change
            }
        }
    }
}

/// Finds the comments before entries that only one of two versions of a library has. A comment that moved to another
/// entry did not change.
private struct CommentDifference {
    private let known: Known

    /// The comments of both libraries, which are read when two versions of an entry first differ in them.
    private final class Known {
        lazy var before = old.lines
        lazy var after = new.lines
        private let old: BibTeXDocument
        private let new: BibTeXDocument

        init(_ old: BibTeXDocument, _ new: BibTeXDocument) { (self.old, self.new) = (old, new) }
    }

    init(_ before: BibTeXDocument, _ after: BibTeXDocument) { known = Known(before, after) }

    /// The comments before two versions of an entry, if they differ.
    func fields(_ old: BibTeXBlock, _ new: BibTeXBlock) -> [EntryChange.Field] {
        func lines(_ block: BibTeXBlock) -> [String] {
            TextLines.filled(block.text(block.leading)).filter { !TextLines.isHeader($0) }
        }
        guard old.bytes(old.leading) != new.bytes(new.leading) else { return [] }
        let (ours, theirs) = (lines(old), lines(new))
        guard ours != theirs else { return [] }
        func shown(_ lines: [String]) -> String? { lines.isEmpty ? nil : lines.joined(separator: "\n") }
        let gone = shown(ours.filter { !known.after.contains($0) })
        let added = shown(theirs.filter { !known.before.contains($0) })
        guard gone != nil || added != nil else { return [] }
        return [EntryChange.Field(name: "comment before it", old: gone, new: added)]
    }
}
