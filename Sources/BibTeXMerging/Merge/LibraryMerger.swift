import BibTeX

/// The steps of one merge.
struct LibraryMerger {
    /// The host's document, changed step by step.
    var result: BibTeXDocument

    let base: BibTeXDocument
    let hasBase: Bool
    let deletes: Bool
    /// Deletions that are held back.
    private var heldBack = SuppressedDeletions()
    let host: BibTeXDocument
    let device: BibTeXDocument
    var report = MergeReport()
    /// The device's entries to add, as its file contains them, with their new keys and their places.
    var added: [(block: BibTeXBlock, key: String?, place: Int?)] = []
    /// Host blocks to remove.
    var removed: [Int] = []
    /// Keys in use in the result, in lower case.
    var taken: Set<String>
    var renames = EntryMerger.Renames()
    private lazy var linesOfHost = host.lines
    private lazy var commentsOfHost = NewComments(in: host, since: base, other: device)
    private lazy var commentsOfDevice = NewComments(in: device, since: base, other: host)
    /// The new keys of agreed entries, by the old ones in lower case.
    var renamedKeys: [String: String] = [:]
    /// The new keys of host entries, by the old ones in lower case.
    var renamedOnHost: [String: String] = [:]
    /// The new keys for device entries whose key another entry of the result has, by the indexes of the entries.
    var ownKeys: [Int: String] = [:]
    /// Keys of entries with conflicts, in order.
    var marked: [String] = []
    /// Whether a value needs an encoding other than that of the host's file.
    var lacksLetters = false
    let style: FieldNameStyle
    /// How many entries of the device have each key, in lower case.
    let keysOfDevice: [String: Int]
    /// The host's first entry for each key in lower case.
    let placesOfHost: [String: Int]
    /// Host entries that an earlier merge made from a device entry with another key, by that key in lower case.
    var formerCopies: [String: Int] = [:]
    /// How many suffixes were tried for a key, by the key in lower case.
    var triedSuffixes: [String: Int] = [:]

    init(base: BibTeXDocument?, host: BibTeXDocument, device: BibTeXDocument, deletes: Bool) {
        self.deletes = deletes
        self.base = base ?? BibTeXDocument()
        hasBase = base != nil
        self.host = host
        self.device = device
        result = host
        taken = Set(host.blocks.compactMap { $0.key?.lowercased() })
        keysOfDevice = Dictionary(
            device.blocks.compactMap { block in block.key.map { ($0.lowercased(), 1) } }, uniquingKeysWith: +)
        style = host.fieldNameStyle
        placesOfHost = Dictionary(
            host.blocks.enumerated().compactMap { index, block in
                block.key.map { ($0.lowercased(), index) }
            }, uniquingKeysWith: { first, _ in first })
    }

    /// Runs all steps.
    ///
    /// - Returns: false if a text cannot be written in the encoding of the host's file.
    mutating func run() -> Bool {
        let pairs = EntryPairs(base: base, host: host, device: device)
        let macros = MacroMerger(base: base, host: host, device: device)
        report.conflicts += macros.conflicts
        renames.macros = macros.renamed
        findRenames(pairs.triples)
        for triple in pairs.triples { merge(triple) }
        keepAmbiguous(pairs.ambiguous)
        mergeInfo()
        mergeTexts(pairs.triples)
        guard !lacksLetters else { return false }
        result.remove(Set(removed))
        let comments = commentsOfDevice
        macros.apply(to: &result) { comments.lines(before: $0) }
        var whole = WholeBlockMerger(base: base, device: device, deletes: deletes)
        whole.apply(to: &result)
        report.conflicts += whole.conflicts
        for (block, side) in whole.deletions {
            settle(side == .host ? block.withoutText(linesOfHost) : block, side)
        }
        AddedEntries.add(
            added.map {
                AddedEntries.Addition(block: renamed($0.block, $0.key), place: hasBase ? $0.place : nil)
            },
            of: device, to: &result, comments: { comments.lines(before: $0) })
        deleteMacros(macros)
        followRenames()
        mergeGroups()
        return StrayTexts(base: base, host: host, device: device).add(to: &result)
    }

    // MARK: entries

