import BibTeX

/// Adds entries that only the device has after the entries that they follow there, but before their parents, because
/// BibTeX requires this order.
enum AddedEntries {
    /// An entry to add.
    struct Addition {
        /// The entry with its key in the result.
        let block: BibTeXBlock
        /// Its index on the device; nil adds it after all others.
        let place: Int?
    }

    /// - Parameter comments: returns the device's new comments before one of its blocks.
    static func add(
        _ additions: [Addition], of device: BibTeXDocument, to document: inout BibTeXDocument,
        comments: (Int) -> String
    ) {
        let sorted = additions.filter { $0.place != nil }.sorted { ($0.place ?? 0) < ($1.place ?? 0) }
        let additions = additions.filter { $0.place == nil } + sorted
        let start = document.place(for: .entry)
        let before = document
        // The text before the device's first block is the header of its file.
        document.addWhole(
            additions.map {
                $0.place == 0 ? $0.block.leading($0.block.encodedBody(comments(0)) ?? []) : $0.block
            })
        guard document.blocks.count == before.blocks.count + additions.count, start > 0,
            additions.allSatisfy({ $0.block.kind == .entry })
        else { return }
        var places: [String: Int] = [:]
        var ambiguous: Set<String> = []
        for (index, block) in before.blocks.enumerated() {
            guard let key = block.key?.lowercased() else { continue }
            if places.updateValue(index, forKey: key) != nil { ambiguous.insert(key) }
        }
        // The entries to add after each block of the document, and the new places of additions by their index on the
        // device.
        var behind: [Int: [BibTeXBlock]] = [:]
        var targets: [Int: Int] = [:]
        var rest: [BibTeXBlock] = []
        for (addition, block) in zip(additions, document.blocks[start..<(start + additions.count)]) {
            let former = addition.place.flatMap { place in
                device.blocks[..<place].lastIndex { $0.kind == .entry }
            }
            let key = former.flatMap { device.blocks[$0].key?.lowercased() }
            let found = key.flatMap { ambiguous.contains($0) ? nil : places[$0] }
            guard let place = addition.place, let target = former.flatMap({ targets[$0] }) ?? found else {
                rest.append(block)
                continue
            }
            targets[place] = target
            behind[target, default: []].append(spaced(block, as: device.blocks[place]))
        }
        // The document's encoding may have changed for the new entries.
        let others = Array(document.blocks[..<start] + document.blocks[(start + additions.count)...])
        var blocks: [(block: BibTeXBlock, isNew: Bool)] = []
        for (index, block) in others.enumerated() {
            if index == start { blocks += rest.map { ($0, true) } }
            blocks.append((block, false))
            blocks += (behind[index] ?? []).map { ($0, true) }
        }
        if start >= others.count { blocks += rest.map { ($0, true) } }
        document.blocks = beforeParents(blocks, lineEnd: document.lineEnd)
    }

    /// The blocks with each new entry before the entry that its `crossref` names. BibTeX finds a parent only if it
    /// follows.
    private static func beforeParents(
        _ blocks: [(block: BibTeXBlock, isNew: Bool)], lineEnd: String
    ) -> [BibTeXBlock] {
        var places: [String: Int] = [:]
        for (index, item) in blocks.enumerated() {
            guard let key = item.block.key?.lowercased(), places[key] == nil else { continue }
            places[key] = index
        }
        // For each block, the block before which it is placed, and its depth below that block. A child of a child is
        // placed first.
        var order = blocks.indices.map { (target: $0, depth: 0, index: $0) }
        for (index, item) in blocks.enumerated() where item.isNew {
            guard let parent = item.block.value("crossref")?.plainText,
                let place = places[parent.lowercased()],
                place < index
            else { continue }
            (order[index].target, order[index].depth) = (order[place].target, order[place].depth + 1)
        }
        guard order.contains(where: { $0.depth > 0 }) else { return blocks.map(\.block) }
        order.sort { ($0.target, -$0.depth, $0.index) < ($1.target, -$1.depth, $1.index) }
        var sorted = order.map { blocks[$0.index].block }
        if let first = order.first, first.index != 0, let old = order.firstIndex(where: { $0.index == 0 }) {
            // The file's header stays at the beginning.
            sorted[0] = sorted[0].leading(Array(sorted[old].bytes(sorted[old].leading)))
            sorted[old] = sorted[old].leading(Array((lineEnd + lineEnd).utf8))
        }
        return sorted
    }

    /// A block with the same text before it as on the device.
    private static func spaced(_ block: BibTeXBlock, as theirs: BibTeXBlock) -> BibTeXBlock {
        let text = theirs.text(theirs.leading)
        guard text.contains(where: \.isNewline), let bytes = block.encodedBody(text) else { return block }
        return block.leading(bytes)
    }
}
