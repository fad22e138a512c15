import BibTeX

/// Merges blocks that are compared as a whole: preambles, comments without groups, and blocks that could not be read.
struct WholeBlockMerger {
    /// Blocks that both sides changed.
    private(set) var conflicts: [MergeConflict] = []
    /// Blocks that one side deleted and the other left unchanged.
    private(set) var deletions: [(block: BibTeXBlock, side: MergeSide)] = []

    private let base: BibTeXDocument
    private let device: BibTeXDocument
    private let deletes: Bool

    init(base: BibTeXDocument, device: BibTeXDocument, deletes: Bool) {
        self.base = base
        self.device = device
        self.deletes = deletes
    }

    /// The blocks that are compared as a whole, by their indexes.
    private static func places(_ document: BibTeXDocument) -> [Int] {
        var hasInfo = false
        return document.blocks.indices.filter { index in
            let block = document.blocks[index]
            switch block.kind {
            case .text: return false
            case .preamble: return true
            case .comment: return GroupBlock(block) == nil
            case .entry: return block.key == nil
            case .string: return block.isOpaque
            case .info:
                // Only the first readable block of BibDesk's data is merged key by key.
                defer { hasInfo = hasInfo || !block.isOpaque }
                return block.isOpaque || hasInfo
            }
        }
    }

    private static func blocks(_ document: BibTeXDocument) -> [BibTeXBlock] {
        places(document).map { document.blocks[$0] }
    }

    /// Changes the host's document: adds the blocks that the device added, and removes those that it deleted if
    /// deletions propagate.
    mutating func apply(to document: inout BibTeXDocument) {
        let olds = Self.texts(base)
        let hosts = Self.texts(document)
        var gone = olds
        let devices = Self.texts(device)
        findDeletionsOfHost(document, olds, hosts, devices)
        var new = devices
        for (text, count) in olds {
            let common = min(count, devices[text] ?? 0)
            // The host has already made its own deletions.
            gone[text] = max(0, min(count, hosts[text] ?? 0) - common)
            new[text] = (new[text] ?? 0) - common
        }
        // The host already has blocks that both sides added.
        for (text, count) in new where count > 0 {
            new[text] = max(0, count - max(0, (hosts[text] ?? 0) - (olds[text] ?? 0)))
        }
        let goneOnBoth = olds.contains { text, count in
            (hosts[text] ?? 0) < count && (devices[text] ?? 0) < count
        }
        let hostAdded = hosts.contains { text, count in
            count > (olds[text] ?? 0) && count > (devices[text] ?? 0)
        }
        var open = Self.blocks(device).filter { block in
            let text = block.bodyText
            guard let count = new[text], count > 0 else { return false }
            new[text] = count - 1
            return true
        }
        var places: [Int] = []
        for index in Self.places(document) {
            let text = document.blocks[index].bodyText
            guard let count = gone[text], count > 0 else { continue }
            gone[text] = count - 1
            places.append(index)
        }
        if goneOnBoth, hostAdded {
            let own = Self.blocks(document).filter { block in
                olds[block.bodyText] == nil && devices[block.bodyText] == nil
            }
            for kind in [BibTeXBlock.Kind.preamble, .comment] {
                func text(_ blocks: [BibTeXBlock]) -> String {
                    blocks.filter { ($0.kind == .preamble) == (kind == .preamble) }.map(\.bodyText)
                        .joined(separator: "\n")
                }
                let (ours, theirs) = (text(own), text(open))
                guard !ours.isEmpty, !theirs.isEmpty else { continue }
                conflicts.append(
                    MergeConflict(
                        key: "", subject: kind == .preamble ? .preamble : .comment, host: ours, device: theirs
                    ))
            }
        }
        let gaps = Self.counts(places.map { document.blocks[$0] })
        let fillings = Self.counts(open)
        var removed: Set<Int> = []
        for index in places.reversed() {
            // A block with exactly one replacement is replaced in place.
            let old = document.blocks[index]
            let isReplaced = gaps[old.kind] == fillings[old.kind]
            if isReplaced, let place = open.lastIndex(where: { $0.kind == old.kind }),
                let body = old.encodedBody(open[place].bodyText), let changed = old.replacingBody(body)
            {
                open.remove(at: place)
                document.blocks[index] = changed
                continue
            }
            if !isReplaced { deletions.append((old, .device)) }
            if deletes || isReplaced { removed.insert(index) }
        }
        document.remove(removed)
        document.addWhole(open)
    }

    /// Finds blocks that the host deleted and the device left unchanged. If the host has as many new blocks of the
    /// same kind, these count as changed instead.
    private mutating func findDeletionsOfHost(
        _ host: BibTeXDocument, _ olds: [String: Int], _ hosts: [String: Int], _ devices: [String: Int]
    ) {
        var gone: [String: Int] = [:]
        for (text, count) in olds { gone[text] = max(0, min(count, devices[text] ?? 0) - (hosts[text] ?? 0)) }
        let open = Self.blocks(device).filter { block in
            guard let count = gone[block.bodyText], count > 0 else { return false }
            gone[block.bodyText] = count - 1
            return true
        }
        guard !open.isEmpty else { return }
        var new = hosts
        for (text, count) in olds { new[text] = (new[text] ?? 0) - count }
        let added = Self.blocks(host).filter { block in
            guard let count = new[block.bodyText], count > 0 else { return false }
            new[block.bodyText] = count - 1
            return true
        }
        let (gaps, fillings) = (Self.counts(open), Self.counts(added))
        deletions += open.filter { gaps[$0.kind] != fillings[$0.kind] }.map { ($0, .host) }
    }

    private static func counts(_ blocks: [BibTeXBlock]) -> [BibTeXBlock.Kind: Int] {
        Dictionary(blocks.map { ($0.kind, 1) }, uniquingKeysWith: +)
    }

    /// How often each block occurs in a document, by its text.
    static func texts(_ document: BibTeXDocument) -> [String: Int] {
        var texts: [String: Int] = [:]
        for block in blocks(document) { texts[block.bodyText, default: 0] += 1 }
        return texts
    }
}