    private mutating func merge(_ triple: EntryTriple) {
        let old = triple.base.map { base.blocks[$0] }
        switch (triple.host, triple.device) {
        case (let place?, let twin?): mergeVersions(old, place, twin)
        case (let place?, nil):
            guard let old else { return }
            let block = host.blocks[place]
            // A new comment before the entry also counts as a change of the entry.
            if block.saysSame(old), commentsOfHost.lines(before: place).isEmpty {
                if deletes { removed.append(place) }
                settle(block, .device)
            } else {
                keepDespiteDeletion(block, .device)
            }
        case (nil, let twin?):
            let block = device.blocks[twin]
            guard let old else { return addOwn(block, twin) }
            if !isChanged(twin, old) {
                settle(twin > 0 ? old.withText(of: block, besides: linesOfHost) : old, .host)
            } else {
                addOwn(restored(block, old), twin)
                keepDespiteDeletion(block, .host)
            }
        case (nil, nil):
            if let old { report.deletedByBoth.append(Tombstone(old, .host)) }
        }
    }

    /// Whether a device entry or the comment before it differs from the agreed entry.
    mutating func isChanged(_ twin: Int, _ old: BibTeXBlock) -> Bool {
        !device.blocks[twin].saysSame(old) || !commentsOfDevice.lines(before: twin).isEmpty
    }

    /// Holds back the deletion of a block, or records it.
    mutating func settle(_ block: BibTeXBlock, _ side: MergeSide) {
        if deletes {
            report.tombstones.append(Tombstone(block, side))
        } else {
            heldBack.hold(block, side)
        }
    }

    private mutating func keepDespiteDeletion(_ block: BibTeXBlock, _ side: MergeSide) {
        let key = block.key ?? ""
        report.conflicts.append(
            MergeConflict(
                key: key, subject: .deletion(side), host: side == .host ? "" : block.bodyText,
                device: side == .device ? "" : block.bodyText))
        marked.append(key)
    }

    /// A device block with the links of the agreed state, which may contain more information about the files.
    private func restored(_ block: BibTeXBlock, _ old: BibTeXBlock) -> BibTeXBlock {
        guard !block.isOpaque else { return block }
        let known = Dictionary(
            old.linkedFiles.map { (EntryContent.identity($0), $0) }, uniquingKeysWith: { first, _ in first })
        let links = block.linkedFiles
        let better = links.map { known[EntryContent.identity($0)] ?? $0 }
        return better == links ? block : BibTeXDocument.setting(better, of: block, named: { $0 }) ?? block
    }

    /// Merges an entry that both sides have, after checking whether its key still refers to the agreed work.
    private mutating func mergeVersions(_ old: BibTeXBlock?, _ place: Int, _ twin: Int) {
        let (ours, theirs) = (host.blocks[place], device.blocks[twin])
        guard let old else { return merge(nil, place, theirs) }
        if ownKeys[twin] != nil {
            if !deletes, ours.saysSame(old) { settle(ours, .device) }
            return keepAsOther(place, theirs)
        }
        // One side gave the key to another work.
        switch (ours.isOtherWork(than: old), theirs.isOtherWork(than: old)) {
        case (true, true): report.deletedByBoth.append(Tombstone(old, .host))
        case (true, false): report.tombstones.append(Tombstone(old, .host))
        case (false, true): report.tombstones.append(Tombstone(old, .device))
        case (false, false): break
        }
        merge(old, place, theirs)
    }

    private mutating func merge(_ old: BibTeXBlock?, _ place: Int, _ theirs: BibTeXBlock) {
        let ours = host.blocks[place]
        if let old, theirs.saysSame(old), renames.macros.isEmpty, renames.keys.isEmpty { return }
        if ours.saysSame(theirs) { return }
        if [ours, theirs, old ?? theirs].contains(where: { $0.isOpaque || $0.fields.count > Self.mostFields })
        {
            return mergeDamaged(old, place, theirs)
        }
        if old == nil, !isOneWork(ours, theirs) {
            let key = theirs.key ?? ""
            if let copy = formerCopies[key.lowercased()], let name = host.blocks[copy].key,
                let renamed = theirs.renamed(name), isOneWork(host.blocks[copy], renamed)
            {
                return merge(nil, copy, renamed)
            }
            return keepAsOther(place, theirs)
        }
        let merger = EntryMerger(
            base: old, host: ours, device: theirs, renames: renames, spelling: style.written)
        var block = merger.block
        guard !merger.isUnwritable, mergeKey(old, ours, theirs, &block) else {
            if host.encoding != .utf8 { lacksLetters = true }
            return keepBoth(ours, theirs)
        }
        report.conflicts += merger.conflicts
        if !merger.conflicts.isEmpty { marked.append(ours.key ?? "") }
        result.blocks[place] = block
    }

