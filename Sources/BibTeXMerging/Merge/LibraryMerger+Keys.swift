import BibTeX

extension LibraryMerger {
    private func key(_ index: Int?, _ document: BibTeXDocument) -> String? {
        index.flatMap { document.blocks[$0].key }
    }

    /// The key that an entry has in the result, in lower case.
    func key(_ block: BibTeXBlock, _ renames: [String: String]) -> String? {
        block.key.map { (renames[$0.lowercased()] ?? $0).lowercased() }
    }

    /// Finds the keys that the result renames, before any field that refers to them is merged.
    mutating func findRenames(_ triples: [EntryTriple]) {
        for triple in triples where !keepsBoth(triple) { findRename(triple) }
        // Entries with a parent come after those without, because their fields contain the parents' new keys.
        let added = triples.filter { keepsBoth($0) }
        func hasParent(_ triple: EntryTriple) -> Bool {
            triple.device.map { device.blocks[$0].value("crossref") != nil } ?? false
        }
        for triple in added.filter({ !hasParent($0) }) + added.filter(hasParent) {
            guard let twin = triple.device, let key = device.blocks[twin].key else { continue }
            if triple.base == nil, let copy = formerCopy(of: device.blocks[twin], key) {
                formerCopies[key.lowercased()] = copy
                renames.keys[key.lowercased()] = host.blocks[copy].key
            } else {
                let new = unusedKey(key)
                renames.keys[key.lowercased()] = new
                ownKeys[twin] = new
            }
        }
        for triple in triples where triple.host == nil {
            guard let twin = triple.device, let key = device.blocks[twin].key?.lowercased(),
                keysOfDevice[key] == 1, let place = placesOfHost[key],
                self.key(host.blocks[place], renamedOnHost) == key, renamedKeys[key] == nil,
                triple.base.map({ isChanged(twin, base.blocks[$0]) }) ?? true
            else { continue }
            let new = unusedKey(device.blocks[twin].key ?? key)
            renames.keys[key] = new
            ownKeys[twin] = new
        }
    }

    /// Finds the key that the result gives to an entry.
    private mutating func findRename(_ triple: EntryTriple) {
        guard let old = key(triple.base, base) else { return }
        let ours = key(triple.host, host)
        let theirs = key(triple.device, device)
        func isNew(_ key: String?) -> Bool { key.map { $0.lowercased() != old.lowercased() } ?? false }
        var new = ours ?? theirs ?? old
        if !isNew(ours), let theirs, isNew(theirs), ours == nil || !taken.contains(theirs.lowercased()) {
            new = theirs
        }
        func isRenamed(_ key: String?) -> Bool { key.map { $0.lowercased() != new.lowercased() } ?? false }
        if isNew(new) {
            renamedKeys[old.lowercased()] = new
            report.renamed[old] = new
            // A side may still refer to an entry by its former key.
            if keysOfDevice[old.lowercased()] == nil { renames.keys[old.lowercased()] = new }
            if placesOfHost[old.lowercased()] == nil { renamedOnHost[old.lowercased()] = new }
        }
        if let ours, isRenamed(ours) { renamedOnHost[ours.lowercased()] = new }
        if let theirs, isRenamed(theirs) { renames.keys[theirs.lowercased()] = new }
    }

    /// Whether both versions of an entry stay, because they are not the same work.
    private func keepsBoth(_ triple: EntryTriple) -> Bool {
        guard let place = triple.host, let twin = triple.device else { return false }
        let (ours, theirs) = (host.blocks[place], device.blocks[twin])
        guard let base = triple.base else { return !isOneWork(ours, theirs) }
        let old = self.base.blocks[base]
        switch (ours.isOtherWork(than: old), theirs.isOtherWork(than: old)) {
        case (false, false): return false
        case (true, true): return !isOneWork(ours, theirs)
        // A deletion that does not propagate leaves the agreed entry unchanged.
        case (false, true): return !(deletes && ours.saysSame(old))
        case (true, false): return !(deletes && theirs.saysSame(old))
        }
    }

    /// Whether two entries that both sides added are the same work.
    func isOneWork(_ one: BibTeXBlock, _ other: BibTeXBlock) -> Bool {
        if one.saysSame(other) { return true }
        guard !one.isOpaque, !other.isOpaque else { return false }
        let other = renamed(other, nil)
        // Keys that differ only in case are the same key.
        let (first, second) = (EntryContent(one), EntryContent(other))
        return first == second || (!hasBase && first.isSameWork(second))
    }

    /// The host entry that an earlier merge made from a device entry whose key was in use; nil if there is none.
    private func formerCopy(of theirs: BibTeXBlock, _ key: String) -> Int? {
        var number = 0
        while let place = placesOfHost[(key + Self.suffix(number)).lowercased()] {
            let isFree = host.blocks[place].key.map { keysOfDevice[$0.lowercased()] == nil } ?? false
            if isFree, isOneWork(host.blocks[place], theirs) { return place }
            number += 1
        }
        return nil
    }

    /// `a`, `b`, ... `z`, `aa`, `ab`, ...
    private static func suffix(_ number: Int) -> String {
        var suffix = ""
        var rest = number
        repeat {
            suffix = String(UnicodeScalar(UInt8(97 + rest % 26))) + suffix
            rest = rest / 26 - 1
        } while rest >= 0
        return suffix
    }

    private mutating func unusedKey(_ key: String) -> String {
        var number = triedSuffixes[key.lowercased()] ?? 0
        while true {
            let new = key + Self.suffix(number)
            number += 1
            if keysOfDevice[new.lowercased()] == nil, taken.insert(new.lowercased()).inserted {
                triedSuffixes[key.lowercased()] = number
                return new
            }
        }
    }

    /// Writes the new keys into the host's groups and `crossref` fields.
    mutating func followRenames() {
        guard !renamedKeys.isEmpty else { return }
        let present = Set(result.blocks.compactMap { $0.key?.lowercased() })
        for index in result.blocks.indices where result.blocks[index].kind == .entry {
            guard let parent = result.blocks[index].value("crossref")?.plainText?.lowercased(),
                let new = renamedKeys[parent], !present.contains(parent)
            else { continue }
            result.change(index) { $0.setting("crossref", to: BibTeXValue(new)) }
        }
    }
}