    /// Keeps an entry of the device under a new key, next to the host's entry with the same key.
    private mutating func keepAsOther(_ place: Int, _ theirs: BibTeXBlock) {
        let (ours, key) = (host.blocks[place], theirs.key ?? "")
        let new = renames.keys[key.lowercased()]
        added.append((theirs, new, nil))
        report.conflicts.append(
            MergeConflict(key: key, subject: .twoEntries, host: ours.bodyText, device: theirs.bodyText))
        marked += [ours.key ?? "", new ?? key]
    }

    /// Adds an entry that only the device has. It gets a new key if another entry of the result has its key.
    private mutating func addOwn(_ block: BibTeXBlock, _ twin: Int) {
        added.append((block, ownKeys[twin], twin))
        guard let new = ownKeys[twin], let key = block.key else { return }
        let ours = placesOfHost[key.lowercased()].map { host.blocks[$0] }
        report.conflicts.append(
            MergeConflict(
                key: key, subject: .twoEntries, host: ours?.bodyText ?? "", device: block.bodyText))
        marked += [ours?.key ?? "", new]
    }

    /// The most fields of an entry that is merged field by field, because each change parses the entry again. Other
    /// entries are compared as a whole.
    static let mostFields = 500

    /// Gives the entry its key.
    ///
    /// - Returns: false if it cannot be written.
    private mutating func mergeKey(
        _ old: BibTeXBlock?, _ ours: BibTeXBlock, _ theirs: BibTeXBlock, _ block: inout BibTeXBlock
    ) -> Bool {
        guard let own = ours.key, let other = theirs.key else { return true }
        switch ThreeWay.settle(base: old?.key, host: own, device: other) {
        case .settled(let key):
            guard let key, key != own else { return true }
            let isFree = key.lowercased() == own.lowercased() || !taken.contains(key.lowercased())
            if isFree, let renamed = block.renamed(key) {
                taken.insert(key.lowercased())
                block = renamed
                return true
            }
        case .conflict: if own.lowercased() == other.lowercased() { return true }
        }
        let names = Set(block.fieldNames)
        var number = 1
        while names.contains("cite-key-conflict-\(number)") { number += 1 }
        let name = style.written("cite-key-conflict-\(number)")
        guard let noted = block.setting(name, to: BibTeXValue(other)) else { return false }
        block = noted
        report.conflicts.append(
            MergeConflict(key: own, subject: .key, host: own, device: other, winner: .host))
        marked.append(own)
        return true
    }

    /// Merges an entry that could not be read on some side, by comparing it as a whole.
    private mutating func mergeDamaged(_ old: BibTeXBlock?, _ place: Int, _ theirs: BibTeXBlock) {
        let ours = host.blocks[place]
        if let old, theirs.saysSame(old) { return }
        if let old, ours.saysSame(old) {
            guard let body = ours.encodedBody(theirs.bodyText), let block = ours.replacingBody(body) else {
                if ours.encodedBody(theirs.bodyText) == nil { lacksLetters = true }
                return added.append((theirs, nil, nil))
            }
            result.blocks[place] = block
            return
        }
        keepBoth(ours, theirs)
    }

    /// Keeps both versions of an entry that cannot be merged.
    private mutating func keepBoth(_ ours: BibTeXBlock, _ theirs: BibTeXBlock) {
        added.append((theirs, nil, nil))
        report.conflicts.append(
            MergeConflict(
                key: ours.key ?? "", subject: .damagedBlock, host: ours.bodyText, device: theirs.bodyText))
        marked.append(ours.key ?? "")
    }

    /// A device block with its new key and the new names of the result.
    func renamed(_ block: BibTeXBlock, _ key: String?) -> BibTeXBlock {
        var block = block
        if let key { block = block.renamed(key) ?? block }
        if !block.isOpaque, block.fields.count <= Self.mostFields,
            !(renames.keys.isEmpty && renames.macros.isEmpty)
        {
            for name in Set(block.fieldNames) {
                guard let value = block.value(name) else { continue }
                let new = EntryMerger.renaming(value, name, renames)
                if new != value { block = block.setting(name, to: new) ?? block }
            }
        }
        return block
    }

    // MARK: the rest

    /// Merges BibDesk's data about the document, key by key.
    private mutating func mergeInfo() {
        func info(_ document: BibTeXDocument) -> Int? {
            document.blocks.firstIndex { $0.kind == .info && !$0.isOpaque }
        }
        guard let other = info(device) else {
            // The device's copy does not have the block. If the host's block is the agreed one, the device deleted
            // it.
            guard let place = info(host), let old = info(base),
                host.blocks[place].bodyText == base.blocks[old].bodyText
            else { return }
            if deletes { removed.append(place) }
            return settle(host.blocks[place], .device)
        }
        guard let place = info(host) else {
            let old = info(base).map { base.blocks[$0] }
            guard let old, old.bodyText == device.blocks[other].bodyText else {
                return added.append((device.blocks[other], nil, nil))
            }
            return settle(old, .host)
        }
        let merger = EntryMerger(
            base: info(base).map { base.blocks[$0] }, host: host.blocks[place], device: device.blocks[other],
            renames: renames, spelling: { $0 })
        guard !merger.isUnwritable else {
            if host.encoding != .utf8 { lacksLetters = true }
            added.append((device.blocks[other], nil, nil))
            report.conflicts.append(
                MergeConflict(
                    key: "", subject: .damagedBlock, host: host.blocks[place].bodyText,
                    device: device.blocks[other].bodyText))
            return
        }
        result.blocks[place] = merger.block
        for conflict in merger.conflicts {
            guard case .field(let name) = conflict.subject else { continue }
            report.conflicts.append(
                MergeConflict(
                    key: "", subject: .info(name), host: conflict.host, device: conflict.device,
                    winner: conflict.winner))
        }
    }

    /// Removes macros that one side deleted and that are not used, or holds the deletion back. A macro that is used
    /// is kept or restored.
    private mutating func deleteMacros(_ macros: MacroMerger) {
        let (gone, used) = macros.settled(in: result, host: host)
        MacroMerger.restore(used, to: &result)
        if deletes {
            MacroMerger.remove(Set(gone.filter { $0.side == .device }.map(\.name)), from: &result)
        }
        for deletion in gone.filter({ $0.side == .device }) + gone.filter({ $0.side == .host }) {
            if deletes {
                report.tombstones.append(deletion.tombstone)
            } else {
                heldBack.hold(deletion)
            }
        }
    }

    private mutating func mergeGroups() {
        var groups = GroupMerger(
            renamed: GroupMerger.Renames(base: renamedKeys, host: renamedOnHost, device: renames.keys),
            entries: GroupMerger.Entries(
                host: Set(host.blocks.compactMap { key($0, renamedOnHost) }),
                device: Set(device.blocks.compactMap { key($0, renames.keys) }),
                result: Set(result.blocks.compactMap { $0.key?.lowercased() })),
            deletes: deletes)
        groups.apply(base: base, device: device, to: &result)
        report.conflicts += groups.conflicts
        for deletion in groups.deletions {
            if deletes {
                report.tombstones.append(deletion.tombstone)
            } else {
                heldBack.hold(deletion)
            }
        }
        var seen: Set<String> = []
        let keys = marked.map { renamedKeys[$0.lowercased()] ?? $0 }
            .filter { !$0.isEmpty && seen.insert($0.lowercased()).inserted }
        if !keys.isEmpty { result.add(keys, toGroup: GroupMerger.conflictGroup) }
    }

    /// The next base, and its form for the device.
    func withHeldBack() -> (agreed: BibTeXDocument, device: BibTeXDocument) {
        heldBack.documents(of: result, order: base.groups, onDevice: device.groups)
    }

    /// The report, with the entries that change on each side.
    ///
    /// - Parameter deviceResult: the device's library after the merge.
    func finalReport(_ deviceResult: BibTeXDocument) -> MergeReport {
        var report = report
        report.heldBack = heldBack.tombstones
        report.changes = EntryDifference.changes(from: host, to: result, on: .host)
        report.changes += EntryDifference.changes(from: device, to: deviceResult, on: .device)
        report.groups = GroupChange.changes(from: host, to: result, on: .host)
        report.groups += GroupChange.changes(from: device, to: deviceResult, on: .device)
        return report
    }
}
